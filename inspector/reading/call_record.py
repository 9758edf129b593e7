"""What a recorder writes about a call: facts as the hooks gave them, which this package interprets later.

A line of a spool is one JSON object: the process that wrote it, some of its calls, and what was lost since the line
before. A value is kept as the JSON it was captured as. Long texts may be written by their parts (`inspector.parts`).
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Raw, Struct

from inspector.frames import Refers
from inspector.plain import INT64_MAX
from inspector.reading.llm_facts import RequestFacts, ResponseFacts
from inspector.reading.usage import Usage

State: TypeAlias = Literal["running", "ok", "error", "denied", "cancelled", "abandoned"]
"""The state of a call, or how it ended."""
Section: TypeAlias = Literal["before", "after", "extra", "noted", "raw"]
"""The fields of a record that hold captured values, by name."""

TraceId = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
SpanId = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
TimeNs = Annotated[int, Meta(ge=0, le=INT64_MAX)]
"""Nanoseconds since the Unix epoch."""

BEGIN: Final = b'{"process":'
"""The beginning of a line of call records; no OTLP request begins like this."""


class FailureRecord(Struct, omit_defaults=True, gc=False):
    """Why a call failed, or an exception that it survived."""

    type: str
    message: str = ""
    code: str | int | None = None
    is_content: bool = False
    """Whether the message is the answer of a tool."""
    stacktrace: str | None = None
    """None if a result reported the failure, not an exception."""


class EventRecord(Struct, omit_defaults=True, gc=False):
    """What happened during a call."""

    name: str
    at: TimeNs
    facts: dict[str, Raw] = {}
    failure: FailureRecord | None = None


class Read(Struct, omit_defaults=True, gc=False):
    """The facts read from a prompt and its answer before both were left out."""

    request: RequestFacts
    response: ResponseFacts | None = None
    usage: Usage | None = None


class CallRecord(Struct, omit_defaults=True, gc=False):
    """The state of one call. A later record of the same call replaces it."""

    trace: TraceId
    span: SpanId
    noun: str
    """The noun of its hooks: ``tool_call``."""
    start: TimeNs
    stop: TimeNs | None = None
    parent: SpanId | None = None
    state: State = "running"
    call: str | None = None
    """The call id from its emitter."""
    session: str | None = None
    emitter: str | None = None
    """Who emitted the hooks; None is the application."""
    inbound: bool = False
    """Whether it was received rather than sent."""
    agent: str | None = None
    """The innermost agent around it, if the call does not name one."""
    name: str | None = None
    """The name that the program gave it."""
    content: bool = True
    """Whether prompts, answers, arguments and results are recorded."""
    before: dict[str, Raw] = {}
    """The values of its before hook, with the middleware and refusals that the ending hook added."""
    after: dict[str, Raw] | None = None
    """The answer that its ending hook carried; None if there is none, or none yet."""
    extra: dict[str, Raw] = {}
    """Attributes that the program set."""
    noted: dict[str, Raw] = {}
    """Values that functions noted (`dump_state`), always JSON text."""
    raw: dict[str, Raw] = {}
    """Values for a replay, such as the ``exchanges`` that `inspector.reading.exchanges` reads."""
    parts: dict[Section, dict[str, Refers]] = {}
    """Values written as references to parts, by section and key."""
    shortened: dict[Section, list[str]] = {}
    """Keys of values that were shortened."""
    failure: FailureRecord | None = None
    events: list[EventRecord] = []
    links: list[tuple[TraceId, SpanId]] = []
    merged: "list[CallRecord]" = []
    """The requests that this call includes, in the order they began."""
    read: Read | None = None
    """Only for a model call recorded without content."""


class SpoolLine(Struct, omit_defaults=True):
    """One line of a spool."""

    process: dict[str, str | int]
    """Attributes of the resource, as OpenTelemetry names them."""
    calls: tuple[CallRecord, ...] = ()
    lost: dict[str, int] = {}
    """Counts of calls that were not recorded since the previous line."""


class SpoolLineOutline(Struct):
    """A line whose calls are not decoded yet, so that a damaged one does not affect the others."""

    process: dict[str, str | int]
    calls: tuple[Raw, ...] = ()
    lost: dict[str, int] = {}


encode: Final = msgspec.json.Encoder().encode
decode_line: Final = msgspec.json.Decoder(SpoolLine).decode
decode_line_outline: Final = msgspec.json.Decoder(SpoolLineOutline).decode
decode_call: Final = msgspec.json.Decoder(CallRecord).decode
