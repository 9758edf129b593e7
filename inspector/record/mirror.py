"""Mirrors calls as spans of the application's own provider, without content."""

from opentelemetry import trace

from inspector.logger import logger
from inspector.reading.call_record import decode_call
from inspector.reading.describe import describe
from inspector.record.calls.spans import RecordedSpan
from inspector.record.lines.call_writer import CallWriter
from inspector.record.lines.texts import Texts
from instrument.signals import is_of_signal


class Mirror:
    """Creates a span of the application's tracer for each call."""

    def __init__(self, tracer: trace.Tracer, texts: Texts) -> None:
        self._tracer = tracer
        self._writer = CallWriter(texts.without_content())
        self._has_failed = False

    def begin(self, span: RecordedSpan) -> None:
        """Start the span of a call; the call gets its ids."""
        try:
            above = None if span.parent is None or span.parent.noun != "request" else span.parent.mirror
            # A request's span is not current anywhere.
            around = None if above is None else trace.set_span_in_context(above)
            mirror = self._tracer.start_span(span.noun, context=around, start_time=span.start_ns)
            identity = mirror.get_span_context()
            if identity.is_valid:
                span.mirror, span.trace_id, span.span_id = mirror, identity.trace_id, identity.span_id
        except BaseException as exc:  # the boundary to the application's provider, which must not affect our record
            if is_of_signal(exc):
                raise
            self._failed(exc)

    def end(self, span: RecordedSpan, mirror: trace.Span) -> None:
        """End the span, with what is known about the call by now."""
        try:
            facts = self._writer.careful(span, span.state)
            call = decode_call(self._writer.record(span, span.state, facts))
            description = describe(call)
            mirror.update_name(description.name)
            for key, value in description.attributes.items():
                mirror.set_attribute(key, value)
            if call.failure is not None and call.state == "error":
                mirror.set_status(trace.StatusCode.ERROR, call.failure.message or None)
            mirror.end(span.stop_ns)
        except BaseException as exc:  # as above
            if is_of_signal(exc):
                raise
            self._failed(exc)

    def _failed(self, exc: BaseException) -> None:
        if not self._has_failed:
            self._has_failed = True
            logger.warning("the application's tracer provider fails; recording continues without it", exc_info=exc)
