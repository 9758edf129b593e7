"""The end of a call, from its after or error hook to the last subscriber of that hook."""

from opentelemetry import context as otel_context
from opentelemetry import trace

import instrument
from inspector.record.calls.pairing import Calls
from inspector.record.calls.spans import Failure, RecordedSpan, State


class Closing(instrument._Ending):  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - made for the recorder
    """Keeps a call's span current while the subscribers of its end hook run, and ends it afterwards."""

    __slots__ = ("_before", "_calls", "_failure", "_inside", "_span", "_state", "_stop_tick")

    def __init__(self, calls: Calls, span: RecordedSpan, state: State, failure: Failure | None, stop_tick: int) -> None:
        self._calls = calls
        self._span = span
        self._state: State = state
        self._failure = failure
        self._stop_tick = stop_tick
        self._before = self._inside = otel_context.get_current()
        shown = span.into or span
        if self._before is not shown.inner:
            self._show(shown)

    def _show(self, span: RecordedSpan) -> None:
        """Make a span current that ends in another context, or while another span is current."""
        current = span.mirror or span
        if trace.get_current_span(self._before) is not current:
            self._inside = trace.set_span_in_context(current, self._before)
            otel_context.attach(self._inside)

    def end(self) -> None:
        """End the call, and restore the previous span."""
        if self._inside is not self._before and otel_context.get_current() is self._inside:
            otel_context.attach(self._before)
        self._calls.conclude(self._span, self._state, self._failure, stop_tick=self._stop_tick)
