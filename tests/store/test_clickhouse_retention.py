"""Days of which every trace is too old go as a whole; nothing of a trace that stays does."""

import itertools
from contextlib import closing

import pytest
from patience import PATIENT

from inspector.model import Filter
from inspector.store.clickhouse import ClickHouseStore, read_address

COUNT = itertools.count(1)
DAY_NS = 86_400 * 10**9
NOON_NS = 20_000 * DAY_NS + DAY_NS // 2
HOUR_NS = DAY_NS // 24


@pytest.fixture
def clock():
    return [NOON_NS]


@pytest.fixture
def store(clock):
    address = read_address(f"chdb://memory/retention_{next(COUNT)}")
    with closing(ClickHouseStore(address, limits=PATIENT, now_ns=lambda: clock[0])) as opened:
        yield opened


@pytest.fixture
def write(store, clock, make_span):
    """Stores a span that begins so many hours after noon, and arrives then."""

    def written(letter, hours, **fields):
        clock[0] = NOON_NS + hours * HOUR_NS
        store.write([make_span(trace_id=letter * 32, start_ns=clock[0], **fields)])

    return written


def kept(store):
    return sorted(trace.trace_id[0] for trace in store.traces(Filter()).items)


def deleted(store):
    """Whether spans were deleted row by row."""
    sql = "SELECT count() FROM system.mutations WHERE database = currentDatabase() AND table = 'spans'"
    return bool(store._database.row(sql)[0])


@pytest.mark.sweep(1)
@pytest.mark.parametrize("by", ["time", "arrival"])
def test_a_day_of_which_all_traces_are_old_is_dropped(store, write, by):
    for letter, hours in (("a", 0), ("b", 1), ("b", 2), ("c", 24), ("d", 48)):
        write(letter, hours)
    pruned = store.prune(before_ns=NOON_NS + 30 * HOUR_NS, by=by)
    assert (pruned.traces, pruned.spans, pruned.complete) == (3, 4, True)
    assert kept(store) == ["d"]
    # The second day has only partly passed by then, so its trace goes row by row.
    assert deleted(store)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["time", "arrival"])
def test_spans_of_a_day_that_is_dropped_are_not_deleted_one_by_one(store, write, by):
    for letter, hours in (("a", 0), ("b", 1), ("c", 48)):
        write(letter, hours)
    assert store.prune(before_ns=NOON_NS + 30 * HOUR_NS, by=by).spans == 2
    assert not deleted(store)
    assert kept(store) == ["c"]


@pytest.mark.slow
@pytest.mark.parametrize("by", ["time", "arrival"])
def test_what_comes_later_on_the_last_day_stays(store, write, by):
    for letter, hours in (("a", 0), ("b", 4)):
        write(letter, hours)
    assert store.prune(before_ns=NOON_NS + 2 * HOUR_NS, by=by).traces == 1
    assert kept(store) == ["b"]
    assert len(store.events(Filter()).items) == 1


@pytest.mark.slow
@pytest.mark.parametrize("by", ["time", "arrival"])
def test_a_trace_that_goes_on_keeps_its_first_day(store, write, by):
    for letter, hours in (("a", 11), ("b", 11), ("b", 13), ("b", 60)):
        write(letter, hours)
    assert store.prune(before_ns=NOON_NS + 40 * HOUR_NS, by=by).traces == 1
    assert kept(store) == ["b"]
    assert store.trace("b" * 32).spans == len(store.events(Filter()).items) == 3
