"""The room that waiting calls take up is given back, whatever the writer does meanwhile."""

import tracemalloc
from collections import deque

import pytest

from inspector.record.calls.spans import RecordedSpan
from inspector.record.spool.waiting import WaitingCalls
from inspector.record.spool.writer import SpoolWriter
from inspector.record.values.snapshot import snapshot


def ended(n, text, state="ok"):
    span = RecordedSpan("tool_call", trace_id=1, span_id=n, start_ns=n, start_tick=0)
    span.before, span.state = {"args": text}, state
    return span


def test_a_call_that_is_taken_as_soon_as_it_waits_takes_up_no_room():
    waiting = WaitingCalls(max_bytes=1000)

    class Switched(deque):
        """The other thread goes on as soon as there is something."""

        def append(self, item):
            super().append(item)
            waiting.take(1)

    waiting._calls = Switched()
    assert [waiting.put(ended(n, "x" * 300)) for n in range(20)] == [True] * 20


@pytest.mark.parametrize("state", ["ok", "running"])
def test_the_writer_takes_large_calls_a_few_at_a_time_so_that_their_room_is_not_given_back_early(state):
    waiting = WaitingCalls()
    for n in range(6):
        waiting.put(ended(n, "x" * 700_000, state))
    assert [len(waiting.take(128)) for _ in range(4)] == [2, 2, 2, 0]


@pytest.mark.parametrize("letter", ["x", "é", "语"])
def test_calls_whose_texts_were_shortened_take_up_no_more_memory_than_the_room(letter):
    waiting, text = WaitingCalls(max_bytes=4 << 20), letter * 300_000
    tracemalloc.start()
    try:
        while waiting.put(ended(len(waiting), snapshot(text))):
            pass
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(waiting) > 2
    assert held < 5 << 20


def test_an_end_that_comes_as_the_writer_counts_what_waits_is_written_without_a_pause(tmp_path):
    spool = SpoolWriter(tmp_path, "p", lambda spans, losses, **options: [])

    class Counted(WaitingCalls):
        """Another thread puts an end as soon as it was counted."""

        def __len__(self):
            count = super().__len__()
            spool._has_ended = True
            return count

    spool._waiting = Counted()
    spool._write_waiting()
    assert spool._has_ended


def test_an_end_that_the_writer_has_read_with_its_start_is_no_loss(tmp_path):
    spool = SpoolWriter(tmp_path, "p", lambda spans, losses, **options: [], max_calls=0)
    span = ended(1, "x")
    span.written = "ok"
    spool.put(span)
    assert (spool.losses.dropped, span.before) == (0, {"args": "x"})
