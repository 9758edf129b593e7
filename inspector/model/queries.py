"""The sort orders and pages of lists, and statistics."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from msgspec import UNSET, UnsetType

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list, and where the next one begins."""

    items: tuple[T, ...]
    next_cursor: str | None = None
    """Opaque; None on the last page."""
    notice: str | UnsetType = UNSET
    """The part of the query that was not understood; absent if all of it was."""


def every(page_at: Callable[[str | None], Page[T]]) -> Iterator[T]:
    """Yield all items of a list, and read each page when it is needed."""
    cursor: str | None = None
    while True:
        page = page_at(cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


Sort = Literal["time", "duration", "cost", "tokens", "score"]
TraceSort = Literal["time", "duration", "cost", "spans", "tokens"]
SessionSort = Literal["time", "duration", "cost", "spans", "tokens"]
RunSort = Literal["time", "duration", "cost", "spans", "tokens", "score"]
Order = Literal["desc", "asc"]


StatsOf = Literal["events", "traces", "runs"]
"""What figures count: calls, traces or runs."""
GroupBy = Literal["kind", "model", "tool", "agent", "service", "status", "error_type", "name", "label"]


@dataclass(frozen=True, slots=True)
class StatsGroup:
    """Counts and percentiles of the calls, traces or runs with the same value of the grouped field.

    The errors of calls are the failed calls; the errors of traces and runs are those whose status is ``error``.
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
    """The mean score of the labels of the group; None if none has a score, absent if it is not a group of labels."""


@dataclass(frozen=True, slots=True)
class StatsBucket:
    """One slice of time, from ``start_time_unix_nano``."""

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
    """Figures for a filter: in total, by group, and over time."""

    total: StatsGroup
    groups: tuple[StatsGroup, ...]
    buckets: tuple[StatsBucket, ...]
    complete: bool
    """False if the scan reached its limit and the figures cover only the newest."""
    replays_left_out: int = 0
    """The replays in the time range that the figures leave out, whatever else the filter asks."""
    notice: str | UnsetType = UNSET
    """The part of the query that was not understood; absent if all of it was."""
