"""The counters of all calls on ClickHouse, when a write breaks off once its spans are stored."""

import itertools
import time
from contextlib import closing, contextmanager

import pytest
from msgspec.structs import replace
from patience import PATIENT, let_one_write

from inspector.store import StoreError
from inspector.store.clickhouse import ClickHouseStore, read_address
from inspector.store.clickhouse.changes import Write
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.lease import LENGTH_S
from inspector.store.clickhouse.writing import Writing

COUNT = itertools.count(1)


@pytest.fixture
def address(engine):
    return read_address(f"chdb://memory/counts_{next(COUNT)}")


@pytest.fixture
def opened(address, monkeypatch):
    """Opens the store, once the one that was opened before is closed; it mends nothing before the next change."""
    let_one_write(monkeypatch)
    stores = []

    def open_one():
        for store in stores:
            store.close()
        stores.append(ClickHouseStore(address, limits=PATIENT))
        return stores[-1]

    yield open_one
    stores[-1].close()


@contextmanager
def refusing(database, table):
    """Has inserts into a table fail, and expects that."""
    database.command(f"ALTER TABLE {table} ADD CONSTRAINT broken CHECK false")
    try:
        with pytest.raises(StoreError):
            yield
    finally:
        database.command(f"ALTER TABLE {table} DROP CONSTRAINT broken")


def counted(store):
    """The calls and errors ever counted, of the kinds that there are."""
    return {kind: counts for kind, counts in store.health().calls_ever.items() if any(counts)}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("table", ["traces", "notes"])
def test_a_write_that_broke_off_is_counted_without_being_sent_again(opened, make_span, table, is_killed):
    store = opened()
    store.write([make_span(kind="llm"), make_span(kind="tool", status="running", span_id="a" * 16)])
    ended = [make_span(kind="llm", status="error"), make_span(kind="tool", status="error", span_id="a" * 16)]
    with refusing(store._database, table):
        store.write(ended)
    assert counted(store) == {"llm": (1, 0), "tool": (1, 0)}
    if is_killed:
        store = opened()
    store.write([make_span(kind="agent")])
    assert counted(store) == {"llm": (2, 1), "tool": (1, 1), "agent": (1, 0)}


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("table", ["traces", "notes"])
def test_a_call_of_another_kind_than_it_began_as_is_counted_once_in_the_end(opened, make_span, table, is_killed):
    store = opened()
    begun = make_span(kind="tool", status="running")
    store.write([begun])
    with refusing(store._database, table):
        store.write([replace(begun, kind="llm", status="ok", end_ns=begun.start_ns + 1)])
    if is_killed:
        store = opened()
    store.write([make_span(kind="tool"), make_span(kind="tool")])
    assert counted(store) == {"llm": (1, 0), "tool": (2, 0)}


@pytest.mark.slow
@pytest.mark.parametrize("then", ["spans", "traces", "notes"])
@pytest.mark.parametrize("first", ["spans", "traces"])
def test_a_write_whose_completion_breaks_off_too_is_counted_once(opened, make_span, first, then):
    store = opened()
    store.write([make_span(kind="llm")])
    batch = [make_span(kind="llm", status="error"), make_span(trace_id="b" * 32)]
    with refusing(store._database, first):
        store.write(batch)
    with refusing(store._database, then):
        store.write(batch)
    store.close()
    store = opened()
    store.write(batch)
    assert counted(store) == {"llm": (2, 1), "tool": (1, 0)}


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [False, True])
def test_what_was_removed_stays_counted_when_a_write_breaks_off(opened, make_span, is_killed):
    store = opened()
    for trace in "ab":
        store.write([make_span(trace_id=trace * 32), make_span(trace_id=trace * 32, status="error")])
    store.delete("trace", "a" * 32)
    with refusing(store._database, "notes"):
        store.write([make_span(trace_id="b" * 32)])
    if is_killed:
        store = opened()
    store.delete("trace", "b" * 32)
    assert counted(store) == {"tool": (5, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("is_drained", [False, True])
def test_what_is_stored_late_by_one_that_broke_off_and_ends_then_is_counted_once(address, make_span, is_drained):
    ClickHouseStore(address, limits=PATIENT).close()
    database = Database(address, read_s=60)
    database.begin()
    now_s = 1000.0
    broken, heir = (Writing(database, time.time_ns, clock_s=lambda: now_s) for _ in range(2))
    first, late, other = make_span(), make_span(status="running"), make_span()
    broken.apply(Write(broken.prepared([first])))
    heir.drain()
    with broken._lock:
        now_s += LENGTH_S
        heir.apply(Write(heir.prepared([other])))
        broken._lease._until_s = now_s + 1
        with refusing(database, "traces"):
            broken._writer.write(broken.prepared([late]))
        broken._lease._until_s = now_s
    if is_drained:
        heir.drain()
    heir._writer._cache.clear()
    heir.apply(Write(heir.prepared([replace(late, status="ok", end_ns=late.start_ns + 1)])))
    heir.drain()
    with closing(ClickHouseStore(address, limits=PATIENT, read_only=True)) as reader:
        assert counted(reader) == {"tool": (3, 0)}
    database.close()


def test_what_a_predecessor_writes_late_is_looked_for_every_few_seconds(address, make_span, monkeypatch):
    monkeypatch.setattr("inspector.store.clickhouse.writer._LOOK_LATE_S", 3600.0)
    looks = []

    class Told(Database):
        def rows(self, sql, values=None, settings=None):
            looks.extend([sql] if "version > " in sql else [])
            return super().rows(sql, values, settings)

    ClickHouseStore(address, limits=PATIENT).close()
    now_s = 1000.0
    with closing(Told(address, read_s=60)) as database:
        database.begin()
        gone, heir = (Writing(database, time.time_ns, clock_s=lambda: now_s) for _ in range(2))
        gone.apply(Write(gone.prepared([make_span()])))
        heir.drain()
        now_s += LENGTH_S
        heir.is_writer()
        looks.clear()
        for _ in range(3):
            heir.drain()
    assert len(looks) == 1
