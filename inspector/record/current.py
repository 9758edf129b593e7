"""Which call is the innermost of a context, and what a new call belongs below.

Contexts are never reset by token: a generator that is left early would leak its own. Spans that ended are skipped when
a parent is looked up.
"""

from collections.abc import Iterator
from contextvars import ContextVar, Token

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context

from inspector.record.sdk_spans import identity_of
from inspector.record.spans import RecordedSpan

_innermost: ContextVar[RecordedSpan | None] = ContextVar("inspector_innermost_span", default=None)


def chain(span: RecordedSpan | None) -> Iterator[RecordedSpan]:
    """Walk from a span to the root of what this process recorded above it."""
    while span is not None:
        yield span
        span = span.parent


def enter(span: RecordedSpan) -> None:
    """Make a call the innermost one of this context."""
    _innermost.set(span)
    span.inner = trace.set_span_in_context(span.mirror or span, span.outer)
    otel_context.attach(span.inner)


def above() -> Iterator[RecordedSpan]:
    """Walk from the innermost call of this context upwards, those that ended included."""
    return chain(_innermost.get())


def innermost() -> RecordedSpan | None:
    """Return the innermost call of this context that has not ended; spans of the SDK are no calls."""
    span = _innermost.get()
    while span is not None and (span.is_native or span.is_over()):
        span = span.parent
    return span


def make_innermost(span: RecordedSpan | None) -> Token[RecordedSpan | None]:
    """Make a call of another thread the innermost one here, until that is taken back."""
    return _innermost.set(span)


def unmake_innermost(token: Token[RecordedSpan | None]) -> None:
    """Take `make_innermost` back, in the context that it was called in, whatever is open by then."""
    _innermost.reset(token)


def leave(span: RecordedSpan) -> None:
    """Make what was current before ``span`` current again, unless something else that still runs is by now."""
    inner = _innermost.get()
    while inner is not span:
        if inner is None or inner.stop_ns is None:
            return
        inner = inner.parent
    if span.outer is not None and (otel_context.get_current() is span.inner or _shows_ended()):
        otel_context.attach(span.outer)
    _innermost.set(span.parent)


def _shows_ended() -> bool:
    current = trace.get_current_span()
    return isinstance(current, RecordedSpan) and current.stop_ns is not None


def without_ended(context: Context) -> Context:
    """Return the context that was current before calls that have ended; else each would hold on to the one before."""
    current = trace.get_current_span(context)
    while isinstance(current, RecordedSpan) and current.is_over() and current.outer is not None:
        context = current.outer
        current = trace.get_current_span(context)
    return context


def identity_of_foreign(current: trace.Span) -> trace.SpanContext | None:
    """Return the identity of a span that is somebody else's; None for one of ours and for none."""
    return None if current is trace.INVALID_SPAN or isinstance(current, RecordedSpan) else identity_of(current)


def foreign_parent(current: trace.Span, parent: RecordedSpan | None) -> trace.SpanContext | None:
    """Return the current span where it is somebody else's that a new call belongs below, rather than ``parent``."""
    if current is trace.INVALID_SPAN or isinstance(current, RecordedSpan):
        return None
    identity = identity_of(current)
    if identity is None or parent is None:
        return identity
    if identity.trace_id == parent.trace_id and not identity.is_remote:
        return None
    for span in chain(parent):
        if identity.span_id in (span.span_id, span.parent_id):
            return None
    return identity
