"""What a thread inherits from where it is started: the open call, the current request, the session.

An asyncio task begins in a copy of its starter's context, but a thread in an empty one. Only the recorder's own
variables are passed on, so that those of the program are what they would be without us.
"""

from contextvars import Token
from dataclasses import dataclass
from typing import TypeAlias

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context

from inspector import context as session
from inspector.record.calls.current import innermost, make_innermost, unmake_innermost
from inspector.record.calls.sdk_spans import sdk_span_at
from inspector.record.calls.served_request import ServedRequest, current_request, enter_request, leave_request
from inspector.record.calls.spans import RecordedSpan

Entered: TypeAlias = "tuple[Token[RecordedSpan | None], Token[ServedRequest | None], str | None, Token[Context] | None]"
"""The previous state, for `TreePlace.leave`."""


@dataclass(frozen=True, slots=True)
class TreePlace:
    """A place in the tree of calls that another thread can enter."""

    span: RecordedSpan | None
    """The innermost open call."""
    request: ServedRequest | None
    session_id: str | None
    current: trace.Span | None
    """OpenTelemetry's current span, if it is a recorded one."""

    def enter(self) -> Entered:
        """Record calls that begin in this context below this place, until `leave`."""
        entered = make_innermost(self.span), enter_request(self.request), session.get()
        session.set(self.session_id)
        if self.current is None:
            return *entered, None
        return *entered, otel_context.attach(trace.set_span_in_context(self.current, otel_context.get_current()))

    def leave(self, entered: Entered) -> None:
        """Restore the previous state, since a thread of a pool continues with other work."""
        span, request, session_id, current = entered
        if current is not None:
            otel_context.detach(current)
        session.set(session_id)
        leave_request(request)
        unmake_innermost(span)


def here() -> TreePlace | None:
    """Return the place of this context; None if no call, request or session is open."""
    span, request, session_id, sdk_span = innermost(), current_request(), session.get(), sdk_span_at()
    if span is None and request is None and session_id is None and sdk_span is None:
        return None
    current = trace.get_current_span()
    is_recorded = sdk_span is not None or (span is not None and current in (span, span.mirror))
    return TreePlace(span, request, session_id, current if is_recorded else None)
