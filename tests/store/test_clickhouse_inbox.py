import itertools
from contextlib import closing

import pytest
from patience import PATIENT, let_one_write

from inspector.model import Filter, NewLabel, SpanError
from inspector.store import SpoolMark, StoreBusy
from inspector.store.clickhouse import ClickHouseStore, read_address
from inspector.store.clickhouse.changes import GiveLabel
from inspector.store.clickhouse.tables import DECIDED, SPANS
from inspector.store.model import PendingChanges

COUNT = itertools.count(1)


@pytest.fixture
def stores(engine, monkeypatch):
    """Two stores, the first of which writes, when it is told to."""
    let_one_write(monkeypatch)
    address = read_address(f"chdb://memory/inbox_{next(COUNT)}")
    with (
        closing(ClickHouseStore(address, limits=PATIENT)) as one,
        closing(ClickHouseStore(address, limits=PATIENT)) as other,
    ):
        yield one, other


@pytest.mark.slow
@pytest.mark.parametrize(("bound", "most"), [("MOST_WAITING", 3), ("MOST_WAITING_BYTES", 3 * 20_000)])
def test_over_the_bound_nothing_more_is_taken_in_until_there_is_room(stores, make_span, monkeypatch, bound, most):
    monkeypatch.setattr(f"inspector.store.clickhouse.inbox.{bound}", most)
    one, other = stores
    mark = SpoolMark("a.jsonl", 1, 10)

    def write():
        other.write([make_span(attributes={"text": "ü" * 10_000})], marks=[mark])

    for _ in range(3):
        write()
    waiting = other.health().waiting
    assert waiting.changes == 3
    assert 60_000 < waiting.bytes < 90_000
    mark = SpoolMark("a.jsonl", 1, 20)
    with pytest.raises(StoreBusy, match=r"3 changes of 0 MB wait in the database .*; try again later"):
        write()
    assert other.spools()["a.jsonl"].offset == 10
    # What somebody waits for is not more than that asks for.
    other._writing.apply(GiveLabel(NewLabel(trace_id="a" * 32, name="good", time_ns=1)), wait=False)
    (entry, *_) = one._writing._inbox.waiting()
    assert [store._writing._inbox.is_own(entry) for store in stores] == [False, True]
    one._writing.drain()
    assert one.health().waiting == PendingChanges()
    other._writing._inbox._looked_s = 0
    write()
    one._writing.drain()
    assert (other.spools()["a.jsonl"].offset, len(one.events(Filter()).items)) == (20, 4)


def test_a_store_that_writes_what_it_takes_in_asks_for_no_room(stores, make_span, monkeypatch):
    monkeypatch.setattr("inspector.store.clickhouse.inbox.MOST_WAITING", 0)
    stores[0].write([make_span()])
    assert len(stores[1].events(Filter()).items) == 1


@pytest.mark.slow
def test_all_that_was_settled_a_while_ago_is_removed_though_it_is_more_than_one_step_takes(stores, monkeypatch):
    monkeypatch.setattr("inspector.store.clickhouse.inbox._MOST_TIDIED", 2)
    one, other = stores
    monkeypatch.setattr(other._writing._inbox, "_now_ns", lambda: 1)
    for _ in range(5):
        other._writing._inbox.put("junk")
    one._writing.drain()
    assert one._database.rows("SELECT count() FROM inbox") == [(0,)]


@pytest.mark.slow
def test_whatever_is_in_texts_a_large_entry_is_moved_as_it_was_sent(stores, make_span):
    one, other = stores
    odd = "'{v0:String}' \\' \\\\ %s %(x)s $x$ -- \n\t\0 ü 😀"
    spans = [
        make_span(
            span_id=f"{odd} {at}",
            trace_id=f"{at % 7:032x}",
            session_id=f"{odd} {'x' * 200} {at % 7}",
            error=SpanError(odd, odd, odd),
            attributes={odd: odd, "deep": {"null": None, "list": [1.5, at, True]}},
            events=[{"name": odd, "attributes": {}}],
        )
        for at in range(1500)
    ]
    other.write(spans)
    one._writing.drain()
    columns = ", ".join(name for name in SPANS if name not in DECIDED)
    sql = f"SELECT {columns} FROM {{}} FINAL ORDER BY trace_id, span_id"
    moved = one._database.rows(sql.format("spans"))
    with closing(ClickHouseStore(read_address(f"chdb://memory/inbox_{next(COUNT)}"), limits=PATIENT)) as alone:
        alone.write(spans)
        assert alone._database.rows(sql.format("spans")) == moved
    assert len(moved) == 1500
