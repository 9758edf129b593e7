"""Spans that a program or one of its libraries starts itself, through the OpenTelemetry API.

They are recorded as they are told: no hook stands behind them, so nothing of ours is added but the session. Where a
hook has opened a span for the very same call, what the library says of it is added to that span instead.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.util import types

from inspector import context as session
from inspector import semconv as sc
from inspector.record.calls import chain, innermost
from inspector.record.capture import label
from inspector.record.failures import error_text, format_traceback, frames
from inspector.record.layouts import type_name
from inspector.record.plain import Limits, Plain, well_formed
from inspector.record.spans import Clock, Ids, RecordedSpan
from inspector.record.values import snapshot

_MOST_ATTRIBUTES: Final = 1024
_MOST_EVENTS: Final = 1024
_EVENT_LIMITS: Final = Limits(depth=8, items=200, text_chars=32_768)

Attributes: TypeAlias = dict[str, Plain]
Links: TypeAlias = Sequence[trace.Link] | None


@dataclass(frozen=True, slots=True)
class Scope:
    """The library that starts spans, as it told the provider."""

    name: str
    version: str | None = None
    attributes: tuple[tuple[str, Plain], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Start:
    """What a span is started with."""

    name: str
    kind: trace.SpanKind
    attributes: Mapping[str, Any]
    links: Links
    start_ns: int | None


class NativeSpan(RecordedSpan):
    """A span of the OpenTelemetry API (https://opentelemetry.io/docs/specs/otel/trace/api/#span)."""

    is_native = True
    __slots__ = ("_changed", "_clock", "attributes", "kind", "linked", "message", "name", "scope", "status", "traced")

    def __init__(
        self, start: Start, scope: Scope, ids: Ids, clock: Clock, changed: Callable[[RecordedSpan], None]
    ) -> None:
        super().__init__(
            "", span_id=ids.span_id(), start_ns=start.start_ns or clock.now_ns(), start_tick=clock.tick_ns()
        )
        self._clock = clock
        self._changed = changed
        self.name = well_formed(str(start.name))
        self.kind = start.kind.value + 1
        """As OTLP numbers it."""
        self.scope = scope
        self.attributes: Attributes = {}
        self.linked: list[tuple[trace.SpanContext, Attributes]] = []
        self.status = trace.StatusCode.UNSET
        self.message: str | None = None
        self.traced = trace.SpanContext(0, 0, is_remote=False)
        for key, value in start.attributes.items():
            self.set_attribute(key, value)
        for link in start.links or ():
            self.add_link(link.context, link.attributes)

    def place(self, above: trace.Span, ids: Ids) -> None:
        """Put the span below another one, whoever's it is, or at the beginning of a trace."""
        found = above.get_span_context()
        flags = trace.TraceFlags(trace.TraceFlags.SAMPLED)
        state = None
        if found.is_valid:
            self.trace_id, self.parent_id, flags, state = (
                found.trace_id,
                found.span_id,
                found.trace_flags,
                found.trace_state,
            )
        else:
            self.trace_id = ids.trace_id()
        self.parent = above if isinstance(above, RecordedSpan) else None
        self.traced = trace.SpanContext(
            self.trace_id, self.span_id, is_remote=False, trace_flags=flags, trace_state=state
        )
        self.session_id = label(session.get()) or next(
            (each.session_id for each in chain(self.parent) if each.session_id), None
        )
        if self.parent is not None:
            # Found there when a call that is left open below is looked for.
            if self.parent.children is None:
                self.parent.children = set()
            self.parent.children.add(self)

    def get_span_context(self) -> trace.SpanContext:
        """Return the identity that propagators inject and children refer to."""
        return self.traced

    def set_attribute(self, key: str, value: types.AttributeValue) -> None:
        """Set an attribute; a later value wins."""
        if self.stop_ns is None and key and (len(self.attributes) < _MOST_ATTRIBUTES or key in self.attributes):
            self.attributes[well_formed(str(key))] = snapshot(value)

    def set_attributes(self, attributes: Mapping[str, types.AttributeValue]) -> None:
        """Set several attributes."""
        for key, value in attributes.items():
            self.set_attribute(key, value)

    def add_link(self, context: trace.SpanContext, attributes: types.Attributes = None) -> None:
        """Tell of another span that this one has to do with."""
        if self.stop_ns is None and len(self.linked) < _MOST_EVENTS:
            self.linked.append((context, _plain(attributes)))

    def update_name(self, name: str) -> None:
        """Give the span another name."""
        if self.stop_ns is None:
            self.name = well_formed(str(name))

    def set_status(self, status: trace.Status | trace.StatusCode, description: str | None = None) -> None:
        """Set how the operation went: ``OK`` is final, and nothing unsets what was set."""
        if isinstance(status, trace.Status):
            code, said = status.status_code, status.description
        else:
            code, said = status, description
        if self.stop_ns is None and self.status is not trace.StatusCode.OK and code is not trace.StatusCode.UNSET:
            self.status = code
            self.message = well_formed(said[:10_000]) if said and code is trace.StatusCode.ERROR else None

    def record_exception(
        self,
        exception: BaseException,
        attributes: types.Attributes = None,
        timestamp: int | None = None,
        escaped: bool = False,  # noqa: FBT001, FBT002 - the signature is OpenTelemetry's
    ) -> None:
        """Add an event that tells of an exception."""
        if self.stop_ns is None:
            said: dict[str, Any] = {
                **exception_facts(exception),
                "exception.escaped": str(escaped),
                **(attributes or {}),
            }
            self.happened(sc.EXCEPTION_EVENT, said, timestamp)

    def end(self, end_time: int | None = None) -> None:
        """End the span, once: what is said later is not recorded."""
        if self.stop_ns is not None:
            return
        elapsed_ns = max(0, self._clock.tick_ns() - self.start_tick)
        self.stop_ns = end_time if end_time is not None else self.start_ns + elapsed_ns
        self.state = "error" if self.status is trace.StatusCode.ERROR else "ok"
        if self.parent is not None and self.parent.children is not None and not self.children:
            self.parent.children.discard(self)
        self._changed(self)

    def release(self) -> None:
        """Let go of what was told."""
        super().release()
        self.attributes = {}
        self.linked = []


class EnrichingSpan(trace.Span):
    """What a library gets for a call that a hook has told of: it adds to that call's span, and ends nothing."""

    def __init__(self, call: RecordedSpan, start: Start) -> None:
        self.call = call
        self._has_ended = False
        call.native = _plain(start.attributes)

    def get_span_context(self) -> trace.SpanContext:
        """Return the identity of the call's span."""
        return (self.call.mirror or self.call).get_span_context()

    def is_recording(self) -> bool:
        """Tell whether attributes and events are still taken."""
        return not self._has_ended and self.call.is_recording()

    def set_attribute(self, key: str, value: types.AttributeValue) -> None:
        """Add an attribute, which gives way to what the hook says."""
        found = self.call.native
        if self.is_recording() and found is not None and len(found) < _MOST_ATTRIBUTES:
            found[well_formed(str(key))] = snapshot(value)

    def set_attributes(self, attributes: Mapping[str, types.AttributeValue]) -> None:
        """Add several attributes, which give way to what the hook says."""
        for key, value in attributes.items():
            self.set_attribute(key, value)

    def add_event(self, name: str, attributes: types.Attributes = None, timestamp: int | None = None) -> None:
        """Add an event to the call's span."""
        if self.is_recording():
            self.call.add_event(name, attributes, timestamp)

    def add_link(self, context: trace.SpanContext, attributes: types.Attributes = None) -> None:
        """Add a link to the call's span."""
        del attributes
        if self.is_recording() and context.is_valid:
            self.call.links = (*self.call.links, context)

    def update_name(self, name: str) -> None:
        """Leave the name to the hook."""

    def set_status(self, status: trace.Status | trace.StatusCode, description: str | None = None) -> None:
        """Leave the status to the hook, which knows how the call ended."""

    def record_exception(
        self,
        exception: BaseException,
        attributes: types.Attributes = None,
        timestamp: int | None = None,
        escaped: bool = False,  # noqa: FBT001, FBT002 - the signature is OpenTelemetry's
    ) -> None:
        """Leave what ended the call to the hook."""

    def end(self, end_time: int | None = None) -> None:
        """Take nothing more; the hook ends the call."""
        del end_time
        self._has_ended = True


def exception_facts(exception: BaseException) -> dict[str, str]:
    """Return what OpenTelemetry's conventions record of an exception; never raises, whatever the exception does."""
    name, message = type_name(type(exception)), error_text(exception)
    return {
        sc.EXCEPTION_TYPE: name,
        sc.EXCEPTION_MESSAGE: message,
        sc.EXCEPTION_STACKTRACE: format_traceback(name, message, frames(exception)),
    }


def _plain(attributes: Mapping[str, Any] | None) -> Attributes:
    found: Attributes = {}
    for key, value in (attributes or {}).items():
        if len(found) >= _MOST_ATTRIBUTES:
            break
        found[well_formed(str(key))] = snapshot(value, _EVENT_LIMITS)
    return found


class Natives:
    """Starts the spans of one recorder's process.

    Args:
        changed: Told of every span that began or ended.
        clock: Where times come from.
        ids: Where ids come from.
    """

    def __init__(self, changed: Callable[[RecordedSpan], None], clock: Clock, ids: Ids) -> None:
        self._changed = changed
        self._clock = clock
        self._ids = ids

    def start(self, start: Start, scope: Scope, context: Context | None) -> trace.Span:
        """Start a span below the current one of ``context``; None is the context of here and now."""
        above = trace.get_current_span(context)
        call = _told_of_already(above, start)
        if call is not None:
            return EnrichingSpan(call, start)
        if isinstance(above, EnrichingSpan):
            above = above.call
        span = NativeSpan(start, scope, self._ids, self._clock, self._changed)
        span.place(above, self._ids)
        self._changed(span)
        return span


_MODEL_OPERATIONS: Final = frozenset({"chat", "text_completion", "generate_content", "embeddings", "completion"})
_METHODS: Final = {"resource_fetch": "resources/read", "prompt_apply": "prompts/get"}


def _told_of_already(above: trace.Span, start: Start) -> RecordedSpan | None:
    """Return the innermost call where it is what the new span stands for as well."""
    call = above if isinstance(above, RecordedSpan) else _beside(above)
    if call is None or call.is_native or call.native is not None or not call.is_recording():
        return None
    return call if _is_the_same(call, start) else None


def _beside(above: trace.Span) -> RecordedSpan | None:
    """Return the open call that has the same parent in another process, as a server's has."""
    call, found = innermost(), above.get_span_context()
    if call is not None and found.is_valid and (call.trace_id, call.parent_id) == (found.trace_id, found.span_id):
        return call
    return None


def _is_the_same(call: RecordedSpan, start: Start) -> bool:
    facts, said = call.before, start.attributes
    operation = said.get(sc.OPERATION_NAME) or said.get("llm.request.type")
    method = said.get(sc.MCP_METHOD_NAME)
    match call.noun:
        case "rpc_request":
            envelope = facts.get("envelope")
            side = trace.SpanKind.SERVER if call.direction == "inbound" else trace.SpanKind.CLIENT
            return (
                isinstance(envelope, dict)
                and start.kind is side
                and method is not None
                and method == envelope.get("method")
            )
        case "tool_call":
            is_tool = operation == "execute_tool" or method == "tools/call"
            return is_tool and _is_named(facts.get("name"), said.get(sc.TOOL_NAME))
        case "llm_generate":
            model = said.get(sc.REQUEST_MODEL)
            return operation in _MODEL_OPERATIONS and (model is None or facts.get("model") in (None, model))
        case "agent_call":
            return operation == "invoke_agent" and _is_named(facts.get("name"), said.get(sc.AGENT_NAME))
        case "workflow_run":
            return operation == "invoke_workflow" and _is_named(facts.get("name"), said.get(sc.WORKFLOW_NAME))
        case noun:
            return method is not None and method == _METHODS.get(noun)


def _is_named(known: Plain, said: object) -> bool:
    """Compare names; that of a tool may begin with its server's."""
    return said is None or known == said or (isinstance(known, str) and isinstance(said, str) and known.endswith(said))
