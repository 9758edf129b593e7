"""What happens at one moment outside any call: a label, or what ended the program."""

from collections import deque
from collections.abc import Callable

from inspector import context
from inspector import semconv as sc
from inspector.reading.call_record import State
from inspector.record.calls.spans import Clock, Failure, Ids, RecordedSpan, failure_of
from inspector.record.calls.states import state_of
from inspector.record.capture.hooks import Facts
from inspector.record.values.short_text import short_text


class Moments:
    """Records moments, each as a span that ends where it begins, in a trace of its own.

    Args:
        put: Records a span.
        clock: The clock of the recorder.
        ids: The ids of the recorder.
    """

    def __init__(self, put: Callable[[RecordedSpan], None], clock: Clock, ids: Ids) -> None:
        self._put = put
        self._clock = clock
        self._ids = ids
        self.has_calls = False
        """Whether any call was recorded; of a program without, nobody asks what ended it."""
        self._failures: deque[tuple[int, str, int]] = deque(maxlen=1_000)
        """The exceptions with which calls failed."""

    def failure_of_call(self, exc: BaseException) -> Failure:
        """Return the failure of a call, which is not recorded again if it ends the program."""
        failure = failure_of(exc)
        self._failures.append(_identity(exc, failure))
        return failure

    def record_label(self, facts: Facts, run: str) -> None:
        """Record a label of a run, which becomes a label at ingest."""
        span = self._begin("label")
        span.before = facts
        span.note(sc.RUN_ID, run)
        self._end(span, "ok")

    def record_uncaught(self, exc: BaseException, failure: Failure | None = None) -> None:
        """Record what ended the program, unless a call failed with it too or no call was recorded."""
        if not self.has_calls or state_of(exc) != "error":
            return
        failure = failure or failure_of(exc)
        if _identity(exc, failure) in self._failures:
            return
        span = self._begin("uncaught")
        span.session_id, span.failure = short_text(context.get()), failure
        self._end(span, "error")

    def record_exit(self, reason: str, at_ns: int) -> None:
        """Record that a program of this run failed at a time, and no exception says why."""
        span = self._begin("uncaught")
        span.start_ns, span.before["name"], span.failure = at_ns, reason, Failure(reason, "")
        self._end(span, "error")

    def _begin(self, noun: str) -> RecordedSpan:
        clock = self._clock
        span = RecordedSpan(noun, span_id=self._ids.span_id(), start_ns=clock.now_ns(), start_tick=clock.tick_ns())
        span.trace_id = self._ids.trace_id()
        return span

    def _end(self, span: RecordedSpan, state: State) -> None:
        span.stop_ns, span.state = span.start_ns, state
        self._put(span)


def _identity(exc: BaseException, failure: Failure) -> tuple[int, str, int]:
    # The message too, since the next exception may be at the same place in memory.
    return id(exc), failure.type, hash(failure.message)
