"""The first request of each connection, below which what comes while nothing is open is shown."""

from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any
from weakref import WeakKeyDictionary

from opentelemetry import context as otel_context
from opentelemetry import trace

from inspector.record.calls.current import innermost

_first: WeakKeyDictionary[Any, trace.SpanContext] = WeakKeyDictionary()
"""By the SDK's object that both directions of a connection share."""


def note_first(peer: Any) -> None:
    """Note the request that was just opened, if it is the first: `initialize`, unless the revision has none."""
    span = innermost()
    # A connection for one request has an object without identity.
    with suppress(TypeError):
        if span is not None and peer not in _first:
            _first[peer] = trace.SpanContext(span.trace_id, span.span_id, is_remote=False)


def below_first(peer: Any) -> Context | None:
    """Return a context below the first request of a connection; None if something else is open here."""
    with suppress(TypeError):
        if innermost() is None and (first := _first.get(peer)) is not None:
            context = copy_context()
            context.run(otel_context.attach, trace.set_span_in_context(trace.NonRecordingSpan(first)))
            return context
    return None
