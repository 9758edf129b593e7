import asyncio
import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.api.listeners import RECENT_BYTES, Group, Listener, gap_frame, in_parts, span_frame
from inspector.api.live import WRITTEN_AT_ONCE, Live, LiveLimits
from inspector.api.network.chunks import coded
from inspector.model import Filter
from inspector.store import StoreBusy


class Line:
    """A connection that takes what is written to it, unless it is full."""

    def __init__(self):
        self.full = False
        self.sent = b""

    def write(self, chunk):
        if self.full:
            return False
        while chunk:
            size, _, rest = chunk.partition(b"\r\n")
            self.sent += rest[: int(size, 16)]
            chunk = rest[int(size, 16) + 2 :]
        return True


def events(first, last, size=0):
    return [(seq, span_frame(seq, b"x" * size)) for seq in range(first, last + 1)]


def part_of(first, last):
    (part,) = in_parts(events(first, last), 1 << 20)
    return part


def resting(position, line):
    listener = Listener(position, 200, line.write)
    listener.rest()
    return listener


def ids(sent):
    return [int(number) for number in re.findall(rb"id: (\d+)", sent)]


def test_a_part_is_coded_as_the_standard_says():
    assert coded(b"x" * 26) == b"1a\r\n" + b"x" * 26 + b"\r\n"


def test_events_are_divided_by_what_may_be_written_at_once():
    sizes = [[seq for seq, _ in part.events] for part in in_parts(events(1, 5, size=40), 150)]
    assert sizes == [[1, 2], [3, 4], [5]]
    assert [len(part.events) for part in in_parts(events(1, 2, size=400), 150)] == [1, 1]
    assert list(in_parts([], 150)) == []


def test_what_cannot_be_written_waits_and_nothing_passes_it():
    line = Line()
    listener = resting(0, line)
    listener.give(part_of(1, 2))
    assert (ids(line.sent), listener.news.is_set()) == ([1, 2], False)
    line.full = True
    listener.give(part_of(3, 3))
    assert listener.news.is_set()
    line.full = False
    listener.give(part_of(4, 4))
    taken = listener.take()
    listener.give(part_of(5, 5))
    assert (ids(line.sent), ids(taken)) == ([1, 2], [3, 4])
    listener.rest()
    assert ids(listener.take()) == [5]
    listener.rest()
    listener.give(part_of(6, 6))
    assert ids(line.sent) == [1, 2, 6]


def test_a_listener_that_still_catches_up_is_written_nothing():
    line = Line()
    listener = Listener(0, 200, line.write)
    listener.give(part_of(1, 1))
    listener.beat()
    assert line.sent == b""
    assert ids(listener.take()) == [1]


def test_a_part_of_which_a_client_has_had_some_is_not_written_whole():
    line = Line()
    listener = resting(2, line)
    listener.give(part_of(1, 4))
    assert line.sent == b""
    assert ids(listener.take()) == [3, 4]


def test_who_has_left_is_written_nothing():
    line = Line()
    listener = resting(0, line)
    listener.leave()
    listener.give(part_of(1, 1))
    assert line.sent == b""


@given(st.lists(st.sampled_from(["event", "events", "full", "free", "take", "sent", "beat"]), max_size=60))
def test_each_event_comes_once_and_in_order_or_is_in_a_gap(steps):
    line = Line()
    listener = resting(0, line)
    seq, taken = 0, None
    for step in [*steps, "free", "sent", "take", "sent", "take", "sent"]:
        match step:
            case "event" | "events":
                count = 1 if step == "event" else 3
                listener.give(part_of(seq + 1, seq + count))
                seq += count
            case "full" | "free":
                line.full = step == "full"
            case "take" if taken is None and listener.news.is_set():
                taken = listener.take()
            case "sent" if taken is not None and not line.full:
                line.sent, taken = line.sent + taken, None
                listener.rest()
            case "beat":
                listener.beat()
            case _:
                pass
    told = []
    for kind, number, first in re.findall(rb'event: (\w+)\nid: (\d+)\ndata: (?:{"from":(\d+))?', line.sent):
        told += range(int(first), int(number) + 1) if kind == b"gap" else [int(number)]
    assert told == list(range(1, seq + 1))


def test_who_joins_a_moment_later_gets_what_the_others_have_just_had():
    group = Group(Filter(), 10, full=False)
    for part in in_parts(events(11, 13), 60):
        list(group.pass_on(part))
    late = group.add(11, 1000, None)
    assert (late.position, ids(late.take())) == (11, [12, 13])
    level = group.add(13, 1000, None)
    assert (level.position, level.news.is_set()) == (13, False)


def test_who_joins_far_behind_has_the_rest_read_for_it():
    group = Group(Filter(), 10, full=False)
    for part in in_parts(events(11, 40, size=1000), 4000):
        list(group.pass_on(part))
    behind = group.add(11, 1000, None)
    assert (behind.position, behind.news.is_set()) == (40, False)
    near = group.add(40 - RECENT_BYTES // 1100, RECENT_BYTES, None)
    assert near.position == 40 - RECENT_BYTES // 1100


def test_who_joins_after_a_gap_does_not_get_what_was_before_it():
    group = Group(Filter(), 10, full=False)
    list(group.pass_on(part_of(11, 13)))
    early = group.add(13, 1000, None)
    group.skip(20)
    assert early.take() == gap_frame(14, 20)
    assert group.add(11, 1000, None).position == 20


def run_live(store, scenario):
    async def run():
        live = Live(lambda: store, LiveLimits(poll_s=0.01))
        async with asyncio.timeout(20):
            await scenario(live)
        live.close()

    asyncio.run(run())


def test_writing_to_many_lets_others_have_their_turn(store, span):
    async def scenario(live):
        order, over = [], asyncio.Event()

        def write(_):
            if not order:
                asyncio.get_running_loop().call_soon(order.append, "another")
            order.append("written")
            if order.count("written") == 250:
                over.set()
            return True

        listeners = [live.join(Filter(), full=False, position=0, reach=0, write=write) for _ in range(250)]
        for listener in listeners:
            listener.rest()
        store.write([span(1)])
        await over.wait()
        assert order.index("another") == WRITTEN_AT_ONCE
        for listener in listeners:
            live.leave(listener)

    run_live(store, scenario)


def test_who_leaves_while_others_are_written_to_is_written_nothing(store, span):
    async def scenario(live):
        listeners, written = [], []

        def write(_):
            written.append(1)
            for listener in listeners[:]:
                listeners.remove(listener)
                live.leave(listener)
            return True

        listeners += [live.join(Filter(), full=False, position=0, reach=0, write=write) for _ in range(50)]
        for listener in listeners:
            listener.rest()
        store.write([span(1)])
        await asyncio.wait(live._tasks)
        assert len(written) == 1

    run_live(store, scenario)


class Looked:
    """A store whose last position is read slowly, and counted."""

    def __init__(self):
        self.looks = 0
        self.begun = threading.Event()
        self.go_on = threading.Event()

    def last_seq(self):
        self.looks += 1
        seen = self.looks
        self.begun.set()
        assert self.go_on.wait(60)
        if seen == 3:
            raise StoreBusy("locked")
        return seen


def test_who_asks_for_the_position_at_once_shares_a_read_that_begins_afterwards():
    looked = Looked()

    async def scenario(live):
        first = asyncio.create_task(live.last_seq())
        assert await asyncio.to_thread(looked.begun.wait, 20)
        others = [asyncio.create_task(live.last_seq()) for _ in range(50)]
        await asyncio.sleep(0)
        others.pop().cancel()
        looked.go_on.set()
        assert await first == 1
        assert set(await asyncio.gather(*others)) == {2}
        with pytest.raises(StoreBusy):
            await live.last_seq()
        assert await live.last_seq() == 4

    run_live(looked, scenario)
