"""Trace context in ``params._meta``: a request names its span, and the receiver finds it there.

The keys are reserved, unprefixed, by the MCP specification of 2026-07-28 (SEP-414). Where the application exports spans
of its own, ``traceparent`` names one of those and has to stay: then our span is a member of ``tracestate``, which is
where W3C Trace Context has each tracing system leave its own position.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from opentelemetry import baggage, trace
from opentelemetry import context as otel_context
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from inspector import context, semconv
from inspector.logger import logger
from inspector.record.calls.current import innermost
from inspector.record.calls.sdk_spans import sdk_span_at
from instrument.signals import is_of_signal

_W3C: Final = TraceContextTextMapPropagator()
_BAGGAGE: Final = W3CBaggagePropagator()
_MEMBER: Final = "inspector"
_SPAN_ID_DIGITS: Final = 16
_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)")
"""https://www.w3.org/TR/trace-context/#traceparent-header-field-values"""

Meta = Mapping[str, Any]


def carry(meta: dict[str, Any]) -> None:
    """Put the innermost recorded span into ``_meta``, unless that already belongs to another trace."""
    try:
        _carry(meta)
    # The border to the SDK: a request must be sent, whatever the program put into its ``_meta``.
    except Exception as error:
        if is_of_signal(error):
            raise
        logger.debug("a request carries no trace context", exc_info=True)


def _carry(meta: dict[str, Any]) -> None:
    # If OpenTelemetry spans are recorded, the SDK's own span of the request is too.
    span = sdk_span_at() or innermost()
    if span is None:
        return
    ours = span.get_span_context()
    if not _names_a_span(meta):
        _W3C.inject(meta, trace.set_span_in_context(trace.NonRecordingSpan(ours)))
        return
    trace_id, span_id = trace.format_trace_id(ours.trace_id), trace.format_span_id(ours.span_id)
    _, named_trace, named_span, _ = meta["traceparent"].split("-", 3)
    if named_trace == trace_id and named_span != span_id:
        meta["tracestate"] = _named_by(meta).trace_state.update(_MEMBER, span_id).to_header()


def named_for_us(meta: Meta) -> dict[str, Any] | None:
    """Return ``_meta`` with the sender's recorded span as ``traceparent``, if it names one besides another span."""
    if f"{_MEMBER}=" not in str(meta.get("tracestate", "")) or not _names_a_span(meta):
        return None
    carrier: dict[str, Any] = {}
    _W3C.inject(carrier, trace.set_span_in_context(trace.NonRecordingSpan(_recorded(_named_by(meta)))))
    return {**meta, "traceparent": carrier["traceparent"]}


def caller_in(headers: Meta) -> trace.SpanContext | None:
    """Return the calling span from the headers of an HTTP request, preferably ours."""
    return _recorded(_named_by(headers)) if _names_a_span(headers) else None


class Surroundings:
    """The context for handling a request: its sender's trace and session, from ``_meta`` or else the HTTP headers."""

    __slots__ = ("_outer", "_session")

    def __init__(self, meta: Meta, headers: Callable[[], Meta | None]) -> None:
        self._outer: otel_context.Context | None = None
        self._session = _session_of(meta)
        if not _names_a_span(meta) and _names_a_span(sent := headers() or {}):
            self._outer = otel_context.get_current()
            otel_context.attach(trace.set_span_in_context(trace.NonRecordingSpan(_recorded(_named_by(sent)))))
        if self._session is not None:
            context.set(self._session)

    def leave(self) -> None:
        """Restore the previous context, since the task may continue with other requests."""
        if self._outer is not None:
            otel_context.attach(self._outer)
        if self._session is not None and context.get() == self._session:
            context.set(None)


def _session_of(meta: Meta) -> str | None:
    if context.get() is not None or not isinstance(meta.get("baggage"), str):
        return None
    session_id = baggage.get_baggage(semconv.SESSION_ID, _BAGGAGE.extract({"baggage": meta["baggage"]}))
    return session_id if isinstance(session_id, str) else None


def _names_a_span(carrier: Meta) -> bool:
    traceparent = carrier.get("traceparent")
    return isinstance(traceparent, str) and _TRACEPARENT.match(traceparent) is not None


def _named_by(carrier: Meta) -> trace.SpanContext:
    texts = {key: value for key in ("traceparent", "tracestate") if isinstance(value := carrier.get(key), str)}
    return trace.get_current_span(_W3C.extract(texts, otel_context.Context())).get_span_context()


def _recorded(named: trace.SpanContext) -> trace.SpanContext:
    member = named.trace_state.get(_MEMBER, "")
    try:
        span_id = int(member, 16) if len(member) == _SPAN_ID_DIGITS else 0
    except ValueError:
        span_id = 0
    return trace.SpanContext(named.trace_id, span_id or named.span_id, is_remote=True, trace_flags=named.trace_flags)
