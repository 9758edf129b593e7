"""The nouns every layer of the inspector shares.

A *span* is what the recorder or another OpenTelemetry program produced and the store takes in; an *event* is the same
span as the API serves it. A *trace* is one tree of spans, a *session* groups traces. All of them are frozen values:
layers hand them on and never change them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType

Kind = Literal["workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other"]
"""What a span stands for."""

Status = Literal["running", "ok", "error", "cancelled", "abandoned", "lost"]
"""How a span stands: still open, ended one of three ways, left behind by its parent's end, or by its process."""

KINDS: tuple[Kind, ...] = ("workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other")
STATUSES: tuple[Status, ...] = ("running", "ok", "error", "cancelled", "abandoned", "lost")

AttributeValue: TypeAlias = "str | bool | int | float | Sequence[AttributeValue] | Mapping[str, AttributeValue] | None"
"""A decoded OTLP ``AnyValue``; bytes arrive as base64 text, as OTLP JSON spells them."""

JsonText = Raw
"""A complete JSON value as encoded text: spliced into answers, never parsed on the way."""


@dataclass(frozen=True, slots=True)
class SpanError:
    """Why a span failed."""

    type: str | None
    """Exception class or error code, as in the attribute ``error.type``."""
    message: str | None
    traceback: str | None = None


# A struct, since one is made of every span taken in: a frozen dataclass of so many fields costs six times as much.
class Span(Struct, frozen=True, gc=False):
    """One span as the store takes it in; a span that still runs has no ``end_ns``."""

    trace_id: str
    """32 lower-case hexadecimal digits."""
    span_id: str
    """16 lower-case hexadecimal digits."""
    name: str
    kind: Kind
    status: Status
    start_ns: int
    """Nanoseconds since the Unix epoch, 0 to 2**64 - 1 as OTLP carries them."""
    parent_id: str | None = None
    session_id: str | None = None
    hook: str | None = None
    """The contract's noun, for example ``tool_call``, when a hook made the span."""
    dialect: str | None = None
    """Which vocabulary the attributes were read with, for example ``inspector/1``."""
    service: str | None = None
    agent: str | None = None
    model: str | None = None
    """The one that answered; the one that was asked for while or where that is not known."""
    tool: str | None = None
    end_ns: int | None = None
    input_tokens: int | None = None
    """All input tokens, those read from a cache included."""
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """The part of ``input_tokens`` that was read from a cache."""
    cost_usd: float | None = None
    error: SpanError | None = None
    input_key: str | None = None
    """The attribute whose text is what the call was given."""
    output_key: str | None = None
    """The attribute whose text is what the call answered."""
    attributes: Mapping[str, AttributeValue] = {}
    events: Sequence[Mapping[str, AttributeValue]] = ()
    """Span events, each ``{"name", "time_unix_nano", "attributes"}``."""
    links: Sequence[Mapping[str, AttributeValue]] = ()
    """Span links, each ``{"trace_id", "span_id", "attributes"}``."""
    process: str | None = None
    """The spool (one process of an agent) that the span came from; None for spans that came another way."""


@dataclass(frozen=True, slots=True)
class Event:
    """One span as the API serves it, in the order of its JSON.

    Large fields (``input``, ``output``, ``attributes``, ``events``, ``links``) are None unless asked for in full.
    """

    seq: int
    """Order of the last change; what live listeners resume from. Never used twice."""
    trace_id: str
    span_id: str
    parent_id: str | None
    session_id: str | None
    kind: Kind
    name: str
    status: Status
    hook: str | None
    dialect: str | None
    service: str | None
    agent: str | None
    model: str | None
    """The one that was asked for; the one that answered where that is not known."""
    tool: str | None
    start_time_unix_nano: str
    """A decimal string, as OTLP JSON spells 64-bit integers."""
    end_time_unix_nano: str | None
    duration_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    error: SpanError | None
    folded_into: str | None = None
    """The span of the same trace that this one is a duplicate of: the call counts there, and not here."""
    input: JsonText | None = None
    output: JsonText | None = None
    attributes: JsonText | None = None
    events: JsonText | None = None
    links: JsonText | None = None


@dataclass(frozen=True, slots=True)
class ClippedEvent(Event):
    """An event without its longest values."""

    clipped: Mapping[str, int] = field(default_factory=dict[str, int])
    """What was left out, with the length of its JSON in characters.

    ``input``, ``output``, ``attributes.<key>``, ``events.<index>.<key>``, ``links.<index>.<key>``, ``error.message``,
    ``error.traceback``.
    """


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """One event in the sketch of a trace."""

    offset_ms: float
    """Counted from the start of the trace."""
    duration_ms: float | None
    kind: Kind
    status: Status


LossReason = Literal["dropped", "unwritten", "unencodable", "undecodable", "unmatched", "dropped_segments"]
"""Why something was not recorded; the fields of `Losses` say what each means."""

LOSS_REASONS: tuple[LossReason, ...] = (
    *("dropped", "unwritten", "unencodable", "undecodable", "unmatched"),
    "dropped_segments",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """How much was not recorded, by reason."""

    dropped: int = 0
    """Calls, since more waited to be written than the queue holds."""
    unwritten: int = 0
    """Calls, since the file could not be written, as on a full disk."""
    unencodable: int = 0
    """Calls that no record could be made of."""
    undecodable: int = 0
    """Lines and spans of spool files that could not be read."""
    unmatched: int = 0
    """Ends of calls that had not begun where they ended."""
    dropped_segments: int = 0
    """Whole spool files that were removed for room before they were taken in."""

    @property
    def calls(self) -> int:
        """Calls that happened and are not recorded."""
        return self.dropped + self.unwritten + self.unencodable


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that one process could not record, and when."""

    process: str
    """Key of the recording process; of another program's spool file, its name."""
    run: str | None
    """Of what ``inspector run`` the process was part."""
    service: str | None
    reason: LossReason
    count: int
    since_ns: int
    until_ns: int
    """It happened between these two times, as far as is known."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One tree of spans, summed up. Sums leave out what is unknown; ``status`` is the root's, else the worst."""

    trace_id: str
    session_id: str | None
    name: str
    kind: Kind
    status: Status
    service: str | None
    agent: str | None
    start_time_unix_nano: str
    end_time_unix_nano: str | None
    duration_ms: float | None
    spans: int
    """All of them, duplicates included; everything else counts calls, each once."""
    calls: int
    errors: int
    """Calls that failed."""
    llm_calls: int
    tool_calls: int
    models: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    """What the priced calls cost; None where none is."""
    unpriced_calls: int
    """Model calls that answered or used tokens, and whose cost is not known."""
    seq: int
    """The largest ``seq`` of its spans."""
    timeline: tuple[TimelineBar, ...] | UnsetType = UNSET
    """Where its time went; absent unless asked for."""
    losses: Losses | UnsetType = UNSET
    """What its processes did not record in its time; absent from lists, and where nothing is missing."""


@dataclass(frozen=True, slots=True)
class OutlineTables:
    """The different values of one page of an outline, for its columns to point at."""

    kind: tuple[Kind, ...]
    status: tuple[Status, ...]
    name: tuple[str, ...]
    agent: tuple[str, ...]
    model: tuple[str, ...]
    tool: tuple[str, ...]
    error_type: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutlineColumns:
    """A value for each event in each column; those named like a table hold positions in it, -1 for none."""

    span_id: Sequence[str]
    parent_id: Sequence[str | None]
    offset_ms: Sequence[float]
    duration_ms: Sequence[float | None]
    kind: Sequence[int]
    status: Sequence[int]
    name: Sequence[int]
    agent: Sequence[int]
    model: Sequence[int]
    tool: Sequence[int]
    error_type: Sequence[int]
    input_tokens: Sequence[int | None]
    output_tokens: Sequence[int | None]
    cached_tokens: Sequence[int | None]
    cost_usd: Sequence[float | None]
    folded_into: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class TraceOutline:
    """A trace summed up, and one page of its structure in the order its events began."""

    trace: Trace
    seq: int
    """The change that all of this is as of."""
    start_time_unix_nano: str
    """What offsets count from: the earliest start of the trace."""
    tables: OutlineTables
    columns: OutlineColumns
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Session:
    """The traces that share a session id, summed up."""

    session_id: str
    status: Status
    start_time_unix_nano: str
    end_time_unix_nano: str | None
    traces: int
    failed_traces: int
    """Those whose status is ``error``."""
    spans: int
    """All of them, duplicates included; everything else counts calls, each once."""
    calls: int
    errors: int
    """Calls that failed."""
    llm_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    """What the priced calls cost; None where none is."""
    unpriced_calls: int
    """Model calls that answered or used tokens, and whose cost is not known."""
    seq: int


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, and where the next ones begin."""

    items: tuple[T, ...]
    next_cursor: str | None = None
    """Opaque; None at the end of the list."""


Sort = Literal["time", "duration", "cost"]
TraceSort = Literal["time", "duration", "cost", "spans", "tokens"]
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
    """Whole, or the class's own name alone; of calls alone (no ``duplicates``) one that none of them has is looked for
    among their duplicates."""
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
    q: str | None = None
    """Words that must all occur in the prompt, answer, arguments, result or error.

    ``"…"`` makes a phrase, a trailing ``*`` a prefix.
    """


StatsOf = Literal["events", "traces"]
"""What figures count: each call once, or each trace once."""
GroupBy = Literal["kind", "model", "tool", "agent", "service", "status", "error_type", "name"]


@dataclass(frozen=True, slots=True)
class StatsGroup:
    """Counts and quantiles of the calls or traces that share a value of the grouped field.

    The errors of calls are those that failed, the errors of traces the failed ones.
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
