import os
import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from inspector.model import Filter
from inspector.store import PagesDamaged, StoreBusy, StoreFull, StoreUnchecked
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database import integrity

PAGE = 16384


def break_pages(path, seed=0, share=3):
    """Overwrites every third page or so, never the first; returns what the file holds then."""
    chance, content = random.Random(seed), bytearray(path.read_bytes())
    for page in range(1, len(content) // PAGE):
        if chance.randrange(share) == 0:
            content[page * PAGE : (page + 1) * PAGE] = chance.randbytes(PAGE)
    path.write_bytes(content)
    return bytes(content)


def files(path):
    """What is in the database, its log and the note; reading makes an empty log."""
    found = {each.name: each.read_bytes() for each in path.parent.iterdir() if not each.name.endswith("-shm")}
    return {name: content for name, content in found.items() if content}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_database_is_not_opened_for_writing_and_not_changed(filled, seed):
    break_pages(filled, seed)
    before = files(filled)
    with pytest.raises(PagesDamaged, match="is damaged .*nothing more is written to it.*move .* away"):
        SqliteStore(filled)
    assert files(filled) == before
    with closing(SqliteStore(filled, read_only=True)) as reader:
        assert reader.last_seq()
    assert files(filled) == before


def test_a_file_that_is_as_it_was_left_is_not_read_whole(filled, monkeypatch):
    checked = []
    monkeypatch.setattr(integrity, "check", lambda path, **_: checked.append(path))
    SqliteStore(filled).close()
    assert checked == []
    os.utime(filled)
    SqliteStore(filled).close()
    assert checked == [filled]
    SqliteStore(filled).close()
    assert checked == [filled]


def test_what_a_killed_owner_left_is_checked_with_its_log(filled, tmp_path, make_span):
    killed = tmp_path / "killed"
    killed.mkdir()
    with closing(SqliteStore(filled)) as store:
        store.write([make_span()])
        for file in filled.parent.glob("inspector.db*"):
            (killed / file.name).write_bytes(file.read_bytes())
    assert (killed / "inspector.db-wal").stat().st_size
    assert not integrity.is_as_left(killed / "inspector.db")
    with closing(SqliteStore(killed / "inspector.db")) as store:
        assert len(store.events(Filter(), limit=1000).items) == 201


def test_a_check_that_takes_too_long_leaves_the_file_unwritten(filled, make_span):
    with closing(SqliteStore(filled)) as store:
        # Enough for a look at the clock before the check is through.
        store.write([make_span() for _ in range(1000)])
    os.utime(filled)
    with pytest.raises(StoreUnchecked, match="was not closed properly"):
        SqliteStore(filled, check_s=-1.0)


def test_a_check_that_is_put_off_lets_it_be_read_and_then_written(filled, make_span):
    os.utime(filled)
    with closing(SqliteStore(filled, check_later=True)) as store:
        assert len(store.events(Filter(), limit=1000).items) == 200
        with pytest.raises(StoreUnchecked, match="being checked for damage"):
            store.write([make_span()])
        store.prepare()
        store.write([make_span()])
        assert len(store.events(Filter(), limit=1000).items) == 201
    assert integrity.is_as_left(filled)


def test_a_check_that_is_put_off_finds_the_same_damage(filled, make_span):
    before = break_pages(filled)
    with closing(SqliteStore(filled, check_later=True)) as store:
        assert "is being checked" in store.problem
        for _ in range(2):
            with pytest.raises(PagesDamaged):
                store.prepare()
        with pytest.raises(PagesDamaged):
            store.write([make_span()])
        assert "is damaged" in store.problem
    assert filled.read_bytes() == before


def test_damage_that_a_statement_meets_ends_writing_until_the_file_was_replaced(filled, make_span, tmp_path):
    before = break_pages(filled)
    integrity.remember(filled)
    store = SqliteStore(filled)
    with pytest.raises(PagesDamaged):
        for at in range(40):
            store.write([make_span(trace_id=f"t{at}")])
    assert store.problem
    log = filled.with_name("inspector.db-wal").read_bytes()
    delete, write = (lambda: store.delete("trace", "x")), (lambda: store.write([make_span()]))
    for change in (write, store.sync, store.index, delete):
        with pytest.raises(PagesDamaged):
            change()
    assert filled.read_bytes() == before
    assert filled.with_name("inspector.db-wal").read_bytes() == log
    (tmp_path / "away").mkdir()
    for file in tmp_path.glob("inspector.db*"):
        file.rename(tmp_path / "away" / file.name)
    with pytest.raises(StoreBusy, match="repeat the write"):
        store.write([make_span()])
    store.write([make_span()])
    assert store.problem is None
    assert len(store.events(Filter()).items) == 1
    store.close()
    assert (tmp_path / "away" / "inspector.db").read_bytes() == before


def test_closing_a_damaged_database_writes_nothing_to_it(filled, make_span):
    store = SqliteStore(filled)
    store.write([make_span(trace_id="new")])
    before = break_pages(filled)
    with pytest.raises(PagesDamaged):
        while True:
            store.delete("session", "s")
    store.close()
    assert filled.read_bytes() == before
    assert filled.with_name("inspector.db-wal").stat().st_size
    assert not integrity.is_as_left(filled)


def test_damage_that_a_reader_meets_ends_writing_too(filled, make_span):
    store = SqliteStore(filled)
    break_pages(filled)
    with pytest.raises(PagesDamaged):
        for at in range(40):
            store.events(Filter(trace_id=f"t{at}"), full=True)
    with pytest.raises(PagesDamaged):
        store.write([make_span()])
    store.close()


def move_away(path):
    """Moves a database away with all that is beside it; returns where it is."""
    away = path.parent / "away"
    away.mkdir()
    for file in path.parent.glob("inspector.db*"):
        file.rename(away / file.name)
    return away / path.name


def open_files():
    """What says of a file which it is, for each that this process has open."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        # Another thread may close it meanwhile.
        with suppress(OSError):
            found.append(identity(each))
    return found


def identity(file):
    """The file system and the number in it: a socket can have the number of a file."""
    return file.stat().st_dev, file.stat().st_ino


def begin_anew(store):
    with pytest.raises(StoreBusy, match="repeat the write"):
        store.write([])


def test_damage_that_a_read_of_the_file_before_meets_does_not_stop_the_next_one(filled, make_span):
    with closing(SqliteStore(filled)) as store:
        with pytest.raises(PagesDamaged), store._read():
            away = move_away(filled)
            begin_anew(store)
            raise PagesDamaged(filled, "of the file before")
        assert store.problem is None
        assert identity(away) not in open_files()
        store.write([make_span()])
        assert len(store.events(Filter()).items) == 1


def test_a_file_that_is_refused_and_replaced_on_a_full_disk_is_refused_for_the_disk_alone(filled, monkeypatch):
    def full(*_, **__):
        raise StoreFull("no space")

    store = SqliteStore(filled)
    with pytest.raises(PagesDamaged), store._read():
        raise PagesDamaged(filled, "of the file before")
    move_away(filled)
    with monkeypatch.context() as patch:
        patch.setattr("inspector.store.sqlite.database.engine.prepare", full)
        with pytest.raises(StoreFull):
            store.write([])
        assert store.problem is None
    begin_anew(store)
    store.write([])
    store.close()


def test_damage_that_a_reader_meets_while_a_file_is_checked_is_kept(filled, make_span, monkeypatch):
    os.utime(filled)
    with closing(SqliteStore(filled, check_later=True)) as store:

        def check(path, **_):
            with pytest.raises(PagesDamaged), store._read():
                raise PagesDamaged(path, "met by a reader")

        monkeypatch.setattr(integrity, "check", check)
        with pytest.raises(PagesDamaged, match="met by a reader"):
            store.prepare()
        with pytest.raises(PagesDamaged, match="met by a reader"):
            store.write([make_span()])


@pytest.mark.parametrize("finding", [None, "of the file before"])
def test_a_file_that_comes_while_another_is_checked_is_not_taken_for_that_one(filled, make_span, monkeypatch, finding):
    os.utime(filled)
    looked_at = []
    with closing(SqliteStore(filled, check_later=True)) as store:

        def check(path, **_):
            looked_at.append(path.stat().st_ino)
            if len(looked_at) == 1:
                copy = move_away(filled)
                # Nobody closed the new one either.
                filled.write_bytes(copy.read_bytes())
                if finding:
                    raise PagesDamaged(path, finding)

        monkeypatch.setattr(integrity, "check", check)
        with pytest.raises(StoreBusy, match="repeat the write"):
            store.prepare()
        assert looked_at[1:] == [filled.stat().st_ino]
        store.prepare()
        store.write([make_span()])
        assert len(store.events(Filter(), limit=1000).items) == 201


def test_a_reader_follows_when_its_owner_begins_another_database(filled, make_span):
    with closing(SqliteStore(filled)) as store, closing(SqliteStore(filled, read_only=True)) as reader:
        assert len(reader.events(Filter(), limit=1000).items) == 200
        move_away(filled)
        assert len(reader.events(Filter(), limit=1000).items) == 200
        begin_anew(store)
        store.write([make_span()])
        assert len(reader.events(Filter()).items) == 1


def test_a_read_that_stumbles_says_damage_where_there_is_some_and_what_it_was_where_there_is_none(filled):
    with closing(SqliteStore(filled)) as store:
        with pytest.raises(KeyError), store._read():
            raise KeyError("a mistake of ours")
        with closing(sqlite3.connect(filled)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'ix_contents_span'").fetchone()[
                0
            ]
        with filled.open("r+b") as file:
            file.seek((root - 1) * PAGE)
            file.write(b"\xff" * PAGE)
        with pytest.raises(PagesDamaged), store._read():
            raise KeyError("what a broken page led to")
        assert store.problem


def test_what_only_this_process_cannot_do_is_no_damage(filled, make_span):
    with closing(SqliteStore(filled)) as store:
        with closing(sqlite3.connect(filled, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusy):
                store.write([make_span()])
        store.write([make_span()])
        assert store.problem is None
