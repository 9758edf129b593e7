"""The version of a database's tables, and upgrades from earlier versions."""

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.store.clickhouse import tables
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.slots import SLOT_OF_START
from inspector.store.errors import QueryTooSlow, StoreBusy, StoreError, StoreMissing, StoreNewer

_VERSION: Final = "SELECT value FROM notes FINAL WHERE name = 'schema'"
_STEPS: Final[Mapping[int, str]] = {
    # Since version 2, read positions of spools belong to a home: existing ones to the home that runs the upgrade.
    2: "INSERT INTO marks (home, name, version, removed, inode, offset, lines, bad_lines, spans, bad_spans) "
    "SELECT {home}, name, version, removed, inode, offset, lines, bad_lines, spans, bad_spans FROM spools FINAL",
    # Since version 6, statistics are summed for each hour that has a row here.
    6: "INSERT INTO hours (hour, version, removed) SELECT intDiv(slot, 60) AS hour, max(version), 0 FROM spans "
    "GROUP BY hour",
    # Since version 16, how far starts were moved past their slots is noted. Lists read no earlier slots.
    16: "INSERT INTO notes (name, version, value) SELECT 'moved', (SELECT max(version) + 1 FROM notes), "
    f"max({SLOT_OF_START} - slot) FROM spans",
}
"""The statement that upgrades data to each version; missing tables, columns, indexes and views are added separately.

Each only adds rows, and can be repeated after an interruption.
"""


def create(database: Database) -> None:
    """Create whatever is missing, and leave the rest unchanged."""
    for statement in tables.statements(database.address.database):
        database.command(statement)
    database.begin()


def check(database: Database) -> None:
    """Make sure that the tables have the version of this code.

    Raises:
        StoreMissing: There are no tables.
        StoreNewer: They are of a later version.
        StoreError: They are of an earlier version, or it does not answer.
    """
    version = _version(database)
    if version > tables.SCHEMA_VERSION:
        raise StoreNewer(
            f"{database.address} has the schema {version} of a later version of the inspector, and this one knows "
            f"{tables.SCHEMA_VERSION}; install that version"
        )
    if version < tables.SCHEMA_VERSION:
        raise StoreError(
            f"{database.address} has the older schema {version}; stop what writes it, "
            "and bring it up to date with: inspector db upgrade"
        )


def upgrade(database: Database, home: str) -> tuple[int, int]:
    """Upgrade the tables, and return their previous and their new version.

    Args:
        database: The database; no other process may write to it.
        home: The key of the home that existing read positions will belong to.

    Raises:
        StoreError: The upgrade failed; it can be repeated.
    """
    database.begin()
    before = _version(database)
    if before > tables.SCHEMA_VERSION:
        check(database)
    create(database)
    for statement in _missing(database):
        database.command(statement)
    for version in range(before + 1, tables.SCHEMA_VERSION + 1):
        if version in _STEPS:
            values = Values()
            database.command(_STEPS[version].format(home=values.text(home)), values)
        database.command(
            f"INSERT INTO notes (name, version, value) SELECT 'schema', max(version) + 1, {version} FROM notes"
        )
    return before, tables.SCHEMA_VERSION


def _missing(database: Database) -> Iterator[str]:
    """Yield statements that add missing columns and indexes, and recreate the views."""
    in_database = "database = currentDatabase()"
    known = set(database.rows(f"SELECT table, name FROM system.columns WHERE {in_database}"))
    known |= set(database.rows(f"SELECT table, name FROM system.data_skipping_indices WHERE {in_database}"))
    for name, table in tables.TABLES.items():
        for column, kind in table.columns.items():
            if (name, column) not in known:
                yield f"ALTER TABLE {name} ADD COLUMN IF NOT EXISTS {column} {kind}"
        for index in table.indexes:
            _, its_name, what = index.split(" ", 2)
            if (name, its_name) not in known:
                yield f"ALTER TABLE {name} ADD INDEX IF NOT EXISTS {its_name} {what}"
    # What is stored already is compressed anew when it is next merged.
    made = f"SELECT name, engine_full FROM system.tables WHERE {in_database} AND engine LIKE '%MergeTree'"
    for name, engine in database.rows(made):
        missing = {setting: value for setting, value in tables.COMPRESSED.items() if setting not in engine}
        if missing and name in tables.TABLES and not tables.TABLES[name].is_scattered:
            yield f"ALTER TABLE {name} MODIFY SETTING {tables.settings(missing)}"
    yield from tables.views(database.address.database, replaced=True)


def _version(database: Database) -> int:
    database.begin()
    try:
        row = database.row(_VERSION)
    except (QueryTooSlow, StoreBusy):
        raise
    except StoreError as error:
        raise StoreMissing(f"{database.address} has no tables yet; make them with: inspector db create") from error
    if row is None:
        raise StoreMissing(f"{database.address} lacks tables; make them with: inspector db create")
    return row[0]
