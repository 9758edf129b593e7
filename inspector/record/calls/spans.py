"""The recorder's running spans: OpenTelemetry spans without an SDK.

They implement ``Span`` of the OpenTelemetry API, so ``trace.get_current_span()``, W3C propagation and the application's
own spans see them. They keep only what the spool needs, so creating one costs a fraction of an SDK span.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from time import perf_counter_ns, time_ns
from typing import Any, Final, Protocol, TypeAlias

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.util import types

from inspector.nouns import NOUNS
from inspector.plain import Limits, Plain, fitting_key
from inspector.reading.call_record import State
from inspector.record.values.attributes import read
from inspector.record.values.failures import TracebackFrame, error_text, frames
from inspector.record.values.layouts import type_name
from inspector.record.values.short_text import short_text
from inspector.record.values.snapshot import snapshot

_MOST_NOTES = 256
_MOST_EVENTS = 1000
_EVENT_LIMITS = Limits(depth=8, items=200, text_chars=32_768)
"""Smaller than for values, since a span may have many events, and all have to fit into one line of the spool."""

_SAMPLED = trace.TraceFlags(trace.TraceFlags.SAMPLED)


class Clock:
    """Wall-clock starts and monotonic durations, in nanoseconds."""

    def now_ns(self) -> int:
        """Return the time since the Unix epoch."""
        return time_ns()

    def tick_ns(self) -> int:
        """Return a reading that only ever grows; differences of it are durations."""
        return perf_counter_ns()


class Ids:
    """Random span and trace ids from a generator of our own, which an application's ``random.seed`` cannot repeat."""

    def __init__(self) -> None:
        self.reseed()

    def reseed(self) -> None:
        """Start over from the system's entropy; a forked child must not repeat its parent's ids."""
        self._bits = Random(os.urandom(16)).getrandbits  # noqa: S311 - ids are not secrets

    def span_id(self) -> int:
        """Return a new id of 64 bits, never 0, which the specification calls invalid."""
        return self._bits(64) or 1

    def trace_id(self) -> int:
        """Return a new id of 128 bits, never 0."""
        return self._bits(128) or 1


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call failed, copied when its hook fired; it does not refer to the exception."""

    type: str
    """Exception class, with its module unless it is a builtin; or an error code."""
    message: str
    frames: tuple[TracebackFrame, ...] | None = None
    """The traceback; None if a result reported the failure, and not an exception."""
    code: str | int | None = None

    @property
    def is_content(self) -> bool:
        """Whether the message is from a tool's result, and so is recorded only if content is on."""
        return self.type == TOOL_ERROR


RUNS: Final = frozenset(noun.name for noun in NOUNS.values() if noun.is_run)
"""Nouns of spans that are runs."""
STATE_EVENT: Final = "dump_state"
TOOL_ERROR = "tool_error"
"""The type of a failure that a tool result's error flag reports, as in OpenTelemetry's MCP conventions."""


def failure_of(exc: BaseException) -> Failure:
    """Return what is recorded about an exception; never raises, whatever the exception does."""
    name = type_name(type(exc))
    code = read(exc, "code") or read(read(exc, "error"), "code")
    return Failure(name, error_text(exc), frames(exc), _code(code))


def _code(code: object) -> str | int | None:
    plain = snapshot(code) if isinstance(code, str | int) else None
    return plain if isinstance(plain, str | int) else None


def _name_of(key: object) -> str:
    # Called through OpenTelemetry's API, so the program may pass anything.
    return fitting_key(key if type(key) is str else short_text(key) or type_name(type(key)))


Links: TypeAlias = tuple[trace.SpanContext, ...]
Event: TypeAlias = tuple[str, int, dict[str, Plain], Failure | None]
"""A span event: name, nanoseconds since the epoch, attributes, and the exception that it reports."""


class OpenCalls(Protocol):
    """The open calls of one task, as `inspector.record.calls.tasks` keeps them."""

    open: "dict[int, RecordedSpan]"

    def is_over(self) -> bool:
        """Tell whether the task is done."""
        ...


class Identity(trace.SpanContext):
    """The identity of a call, which knows the call: a tracer without a provider makes spans of what was current."""

    span: "RecordedSpan"

    def __reduce__(self) -> tuple[type[trace.SpanContext], tuple[Any, ...]]:
        """Copy the identity alone, into other processes too."""
        return trace.SpanContext, self.__getnewargs__()


class RecordedSpan(trace.Span):
    """One call in progress. Ended exactly once for good; ``abandoned`` may still be followed by the real end."""

    is_native = False
    """Whether it is a span of the OpenTelemetry SDK, which no hook began or ends."""
    __slots__ = (
        "after",
        "before",
        "call_id",
        "children",
        "direction",
        "emitter",
        "events",
        "extra",
        "failure",
        "identity",
        "inner",
        "into",
        "is_ending",
        "is_outliving",
        "is_quiet",
        "is_waiting",
        "links",
        "merged",
        "mirror",
        "noted",
        "noun",
        "outer",
        "parent",
        "parent_id",
        "raw",
        "rename",
        "session_id",
        "span_id",
        "start_ns",
        "start_tick",
        "state",
        "states",
        "stop_ns",
        "strand",
        "subject",
        "task",
        "trace_id",
        "weight",
        "written",
    )

    def __init__(self, noun: str, *, span_id: int, start_ns: int, start_tick: int, trace_id: int = 0) -> None:
        self.noun = noun
        self.trace_id = trace_id
        self.span_id = span_id
        self.start_ns = start_ns
        self.start_tick = start_tick
        self.stop_ns: int | None = None
        self.state: State = "running"
        self.parent: RecordedSpan | None = None
        self.parent_id: int | None = None
        self.identity: object = None
        self.subject: int | None = None
        """The ``id()`` of the callee, if that is an object."""
        self.task: OpenCalls | None = None
        """The task that the call began in, if the call has to end with it."""
        self.strand = 0  # of `inspector.record.calls.tasks.strand`
        self.is_outliving = False
        """Whether it goes on in its own task or thread, although the call above it has ended."""
        self.is_ending = False
        """Whether its end hook is running; until it has finished, attributes are accepted whatever the state."""
        self.is_quiet = False
        """Whether it is not announced until a call below it begins."""
        self.call_id: str | None = None
        self.session_id: str | None = None
        self.direction = "outbound"
        self.emitter: str | None = None
        """Who emitted the hooks; None for the application."""
        self.before: dict[str, Plain] = {}
        self.after: dict[str, Plain] | None = None
        self.raw: dict[str, Any] | None = None
        """What a replay returns: ``result`` or ``error`` in the form of `inspector.record.capture.results`, and for a
        model call ``exchanges``, the `inspector.record.capture.exchanges.Exchange` of each attempt."""
        self.extra: dict[str, Plain] | None = None  # what the program set
        self.noted: dict[str, Plain] | None = None  # what functions noted, see `inspector.record.manual.state_dumps`
        self.states: list[tuple[str, int, dict[str, Plain]]] | None = None
        """Which functions set the values in ``noted``, and when."""
        self.events: list[Event] | None = None
        self.failure: Failure | None = None
        self.links: Links = ()
        self.children: set[RecordedSpan] | None = None
        self.merged: list[RecordedSpan] | None = None
        self.into: RecordedSpan | None = None
        self.mirror: trace.Span | None = None
        self.outer: Context | None = None
        self.inner: Context | None = None
        self.rename: str | None = None
        self.written: State | None = None
        """The state in which it was last written to the spool."""
        self.is_waiting = False  # in the writer's queue
        self.weight = 0  # of the queue's room

    def release(self) -> None:
        """Release the captured values, since contexts may keep the span itself alive for long."""
        self.before = {}
        self.inner = self.task = None
        self.after = self.raw = self.extra = self.noted = self.states = self.events = self.failure = self.merged = None
        # Open calls below an ended span of the SDK must still be found by the call above it.
        if not self.is_native:
            self.children = None

    def is_recording(self) -> bool:
        """Tell whether attributes and events are still accepted."""
        return self.stop_ns is None or self.is_ending

    def is_over(self) -> bool:
        """Tell whether new calls are not below it any more: it has ended, or its task has without an end hook."""
        if self.stop_ns is not None:
            return not self.is_outliving
        return self.task is not None and self.task.is_over()

    def get_span_context(self) -> trace.SpanContext:
        """Return the identity that propagators inject and children refer to."""
        identity = Identity(self.trace_id, self.span_id, is_remote=False, trace_flags=_SAMPLED)
        object.__setattr__(identity, "span", self)
        return identity

    def set_attribute(self, key: str, value: types.AttributeValue) -> None:
        """Set an attribute that the application chose."""
        self.note(key, value)

    def set_attributes(self, attributes: Mapping[str, types.AttributeValue]) -> None:
        """Set several attributes that the application chose."""
        for key, value in attributes.items():
            self.note(key, value)

    def note(self, key: str, value: object) -> None:
        """Record a copy of ``value`` under ``key``; anything but a scalar or a list of them becomes JSON text."""
        if self.stop_ns is None or self.is_ending:
            extra = self.extra
            if extra is None:
                extra = self.extra = {}
            if len(extra) < _MOST_NOTES:
                extra[_name_of(key)] = snapshot(value)

    def note_state(self, function: str, values: Mapping[str, object]) -> None:
        """Record copies as JSON text, each under its key; replaced values become span events with their own time."""
        if not values or not self.is_recording():
            return
        state = {_name_of(key): snapshot(value) for key, value in values.items()}
        noted = dict(self.noted or {})
        kept: list[tuple[str, int, dict[str, Plain]]] = []
        for earlier in self.states or ():
            name, at_ns, left = earlier
            if name != function and not left.keys() & state.keys():
                kept.append(earlier)
                continue
            self.record_event(STATE_EVENT, {"function": name, **left}, at_ns)
            if name == function:
                noted = {key: plain for key, plain in noted.items() if key not in left}
        if len(noted) < _MOST_NOTES:
            self.states = [*kept, (_name_of(function), time_ns(), state)]
            self.noted = noted | state

    def add_event(self, name: str, attributes: types.Attributes = None, timestamp: int | None = None) -> None:
        """Record that something happened during this call; ``timestamp`` is in nanoseconds since the epoch."""
        self.record_event(name, dict(attributes or {}), timestamp)

    def record_event(
        self, name: str, attributes: dict[str, Any], at_ns: int | None = None, failure: Failure | None = None
    ) -> None:
        """Record an event with attributes of any type, and the exception that it reports."""
        if self.stop_ns is None or self.is_ending:
            events = self.events
            if events is None:
                events = self.events = []
            if len(events) < _MOST_EVENTS:
                plain = {_name_of(key): snapshot(value, _EVENT_LIMITS) for key, value in attributes.items()}
                events.append((_name_of(name), at_ns or time_ns(), plain, failure))

    def update_name(self, name: str) -> None:
        """Change the name of this call."""
        self.rename = short_text(name)

    def set_status(self, status: trace.Status | trace.StatusCode, description: str | None = None) -> None:
        """Do nothing: the hooks determine the status."""

    def record_exception(
        self,
        exception: BaseException,
        attributes: types.Attributes = None,
        timestamp: int | None = None,
        escaped: bool = False,  # noqa: FBT001, FBT002 - the signature is OpenTelemetry's
    ) -> None:
        """Record an exception that the application handled; it does not decide the status."""
        cls = type(exception)
        facts: dict[str, Any] = {"exception.type": cls.__qualname__, "exception.message": error_text(exception)}
        self.record_event("exception", {**facts, **(attributes or {}), "exception.escaped": escaped}, timestamp)

    def end(self, end_time: int | None = None) -> None:
        """Do nothing: the hooks end the call, even if the application ends the current span."""
