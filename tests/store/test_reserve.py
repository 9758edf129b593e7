import os

import pytest

from inspector.model import Filter
from inspector.store import StoreFull
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database.reserve import LEAST_BYTES, Reserve
from inspector.store.sqlite.upkeep.removal import MOST_SPANS, Removal


@pytest.fixture
def full(store, make_span):
    """A store whose database may not grow by a page, and what it held before that."""
    store.write([make_span(trace_id=f"t{at}", attributes={"x": os.urandom(300).hex()}) for at in range(200)])
    while store.index():
        pass
    with store._write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreFull, match="no space left.*inspector prune"):
        for _ in range(50):
            store.write([make_span(trace_id="more", attributes={"x": os.urandom(5000).hex()})])
    return store


def test_a_database_that_cannot_grow_can_be_read_and_pruned(full, make_span):
    before = len(full.events(Filter(), limit=1000).items)
    assert full.delete("trace", "t3") == 1
    assert full.prune(max_bytes=1 << 18).spans > 0
    assert len(full.events(Filter(), limit=1000).items) < before - 1
    full.write([make_span()])


def test_steps_shrink_until_they_fit_and_room_is_made_between_them(store):
    tried, rooms = [], []

    def remove(_):
        tried.append(removal.spans)
        if removal.spans > 10:
            raise StoreFull("no space left")
        return "done"

    removal = Removal(store._remove, lambda: rooms.append(len(tried)))
    assert removal.step(remove) == "done"
    assert tried == [MOST_SPANS, 64, 32, 16, 8]
    assert rooms == [1, 2, 3, 4, 5]
    assert removal.is_tight


def test_what_fits_nowhere_is_refused_in_the_end(store):
    def remove(_):
        raise StoreFull("no space left")

    with pytest.raises(StoreFull):
        Removal(store._remove, lambda: None).step(remove)


def test_a_reserve_grows_with_the_database_and_comes_back_after_it_was_used(tmp_path):
    database, path = tmp_path / "inspector.db", tmp_path / "inspector.db.reserve"
    reserve = Reserve(database)
    database.write_bytes(bytes(LEAST_BYTES))
    reserve.keep()
    assert not path.exists()
    database.write_bytes(bytes(3 << 20))
    reserve.keep()
    held = path.stat()
    assert (held.st_size, held.st_mode & 0o777) == (3 << 19, 0o600)
    assert held.st_blocks * 512 >= held.st_size
    assert reserve.release() == held.st_size
    assert not path.exists()
    reserve.restore(held.st_size)
    assert path.stat().st_size == held.st_size


def test_opening_a_database_writes_nothing_into_it(path, make_span):
    with_spans = SqliteStore(path)
    with_spans.write([make_span()])
    with_spans.close()
    before = path.stat().st_mtime_ns, path.read_bytes()
    store = SqliteStore(path)
    assert path.with_name("inspector.db-wal").stat().st_size == 0
    store.close()
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
