"""The tables of a ClickHouse database have a version, and those of an earlier one are brought up to date."""

import itertools
from contextlib import closing

import pytest
from patience import PATIENT

from inspector.model import Filter
from inspector.store import StoreError, StoreNewer
from inspector.store.clickhouse import ClickHouseStore, create, read_address, tables, upgrade
from inspector.store.clickhouse.tables import FIRST_VERSION, SCHEMA_VERSION

COUNT = itertools.count(1)


@pytest.fixture
def address(engine):
    return read_address(f"chdb://memory/schema_{next(COUNT)}")


def noted(address, engine):
    return engine._database.rows(f"SELECT value FROM {address.database}.notes FINAL WHERE name = 'schema'")


@pytest.fixture
def earlier(address, engine, make_span, monkeypatch):
    """A database of an earlier version, which had fewer columns and indexes, no views, and no hours."""
    monkeypatch.setattr(tables, "FIRST_VERSION", 1)
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        store.write([make_span()])
    for statement in (
        f"DROP TABLE {address.database}.hours",
        f"ALTER TABLE {address.database}.spans DROP COLUMN turn, DROP COLUMN asks, DROP INDEX by_seq",
        f"DROP VIEW {address.database}.runs",
        f"INSERT INTO {address.database}.notes VALUES ('schema', 1000, 1)",
    ):
        engine._database.command(statement)
    return address


def test_tables_are_of_the_version_that_made_them_whoever_makes_them(address, engine):
    create(address)
    assert noted(address, engine) == [(SCHEMA_VERSION,)]
    assert upgrade(address) == (SCHEMA_VERSION, SCHEMA_VERSION)


@pytest.mark.parametrize("read_only", [True, False])
def test_an_earlier_version_is_neither_read_nor_written_and_the_command_is_named(earlier, engine, read_only):
    for _ in range(2):
        with pytest.raises(StoreError, match="older schema 1; .*: inspector db upgrade"):
            ClickHouseStore(earlier, read_only=read_only)
        assert noted(earlier, engine) == [(1,)]


def test_an_earlier_version_is_brought_up_to_date_as_often_as_it_is_asked(earlier, engine, make_span):
    assert upgrade(earlier) == (1, SCHEMA_VERSION)
    engine._database.command(f"INSERT INTO {earlier.database}.notes VALUES ('schema', 5000, 1)")
    assert upgrade(earlier) == (1, SCHEMA_VERSION)
    with closing(ClickHouseStore(earlier, limits=PATIENT)) as store:
        assert len(store.events(Filter()).items) == 1
        store.write([make_span()])
        assert store.runs(Filter()).items[0].spans == 2


def test_a_version_from_before_the_first_release_is_left_as_it_is(address, engine):
    create(address)
    engine._database.command(f"INSERT INTO {address.database}.notes VALUES ('schema', 9000, {FIRST_VERSION - 1})")
    for attempt in (ClickHouseStore, upgrade):
        with pytest.raises(StoreError, match="which no release had"):
            attempt(address)
    assert noted(address, engine) == [(FIRST_VERSION - 1,)]


def test_tables_that_were_made_before_are_compressed_as_new_ones(address, engine):
    create(address)
    settings = (
        "SELECT name, arraySort(extractAll(engine_full, '[a-z_]+ = [^,]+')) FROM system.tables "
        f"WHERE database = '{address.database}' ORDER BY name"
    )
    made = engine._database.rows(settings)
    for table in ("spans", "notes"):
        engine._database.command(f"ALTER TABLE {address.database}.{table} RESET SETTING default_compression_codec")
    assert engine._database.rows(settings) != made
    upgrade(address)
    assert engine._database.rows(settings) == made


def test_a_later_version_is_left_as_it_is(address, engine):
    create(address)
    later = SCHEMA_VERSION + 1
    engine._database.command(f"INSERT INTO {address.database}.notes VALUES ('schema', 9000, {later})")
    for attempt in (ClickHouseStore, upgrade):
        with pytest.raises(StoreNewer, match="install that version"):
            attempt(address)
    assert noted(address, engine) == [(later,)]
