"""Records the spans of the OpenTelemetry SDK unchanged, beside the calls of hooks.

The SDK creates, limits and ends them; our span processor passes them on. Each running span has a node in the tree of
calls, so that the calls of hooks find their parents, and spans of the SDK their sessions. Nodes are found by the ids in
the span's context only, because the current span may be a proxy that turns into something else later.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import trace
from opentelemetry.context import Context

from inspector import context as session
from inspector import semconv as sc
from inspector.record.calls.served_request import leave_out
from inspector.record.calls.spans import RecordedSpan
from inspector.record.values.short_text import short_text
from instrument.signals import is_of_signal

if TYPE_CHECKING:
    # If these spans exist, so does the SDK; the recorder itself does not need it.
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

_MOST_OPEN: Final = 65_536
"""If more spans are open, the oldest are forgotten; they stay in the spool as running."""
_MOST_ENDED: Final = 4096
_MOST_ORIGINS: Final = 1024
_ENTRIES: Final = frozenset((trace.SpanKind.SERVER, trace.SpanKind.CONSUMER))
"""Kinds of spans by which others make this process do something: a request, or a message such as a queue's job."""

_open: OrderedDict[int, "SdkSpan"] = OrderedDict()
"""Running spans by id. There is one for the process, as there is one bus for hooks."""


@dataclass(slots=True, eq=False)
class Origin:
    """The library and provider that created spans."""

    resource: "Resource"
    scope: "InstrumentationScope | None"
    head: bytes = b""
    """The beginning of its lines in the spool, once there is one."""


class SdkSpan(RecordedSpan):
    """A span of the SDK in the tree of calls, with copies of everything that is written of it."""

    is_native = True
    __slots__ = ("attributes", "kind", "linked", "lost", "name", "origin", "run", "sdk_events", "status", "trace_state")

    def __init__(self, span: "ReadableSpan", origin: Origin) -> None:
        identity = span.get_span_context() or trace.INVALID_SPAN_CONTEXT
        super().__init__(
            "", span_id=identity.span_id, trace_id=identity.trace_id, start_ns=span.start_time or 0, start_tick=0
        )
        self.parent_id = span.parent.span_id if span.parent is not None else None
        self.kind = span.kind.value + 1
        """With OTLP's numbers."""
        self.trace_state = identity.trace_state
        self.origin = origin
        self.emitter = None if origin.scope is None else origin.scope.name
        is_entry = span.kind in _ENTRIES and (span.parent is None or span.parent.is_remote)
        self.run = trace.format_trace_id(self.trace_id) if is_entry else None
        self.take(span)

    def take(self, span: "ReadableSpan") -> None:
        """Copy the current values of a span. The values are immutable, but the program may replace them."""
        self.name = span.name
        self.attributes: Mapping[str, Any] = dict(span.attributes or {})
        if self.run is not None:
            # A request or message is its own run, named after its trace, unless its caller is recorded.
            self.attributes = {**self.attributes, sc.RUN_ID: self.run}
        self.sdk_events: Sequence[Event] = span.events
        self.linked: Sequence[trace.Link] = span.links
        self.status = span.status
        self.lost = (span.dropped_attributes, span.dropped_events, span.dropped_links)

    def place(self, parent: RecordedSpan | None) -> None:
        """Place the node below its parent, a call or span of this process."""
        self.parent = parent
        self.session_id = short_text(session.get()) or (None if parent is None else parent.session_id)
        if parent is None:
            return
        # The search for open calls goes through the children.
        if parent.children is None:
            parent.children = set()
        parent.children.add(self)

    def finish(self, span: "ReadableSpan") -> None:
        """Copy the final values of an ended span."""
        self.take(span)
        self.stop_ns = span.end_time or self.start_ns
        if self.parent is not None and self.parent.children is not None and not self.children:
            self.parent.children.discard(self)
        # Last, because the writer's thread takes a final state to mean that the rest is complete.
        self.state = "error" if span.status.status_code is trace.StatusCode.ERROR else "ok"

    def release(self) -> None:
        """Release the copies."""
        super().release()
        self.attributes = {}
        self.sdk_events = self.linked = ()


def sdk_span_at(context: Context | None = None) -> SdkSpan | None:
    """Return the running SDK span that is current in ``context``, by default in the current context."""
    if not _open:
        return None
    identity = identity_of(trace.get_current_span(context))
    span = None if identity is None else _open.get(identity.span_id)
    return span if identity is not None and span is not None and span.trace_id == identity.trace_id else None


def identity_of(span: trace.Span) -> trace.SpanContext | None:
    """Return the context of any span; None if it is not valid or raises."""
    try:
        identity = span.get_span_context()
        is_valid = identity.is_valid
    # The boundary to any library's span.
    except BaseException as error:
        if is_of_signal(error):
            raise
        return None
    return identity if is_valid else None


class SdkSpans:
    """Records the spans from a span processor."""

    def __init__(
        self,
        changed: Callable[[RecordedSpan], None],
        call: Callable[[int], RecordedSpan | None],
        innermost: Callable[[], RecordedSpan | None],
    ) -> None:
        self._changed = changed
        self._call = call
        self._innermost = innermost
        self._origins: dict[tuple[int, int], Origin] = {}
        self._ended: dict[int, object] = {}
        self._ended_before: dict[int, object] = {}

    def start(self, span: "ReadableSpan") -> None:
        """Record that a span has begun, unless another processor of ours has already recorded it."""
        identity = span.get_span_context()
        if identity is None or identity.span_id in _open or _is_ours(span):
            return
        node = SdkSpan(span, self._origin(span))
        node.place(self._parent(node, span.parent))
        if node.run is not None:
            leave_out()
        while len(_open) >= _MOST_OPEN:
            _open.popitem(last=False)
        _open[node.span_id] = node
        self._changed(node)

    def _parent(self, node: SdkSpan, parent: trace.SpanContext | None) -> RecordedSpan | None:
        if parent is None:
            return None
        if not parent.is_remote:
            return _open.get(parent.span_id) or self._call(parent.span_id)
        request = self._innermost()
        if request is None or (request.trace_id, request.parent_id) != (parent.trace_id, parent.span_id):
            return None
        # The server span of a request whose hook began around it: both read the same trace context.
        node.parent_id = request.span_id
        return request

    def end(self, span: "ReadableSpan") -> None:
        """Record an ended span, even if its start was not recorded."""
        identity = span.get_span_context()
        if identity is None or _is_ours(span) or not self._is_first_end(identity.span_id):
            return
        origin = self._origin(span)
        node = _open.pop(identity.span_id, None) or SdkSpan(span, origin)
        # The origin has changed if recording was stopped and started again since.
        node.origin = origin
        node.finish(span)
        self._changed(node)

    def _is_first_end(self, span_id: int) -> bool:
        # Atomic, because two threads may call two processors at once.
        here = object()
        if span_id in self._ended_before or self._ended.setdefault(span_id, here) is not here:
            return False
        if len(self._ended) > _MOST_ENDED:
            self._ended_before, self._ended = self._ended, {}
        return True

    def _origin(self, span: "ReadableSpan") -> Origin:
        key = (id(span.resource), id(span.instrumentation_scope))
        origin = self._origins.get(key)
        if origin is None:
            if len(self._origins) >= _MOST_ORIGINS:
                self._origins.clear()
            # Holds references to both, so that their ids are not reused.
            origin = self._origins[key] = Origin(span.resource, span.instrumentation_scope)
        return origin

    def forget(self) -> None:
        """Leave all running spans to the parent process; called in a forked child."""
        self._ended_before = {**self._ended_before, **dict.fromkeys(_open, None)}
        _open.clear()
        # They include the identity of the writing process.
        self._origins.clear()


def _is_ours(span: "ReadableSpan") -> bool:
    """Tell whether a span is our copy of a call for the application's provider, see ``attach(tracer_provider=...)``."""
    scope = span.instrumentation_scope
    return scope is not None and scope.name == sc.SCOPE_NAME
