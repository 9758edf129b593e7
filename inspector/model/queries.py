"""In which order a list comes, what figures are of, and what comes back."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from msgspec import UNSET, UnsetType

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, and where the next ones begin."""

    items: tuple[T, ...]
    next_cursor: str | None = None
    """Opaque; None at the end of the list."""
    notice: str | UnsetType = UNSET
    """What of the searched text was not understood; absent where all of it was."""


Sort = Literal["time", "duration", "cost", "tokens", "score"]
TraceSort = Literal["time", "duration", "cost", "spans", "tokens"]
SessionSort = Literal["time", "duration", "cost", "spans", "tokens"]
RunSort = Literal["time", "duration", "cost", "spans", "tokens", "score"]
Order = Literal["desc", "asc"]


StatsOf = Literal["events", "traces", "runs"]
"""What figures count, once each: calls, traces or runs."""
GroupBy = Literal["kind", "model", "tool", "agent", "service", "status", "error_type", "name", "label"]


@dataclass(frozen=True, slots=True)
class StatsGroup:
    """Counts and quantiles of the calls, traces or runs that share a value of the grouped field.

    The errors of calls are those that failed, the errors of traces and runs the failed ones.
    """

    key: str | None
    count: int
    errors: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    unpriced_calls: int
    mean_score: float | UnsetType | None = UNSET
    """Of the labels of this name, None where none has a score; absent where nothing is grouped by label."""


@dataclass(frozen=True, slots=True)
class StatsBucket:
    """One slice of time; ``start_time_unix_nano`` is its beginning."""

    start_time_unix_nano: str
    count: int
    errors: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    unpriced_calls: int


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures over a filter: in total, by group, and over time."""

    total: StatsGroup
    groups: tuple[StatsGroup, ...]
    buckets: tuple[StatsBucket, ...]
    complete: bool
    """False when the scan reached its limit and the figures cover the newest alone."""
    notice: str | UnsetType = UNSET
    """What of the searched text was not understood; absent where all of it was."""
