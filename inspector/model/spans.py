"""A span as the store receives it (`Span`) and as the API serves it (`Event`), and the counts of losses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from inspector.nouns import Kind

Status = Literal["running", "ok", "error", "denied", "cancelled", "abandoned", "lost"]
"""``running`` has not ended; ``abandoned`` never ended although its parent did; ``lost`` never ended because its
process died."""

STATUSES: tuple[Status, ...] = ("running", "ok", "error", "denied", "cancelled", "abandoned", "lost")

AttributeValue: TypeAlias = "str | bool | int | float | Sequence[AttributeValue] | Mapping[str, AttributeValue] | None"
"""A decoded OTLP ``AnyValue``; bytes arrive as base64 text, as in OTLP JSON."""

JsonText = Raw
"""A complete JSON value as encoded text: copied into answers, never parsed on the way."""

LargeField: TypeAlias = "JsonText | UnsetType | None"
"""A field of an event that is only read on request: unset if it was not requested, None if it has no value."""


@dataclass(frozen=True, slots=True)
class SpanError:
    """Why a span failed."""

    type: str | None
    """Exception class or error code, as in the attribute ``error.type``."""
    message: str | None
    traceback: str | None = None

    @property
    def name(self) -> str | None:
        """The class without its module; a code such as ``4.04`` stays whole."""
        name = (self.type or "").rpartition(".")[2]
        return name if name.isidentifier() else self.type


# A struct, because every ingested span becomes one: a frozen dataclass of so many fields costs six times as much.
class Span(Struct, frozen=True, gc=False):
    """One span as the store receives it; a running span has no ``end_ns``."""

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
    """The noun of the hooks that made the span, for example ``tool_call``."""
    dialect: str | None = None
    """The vocabulary with which the attributes were read, for example ``inspector/1``."""
    service: str | None = None
    agent: str | None = None
    model: str | None = None
    """The model that answered, or the requested one if that is not known, or not yet."""
    tool: str | None = None
    end_ns: int | None = None
    input_tokens: int | None = None
    """All input tokens, including those read from a cache."""
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """The input tokens that were read from a cache."""
    cost_usd: float | None = None
    error: SpanError | None = None
    input_key: str | None = None
    """The attribute that contains the input of the call."""
    output_key: str | None = None
    """The attribute that contains the output of the call."""
    attributes: Mapping[str, AttributeValue] = {}
    events: Sequence[Mapping[str, AttributeValue]] = ()
    """Span events, each ``{"name", "time_unix_nano", "attributes"}``."""
    links: Sequence[Mapping[str, AttributeValue]] = ()
    """Span links, each ``{"trace_id", "span_id", "attributes"}``."""
    process: str | None = None
    """The spool (one process of an agent) that the span came from; None if it came another way."""
    run: str | None = None
    """The run that its recorder names, 1 to 64 of ``0-9A-Za-z_-``; if None, the run of its process."""


@dataclass(frozen=True, slots=True)
class Event:
    """One span as the API serves it, in the order of its JSON.

    Large fields (``input``, ``output``, ``attributes``, ``events``, ``links``) are unset unless asked for in full.
    """

    seq: int
    """The number of its last change, from which live listeners resume. Never used twice."""
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
    """The requested model, or the one that answered if the requested one is not known."""
    tool: str | None
    start_time_unix_nano: str
    """A decimal string, like 64-bit integers in OTLP JSON."""
    end_time_unix_nano: str | None
    duration_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    error: SpanError | None
    folded_into: str | None = None
    """The span of the same trace that this one duplicates: the call is counted there, not here."""
    input: LargeField = UNSET
    output: LargeField = UNSET
    attributes: LargeField = UNSET
    events: LargeField = UNSET
    links: LargeField = UNSET


def decoded_field(recorded: LargeField) -> Any:
    """Return the value of a large field; None if it has none, or is nested too deeply."""
    try:
        return msgspec.json.decode(recorded) if isinstance(recorded, Raw) else None
    except (msgspec.DecodeError, RecursionError):
        return None


def attributes_of(event: Event) -> dict[str, Any]:
    """Return the attributes of an event that was read in full; of another, none."""
    return decoded_field(event.attributes) or {}


def ancestors(event: Event, by_id: Mapping[str, Event]) -> Iterator[Event]:
    """Yield the spans above a span, from its parent on; wrong parent ids that form a cycle end the walk."""
    seen = {event.span_id}
    while event.parent_id is not None and event.parent_id in by_id and event.parent_id not in seen:
        event = by_id[event.parent_id]
        seen.add(event.span_id)
        yield event


@dataclass(frozen=True, slots=True)
class ClippedEvent(Event):
    """An event without its longest values."""

    clipped: Mapping[str, int] = field(default_factory=dict[str, int])
    """What was left out, with the length of its JSON in characters.

    ``input``, ``output``, ``attributes.<key>``, ``events.<index>.<key>``, ``links.<index>.<key>``, ``error.message``,
    ``error.traceback``.
    """


LossReason = Literal["dropped", "unwritten", "unencodable", "undecodable", "unmatched", "dropped_segments"]
"""Why something was not recorded; the fields of `Losses` explain each."""

LOSS_REASONS: tuple[LossReason, ...] = (
    *("dropped", "unwritten", "unencodable", "undecodable", "unmatched"),
    "dropped_segments",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What was not recorded, by reason."""

    dropped: int = 0
    """Calls that did not fit into the queue of the writer."""
    unwritten: int = 0
    """Calls that could not be written to the file, for example because the disk was full."""
    unencodable: int = 0
    """Calls that could not be encoded."""
    undecodable: int = 0
    """Lines and spans of spool files that could not be read."""
    unmatched: int = 0
    """Ends of calls that were not open."""
    dropped_segments: int = 0
    """Spool files that were removed to free space before they were ingested."""

    @property
    def calls(self) -> int:
        """Calls that happened but were not recorded."""
        return self.dropped + self.unwritten + self.unencodable


@dataclass(frozen=True, slots=True)
class Loss:
    """What one process failed to record, and when."""

    process: str
    """The key of the recording process, or the name of another program's spool file."""
    run: str | None
    """The ``inspector run`` that the process belongs to."""
    service: str | None
    reason: LossReason
    count: int
    since_ns: int
    until_ns: int
    """It happened between these two times, as far as known."""
