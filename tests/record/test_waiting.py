"""The room that waiting calls take up is given back, whatever the writer does meanwhile."""

from collections import deque

from inspector.record.spans import RecordedSpan
from inspector.record.waiting import Waiting


def ended(n, text):
    span = RecordedSpan("tool_call", trace_id=1, span_id=n, start_ns=n, start_tick=0)
    span.before, span.state = {"args": text}, "ok"
    return span


def test_a_call_that_is_taken_as_soon_as_it_waits_takes_up_no_room():
    waiting = Waiting(max_bytes=1000)

    class Switched(deque):
        """The other thread goes on as soon as there is something."""

        def append(self, item):
            super().append(item)
            waiting.take(1)

    waiting._calls = Switched()
    assert [waiting.put(ended(n, "x" * 300)) for n in range(20)] == [True] * 20
