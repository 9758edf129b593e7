import itertools
from contextlib import closing

import pytest
from msgspec.structs import replace
from patience import PATIENT

from inspector.model import Filter
from inspector.store import QueryTooSlow, SpoolMark, StoreError, StoreNewer
from inspector.store.clickhouse import ClickHouseStore, create, read_address, upgrade
from inspector.store.clickhouse.tables import SCHEMA_VERSION
from inspector.store.limits import ReadLimits

COUNT = itertools.count(1)
HASTY = ReadLimits(read_s=1e-6)


@pytest.fixture
def address(engine):
    return read_address(f"chdb://memory/schema_{next(COUNT)}")


def noted(address, engine):
    return engine._database.rows(f"SELECT value FROM {address.database}.notes FINAL WHERE name = 'schema'")


@pytest.fixture
def first_version(address, engine, make_span):
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        store.write([make_span()])
    old_marks = (
        f"CREATE TABLE {address.database}.spools (name String, version Int64, removed UInt8, inode UInt64, "
        '"offset" Int64, lines Int64, bad_lines Int64, spans Int64, bad_spans Int64) '
        "ENGINE = ReplacingMergeTree(version, removed) ORDER BY name"
    )
    for statement in (
        f"DROP TABLE {address.database}.marks",
        f"ALTER TABLE {address.database}.spans DROP COLUMN turn, DROP COLUMN asks, DROP INDEX by_seq",
        f"DROP VIEW {address.database}.runs",
        old_marks,
        f"INSERT INTO {address.database}.spools VALUES ('a.jsonl', 3, 0, 17, 10, 1, 0, 1, 0)",
        f"INSERT INTO {address.database}.spools VALUES ('gone.jsonl', 1, 0, 18, 9, 1, 0, 1, 0)",
        f"INSERT INTO {address.database}.spools VALUES ('gone.jsonl', 2, 1, 0, 0, 0, 0, 0, 0)",
        f"INSERT INTO {address.database}.notes VALUES ('schema', 1000, 1)",
    ):
        engine._database.command(statement)
    return address


def test_tables_are_of_the_version_that_made_them_whoever_makes_them(address, engine):
    create(address)
    assert noted(address, engine) == [(SCHEMA_VERSION,)]
    assert upgrade(address, "home") == (SCHEMA_VERSION, SCHEMA_VERSION)


def test_an_engine_that_lacks_a_setting_is_said_to_be_too_old(address, monkeypatch):
    monkeypatch.setattr("inspector.store.clickhouse.tables.COMPRESSED", {"setting_of_another_version": "1"})
    with pytest.raises(StoreError, match="Unknown setting 'setting_of_another_version'.*; ClickHouse must be"):
        create(address)


def test_queries_of_an_upgrade_have_longer_than_reads(address, monkeypatch):
    monkeypatch.setattr("inspector.store.clickhouse.store.READ_LIMITS", HASTY)
    create(address)
    assert upgrade(address, "home") == (SCHEMA_VERSION, SCHEMA_VERSION)


def test_what_is_written_has_longer_than_a_page(address, make_span):
    with closing(ClickHouseStore(address, limits=HASTY)) as store:
        store.write([ended := make_span()])
        # Another batch, for which what is stored of the trace is read.
        store._writing._writer.forget()
        store.write([make_span(trace_id=ended.trace_id), ended])
        with pytest.raises(QueryTooSlow):
            store.last_seq()
    with closing(ClickHouseStore(address, read_only=True, limits=PATIENT)) as store:
        assert len(store.events(Filter()).items) == 2


def test_tables_whose_version_takes_too_long_to_read_are_not_called_missing(address):
    create(address)
    with pytest.raises(QueryTooSlow):
        ClickHouseStore(address, read_only=True, limits=HASTY)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("read_only", [True, False])
def test_an_earlier_version_is_neither_read_nor_written_and_the_command_is_named(first_version, engine, read_only):
    for _ in range(2):
        with pytest.raises(StoreError, match="older schema 1; .*: inspector db upgrade"):
            ClickHouseStore(first_version, read_only=read_only)
        assert noted(first_version, engine) == [(1,)]


@pytest.mark.slow
def test_an_earlier_version_is_brought_up_to_date_as_often_as_it_is_asked(first_version, engine, make_span):
    assert upgrade(first_version, "mine") == (1, SCHEMA_VERSION)
    engine._database.command(f"INSERT INTO {first_version.database}.notes VALUES ('schema', 5000, 1)")
    assert upgrade(first_version, "mine") == (1, SCHEMA_VERSION)
    with closing(ClickHouseStore(first_version, home="mine", limits=PATIENT)) as store:
        assert store.spools() == {"a.jsonl": SpoolMark("a.jsonl", 17, 10, 1, 0, 1, 0)}
        assert len(store.events(Filter()).items) == 1
        store.write([make_span()])
        assert store.runs(Filter()).items[0].spans == 2


@pytest.mark.slow
def test_traces_from_before_they_knew_where_their_spans_lie_are_read_and_go_on(address, engine, make_span):
    day = 86400 * 10**9
    spans = [make_span(start_ns=10**18 + at * day) for at in range(3)]
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        store.write(spans[:2])
    for statement in (
        f"ALTER TABLE {address.database}.traces DROP INDEX by_trace, DROP INDEX by_run",
        f"ALTER TABLE {address.database}.traces DROP COLUMN first_slot, DROP COLUMN last_slot",
        f"ALTER TABLE {address.database}.spans DROP COLUMN counted_as",
        f"DELETE FROM {address.database}.notes WHERE name = 'counted'",
        f"INSERT INTO {address.database}.notes VALUES ('schema', 1000, 4)",
    ):
        engine._database.command(statement)
    assert upgrade(address, "mine") == (4, SCHEMA_VERSION)
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        assert len(store.events(Filter(trace_id=spans[0].trace_id)).items) == 2
        store.write(spans)
        assert len(store.events(Filter(trace_id=spans[0].trace_id)).items) == 3
        assert store.runs(Filter()).items[0].spans == 3
        assert sum(calls for calls, _ in store.health().calls_ever.values()) == 3


def test_an_upgrade_looks_how_far_starts_were_moved_before_that_was_noted(address, engine, make_span):
    day = 86400 * 10**9
    spans = [make_span(start_ns=10**18 + at * day, trace_id=f"{at:032x}") for at in range(30)]
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        store.write(spans)
        spans[3] = replace(spans[3], start_ns=10**18 + 40 * day, end_ns=10**18 + 41 * day)
        store.write_again(spans[3:4])
    for statement in (
        f"DELETE FROM {address.database}.notes WHERE name = 'moved'",
        f"INSERT INTO {address.database}.notes VALUES ('schema', 1000, 15)",
    ):
        engine._database.command(statement)
    assert upgrade(address, "mine") == (15, SCHEMA_VERSION)
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        latest = [span.span_id for span in (spans[3], spans[-1])]
        assert [event.span_id for event in store.events(Filter(), limit=2).items] == latest


def test_tables_that_were_made_before_are_compressed_as_new_ones(address, engine):
    create(address)
    settings = (
        "SELECT name, arraySort(extractAll(engine_full, '[a-z_]+ = [^,]+')) FROM system.tables "
        f"WHERE database = '{address.database}' ORDER BY name"
    )
    made = engine._database.rows(settings)
    for table, missing in (("spans", "text_index_posting_list_codec"), ("notes", "default_compression_codec")):
        engine._database.command(f"ALTER TABLE {address.database}.{table} RESET SETTING {missing}")
    assert engine._database.rows(settings) != made
    upgrade(address, "mine")
    assert engine._database.rows(settings) == made


def test_a_later_version_is_left_as_it_is(address, engine):
    create(address)
    later = SCHEMA_VERSION + 1
    engine._database.command(f"INSERT INTO {address.database}.notes VALUES ('schema', 9000, {later})")
    for attempt in (ClickHouseStore, lambda address: upgrade(address, "home")):
        with pytest.raises(StoreNewer, match="install that version"):
            attempt(address)
    assert noted(address, engine) == [(later,)]
