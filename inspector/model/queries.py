"""What is asked of a list or of figures, and what comes back."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from msgspec import UNSET, UnsetType

from inspector.model.labels import AskedLabel
from inspector.model.spans import Kind, Status

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a list of events is narrowed to.

    Empty fields do not narrow; alternatives inside one field are joined by or.
    """

    kinds: tuple[Kind, ...] = ()
    statuses: tuple[Status, ...] = ()
    session_id: str | None = None
    trace_id: str | None = None
    run_id: str | None = None
    """Belong to a trace of this run."""
    parent_id: str | None = None
    name: str | None = None
    name_prefix: str | None = None
    agent: str | None = None
    model: str | None = None
    """What calls are counted under; a name that no call is counted under is looked for among those that answered."""
    answered_model: str | None = None
    """The one that answered."""
    tool: str | None = None
    service: str | None = None
    error_type: str | None = None
    """Whole, or the class's own name alone; of calls alone (no ``duplicates``) those that have just this, else those
    whose class has the name in some module, else those with such a duplicate."""
    error_class: str | None = None
    """The class's own name, or the error code, in whatever module."""
    known_error_type: str | None = None
    """Of the span, or of a duplicate of it."""
    hook: str | None = None
    """The noun of the hooks that made the span."""
    duplicates: bool = True
    """Whether spans belong to it that are duplicates of a call; figures count calls in any case."""
    since_ns: int | None = None
    """Started at or after."""
    until_ns: int | None = None
    """Started before."""
    min_duration_ms: float | None = None
    max_duration_ms: float | None = None
    min_cost_usd: float | None = None
    max_cost_usd: float | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    """Attribute keys and the text of the value that each must have."""
    arguments: tuple[tuple[str, str], ...] = ()
    """Paths into the arguments, such as ``invoice.number`` or ``rows[0].id``, and the text of the value at each."""
    results: tuple[tuple[str, str], ...] = ()
    """The same of the result."""
    labels: tuple[AskedLabel, ...] = ()
    """Those that each must have: an event itself, a trace or run also on one of its spans, a trace also on its run."""
    q: str | None = None
    """Words that must all occur in the prompt, answer, arguments, result or error.

    ``"…"`` makes a phrase, a trailing ``*`` a prefix.
    """


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
