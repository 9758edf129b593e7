import os
import random
import sqlite3
import stat
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import inspector.store.sqlite.database.engine as engines
import inspector.store.sqlite.migrations as migrations
from inspector.model import Filter
from inspector.store import PagesDamaged, StoreBusy, StoreDamaged, StoreError, StoreMissing, StoreNewer, StoreReadOnly
from inspector.store.sqlite import SqliteStore, tables
from inspector.store.sqlite.database import integrity
from inspector.store.values import rows as rows_module


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def refused(path, kind, words, **options):
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(kind, match=words) as error:
        SqliteStore(path, **options)
    assert str(path) in str(error.value)
    if before is not None:
        assert path.read_bytes() == before


def test_migrations_produce_exactly_the_described_tables(store):
    known = {table.name for table in tables.metadata.sorted_tables}

    def ours(_, name, kind, __, ___):
        return kind != "table" or name in known

    with store._write() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": ours, "compare_type": True})
        assert compare_metadata(context, tables.metadata) == []
        assert context.get_current_revision() == tables.SCHEMA_VERSION
        made = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL")
        conditions = {name: sql.partition(" WHERE ")[2] for name, sql in made}
    for table in tables.metadata.sorted_tables:
        for index in table.indexes:
            where = index.dialect_options["sqlite"]["where"]
            assert bool(conditions[index.name]) == (where is not None)


def test_the_newest_migration_is_the_version_the_code_expects():
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert scripts.get_heads() == [tables.SCHEMA_VERSION]


def test_rows_name_their_columns_in_the_order_of_the_table():
    assert rows_module.Row._fields == tuple(column.name for column in tables.spans.columns if column.computed is None)


@pytest.mark.parametrize("umask", [0, 0o077, 0o777])
def test_all_files_are_private_whatever_the_umask(tmp_path, make_span, umask):
    path = tmp_path / "new" / "inspector.db"
    path.parent.mkdir()
    before = os.umask(umask)
    try:
        store = SqliteStore(path)
        store.write([make_span()])
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        store.close()
    finally:
        os.umask(before)
    assert modes.keys() >= {"inspector.db", "inspector.db-wal", "inspector.db-shm"}
    assert set(modes.values()) == {0o600}


def test_what_was_written_is_there_when_the_store_is_opened_again(path, make_span):
    for count in range(3):
        store = SqliteStore(path)
        assert len(store.events(Filter()).items) == count
        store.write([make_span()])
        store.close()


def test_the_file_is_laid_out_as_measured_best(store, rows_of):
    assert rows_of("PRAGMA page_size") == [(16384,)]
    assert rows_of("PRAGMA auto_vacuum") == [(2,)]
    assert rows_of("PRAGMA journal_mode") == [("wal",)]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["a b", "50%", "q?mode=memory", "h#x", "é", "new\nline", "%3f", "'", "\udcff"])
def test_odd_directory_names_are_only_names(tmp_path, make_span, name):
    path = tmp_path / name / "inspector.db"
    store = SqliteStore(path)
    store.write([make_span()])
    assert path.is_file()
    store.close()
    reader = SqliteStore(path, read_only=True)
    assert len(reader.events(Filter()).items) == 1
    reader.close()
    # As if another program had written it, so that it is checked.
    os.utime(path)
    store = SqliteStore(path)
    assert store.delete("trace", store.traces(Filter()).items[0].trace_id) == 1
    with pytest.raises(PagesDamaged), store._read():
        raise PagesDamaged(path, "met by a reader")
    store.close()


def test_a_reader_sees_what_the_owner_writes_and_writes_nothing(open_store, store, path, make_span):
    reader = open_store(path, read_only=True)
    store.write([make_span()])
    assert len(reader.events(Filter()).items) == 1
    for write in (
        lambda: reader.write([make_span()]),
        reader.sync,
        reader.index,
        lambda: reader.delete("trace", "x"),
    ):
        with pytest.raises(StoreReadOnly, match="read-only"):
            write()


def test_a_reader_says_what_to_do_when_there_is_nothing_yet(path):
    refused(path, StoreMissing, "inspector serve", read_only=True)
    assert not path.exists()
    path.touch()
    refused(path, StoreMissing, "still empty", read_only=True)


def test_a_file_of_another_program_is_left_alone(path):
    change(path, "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('mine')")
    for options in ({}, {"read_only": True}):
        refused(path, StoreDamaged, "another program.*INSPECTOR_HOME", **options)


@pytest.mark.parametrize(
    "planted",
    ["CREATE VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON spans BEGIN DELETE FROM spans; END"],
    ids=["view", "trigger"],
)
def test_a_database_with_planted_code_is_not_opened(path, planted):
    SqliteStore(path).close()
    change(path, planted)
    for options in ({}, {"read_only": True}):
        refused(path, StoreDamaged, "views or triggers", **options)


def test_a_database_of_a_later_version_is_left_untouched(path):
    SqliteStore(path).close()
    change(path, "UPDATE alembic_version SET version_num = '0999'", "CREATE VIEW from_the_future AS SELECT 1")
    for options in ({}, {"read_only": True}):
        refused(path, StoreNewer, "schema 0999.*upgrade", **options)


@pytest.mark.parametrize("first", [None, "0024"], ids=["created", "migrated"])
def test_a_migration_that_dies_half_way_leaves_nothing_and_can_be_repeated(path, monkeypatch, make_span, first):
    if first is not None:
        engine = engines.writer_engine(path)
        with engine.begin() as connection:
            migrations.upgrade(connection, to=first)
        engine.dispose()
    before = schema_in(path) if first is not None else []
    module, name = (engines, "create") if first is None else (migrations, "upgrade")
    real = getattr(module, name)

    def die(connection):
        real(connection)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, name, die)
    with pytest.raises(KeyboardInterrupt):
        SqliteStore(path)
    assert schema_in(path) == before
    monkeypatch.undo()
    store = SqliteStore(path)
    store.write([make_span()])
    store.close()


def schema_in(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_master").fetchall()


def test_an_incomplete_schema_is_named(path):
    SqliteStore(path).close()
    change(path, "DROP TABLE sessions")
    refused(path, StoreDamaged, "lacks the tables sessions")


@pytest.mark.parametrize(
    "content", [b"x", b"not a database at all " * 100, bytes(8192), b"SQLite format 3\x00" + b"\xff" * 4000]
)
def test_a_file_that_is_no_database_is_refused_in_words(path, content):
    path.write_bytes(content)
    for options in ({}, {"read_only": True}):
        refused(path, StoreDamaged, "not a database|damaged", **options)


def test_what_is_no_file_is_refused_in_words(path, tmp_path):
    path.mkdir()
    refused(path, StoreDamaged, "not a regular file")
    with pytest.raises(StoreError):
        SqliteStore(path, read_only=True)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for options in ({}, {"read_only": True}):
        refused(pipe, StoreDamaged, "not a regular file", **options)
    with pytest.raises(StoreReadOnly, match="cannot be a file name"):
        SqliteStore(tmp_path / "nul\0name")
    with pytest.raises(StoreReadOnly, match="too long"):
        SqliteStore(tmp_path / ("x" * 300))


@pytest.mark.parametrize("read_only", [False, True])
def test_every_connection_to_a_database_that_is_refused_is_closed(path, monkeypatch, read_only):
    opened = []

    class Watched(sqlite3.Connection):
        is_closed = False

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            opened.append(self)

        def close(self):
            self.is_closed = True
            super().close()

    SqliteStore(path).close()
    # What SQLite says of it is not text either.
    damage = "UPDATE sqlite_master SET sql = CAST(x'435245415445c8' AS TEXT) WHERE name = 'search_config'"
    change(path, "PRAGMA writable_schema = ON", damage)
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))
    refused(path, StoreDamaged, "is damaged", read_only=read_only)
    assert [each.is_closed for each in opened] == [True]


PAGE = 16384


@pytest.fixture
def whole(filled):
    """What the file of a database of 200 events holds."""
    return filled.read_bytes()


def test_a_database_that_was_cut_is_refused(path, whole):
    chance = random.Random(0)
    for length in (PAGE, len(whole) - PAGE, *(chance.randrange(PAGE, len(whole) - PAGE) for _ in range(4))):
        path.write_bytes(whole[:length])
        with pytest.raises(StoreDamaged):
            SqliteStore(path)


def overwritten(content, seed):
    chance, damaged = random.Random(seed), bytearray(content)
    for _ in range(400):
        damaged[chance.randrange(100, len(damaged))] = chance.randrange(256)
    return bytes(damaged)


def without_page(content, page):
    return content[: page * PAGE] + bytes(PAGE) + content[(page + 1) * PAGE :]


def worked(use):
    """Whether it did; any error but the store's own fails the test."""
    try:
        use()
    except StoreError:
        return False
    return True


def use_all(store, make_span):
    yield worked(lambda: store.events(Filter(), full=True, limit=1000))
    yield worked(lambda: store.events(Filter(q="work")))
    yield worked(lambda: store.traces(Filter()))
    yield worked(store.sessions)
    yield worked(store.health)
    yield worked(lambda: store.stats(Filter(), by="name"))
    yield worked(lambda: store.write([make_span(trace_id="t3")]))
    yield worked(store.index)
    yield worked(lambda: store.delete("session", "s"))
    yield worked(lambda: store.prune(max_bytes=1))
    yield worked(store.sync)


@pytest.mark.slow
def test_damage_inside_fails_what_reads_it_with_the_stores_own_error_and_nothing_else(path, whole, make_span, every):
    outcomes = []
    damaged = [overwritten(whole, seed) for seed in range(6)]
    damaged += [without_page(whole, page) for page in range(0, len(whole) // PAGE, 1 if every else 3)]
    for content in damaged:
        path.write_bytes(content)
        # A disk that forgets does not change the time of the file, so its check is left out.
        integrity.remember(path)
        try:
            store = SqliteStore(path)
        except StoreError:
            outcomes.append("refused")
            continue
        with closing(store):
            done = list(use_all(store, make_span))
        outcomes.append("none" if not any(done) else "all" if all(done) else "some")
    # Much is in pages that some of these read and others do not, and the first page is the head of the file.
    assert outcomes[6] == "refused"
    assert outcomes.count("some") > 5, outcomes


def test_a_database_locked_by_another_process_is_busy_and_then_free(store, path, make_span, monkeypatch):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began_s = time.thread_time()
        with pytest.raises(StoreBusy, match="locked by another process"):
            store.write([make_span()])
        # It waited for two seconds, and slept meanwhile.
        assert time.thread_time() - began_s < 0.2
        assert store.events(Filter()).items == ()
        other.execute("ROLLBACK")
    store.write([make_span()])
    assert store.last_seq() == 1
