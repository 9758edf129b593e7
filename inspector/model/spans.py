"""A span as it is taken in and as it is served, and what was not recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType

from inspector.nouns import Kind

Status = Literal["running", "ok", "error", "denied", "cancelled", "abandoned", "lost"]
"""How a span stands: still open, ended one of four ways, left behind by its parent's end, or by its process."""

STATUSES: tuple[Status, ...] = ("running", "ok", "error", "denied", "cancelled", "abandoned", "lost")

AttributeValue: TypeAlias = "str | bool | int | float | Sequence[AttributeValue] | Mapping[str, AttributeValue] | None"
"""A decoded OTLP ``AnyValue``; bytes arrive as base64 text, as OTLP JSON spells them."""

JsonText = Raw
"""A complete JSON value as encoded text: spliced into answers, never parsed on the way."""

LargeField: TypeAlias = "JsonText | UnsetType | None"
"""A field of an event that is read only where it is asked for: unset where it was not, None where it has no value."""


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
    run: str | None = None
    """The run that its recorder names, 1 to 64 of ``0-9A-Za-z_-``; without it that of its process."""


@dataclass(frozen=True, slots=True)
class Event:
    """One span as the API serves it, in the order of its JSON.

    Large fields (``input``, ``output``, ``attributes``, ``events``, ``links``) are unset unless asked for in full.
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
    input: LargeField = UNSET
    output: LargeField = UNSET
    attributes: LargeField = UNSET
    events: LargeField = UNSET
    links: LargeField = UNSET


@dataclass(frozen=True, slots=True)
class ClippedEvent(Event):
    """An event without its longest values."""

    clipped: Mapping[str, int] = field(default_factory=dict[str, int])
    """What was left out, with the length of its JSON in characters.

    ``input``, ``output``, ``attributes.<key>``, ``events.<index>.<key>``, ``links.<index>.<key>``, ``error.message``,
    ``error.traceback``.
    """


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
