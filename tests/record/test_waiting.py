"""The room that waiting calls take up is given back, whatever the writer does meanwhile."""

from collections import deque

from inspector.record.spans import RecordedSpan
from inspector.record.spool import Spool
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


def test_an_end_that_comes_as_the_writer_counts_what_waits_is_written_without_a_pause(tmp_path):
    spool = Spool(tmp_path, "p", lambda spans, losses, **options: [])

    class Counted(Waiting):
        """Another thread puts an end as soon as it was counted."""

        def __len__(self):
            count = super().__len__()
            spool._has_ended = True
            return count

    spool._waiting = Counted()
    spool._write_waiting()
    assert spool._has_ended


def test_an_end_that_the_writer_has_read_with_its_start_is_no_loss(tmp_path):
    spool = Spool(tmp_path, "p", lambda spans, losses, **options: [], max_calls=0)
    span = ended(1, "x")
    span.written = "ok"
    spool.put(span)
    assert (spool.losses.dropped, span.before) == (0, {"args": "x"})
