"""The innermost call of a context, and the parent of a new call.

Contexts are never reset by token, since a generator that is abandoned would leave its own behind. Instead, ended spans
are skipped when a parent is looked up.
"""

from collections.abc import Iterator
from contextvars import ContextVar, Token

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context

from inspector.record.calls.sdk_spans import identity_of
from inspector.record.calls.spans import Identity, RecordedSpan

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


def current_chain() -> Iterator[RecordedSpan]:
    """Walk from the innermost call of this context upwards, including ended ones."""
    return chain(_innermost.get())


def innermost() -> RecordedSpan | None:
    """Return the innermost call of this context that has not ended; spans of the SDK are not calls."""
    span = _innermost.get()
    while span is not None and (span.is_native or span.is_over()):
        span = span.parent
    return span


def make_innermost(span: RecordedSpan | None) -> Token[RecordedSpan | None]:
    """Make a call of another thread the innermost one here, until `unmake_innermost`."""
    return _innermost.set(span)


def unmake_innermost(token: Token[RecordedSpan | None]) -> None:
    """Undo `make_innermost`, in the same context, whatever is open by then."""
    _innermost.reset(token)


def leave(span: RecordedSpan) -> None:
    """Restore what was current before ``span``, unless something else that is still open is current by now."""
    inner = _innermost.get()
    while inner is not span:
        if inner is None or inner.stop_ns is None or inner.is_outliving:
            return
        inner = inner.parent
    if span.outer is not None and (otel_context.get_current() is span.inner or _shows_ended()):
        otel_context.attach(span.outer)
    _innermost.set(span.parent)


def current_span(context: Context | None = None) -> trace.Span:
    """Return the current span: the ended call itself, if a span without a provider has its identity.

    Libraries may leave such a span current, if they make it in a generator.
    """
    current = trace.get_current_span(context)
    identity = identity_of(current) if isinstance(current, trace.NonRecordingSpan) else None
    return identity.span if isinstance(identity, Identity) and identity.span.is_over() else current


def _shows_ended() -> bool:
    current = current_span()
    return isinstance(current, RecordedSpan) and current.stop_ns is not None and not current.is_outliving


def without_ended(context: Context) -> Context:
    """Return the context from before any ended calls; otherwise each context would keep the previous one alive."""
    current = current_span(context)
    while isinstance(current, RecordedSpan) and current.is_over() and current.outer is not None:
        context = current.outer
        current = current_span(context)
    return context


def identity_of_foreign(current: trace.Span) -> trace.SpanContext | None:
    """Return the identity of a span that is not ours; None for our own and for no span."""
    return None if current is trace.INVALID_SPAN or isinstance(current, RecordedSpan) else identity_of(current)


def foreign_parent(current: trace.Span, parent: RecordedSpan | None) -> trace.SpanContext | None:
    """Return the current span if it is not ours and a new call belongs below it rather than below ``parent``."""
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
