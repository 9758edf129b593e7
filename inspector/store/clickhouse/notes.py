"""The table ``notes``: counters, and state that the next writer needs."""

from collections.abc import Mapping
from typing import Final

from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.tables import NOTES

LAST_SEQ: Final = "(SELECT max(value) FROM notes FINAL WHERE name = 'seq')"
"""SQL for the ``seq`` of the last complete change."""


def read_notes(database: Database) -> dict[str, int]:
    """Return all notes."""
    return dict(database.rows("SELECT name, value FROM notes FINAL"))


def read_numbers(database: Database) -> dict[str, int]:
    """Return all notes, with the last ``seq``, trace number and version read from the tables themselves."""
    numbers = read_notes(database)
    for name, sql in _LAST.items():
        row = database.row(sql)
        numbers[name] = max(numbers.get(name, 0), 0 if row is None else row[0])
    return numbers


def read_noted(database: Database) -> dict[str, int]:
    """Return the same from the notes alone, if the previous writer noted everything."""
    rows = database.rows("SELECT name, value, version FROM notes FINAL")
    return {**{name: value for name, value, _ in rows}, "version": max(version for *_, version in rows)}


_VERSIONS: Final = " UNION ALL ".join(
    f"SELECT max(version) AS last FROM {table}"
    for table in ("spans", "traces", "labels", "logs", "notes", "hours", "figures")
)
_LAST: Final = {
    "seq": "SELECT max(seq) FROM spans",
    "trace": "SELECT max(id) FROM traces",
    "label": "SELECT max(id) FROM labels",
    "version": f"SELECT max(last) FROM ({_VERSIONS})",
}

GIVEN_OUT: Final = tuple(_LAST)
"""The names of the numbers that must never be assigned twice."""


def read_number(database: Database, name: str) -> int:
    """Return one note, or 0."""
    values = database.rows(f"SELECT value FROM notes FINAL WHERE name = '{name}'")
    return values[0][0] if values else 0


def save_numbers(database: Database, numbers: Mapping[str, int], *, version: int, token: str) -> None:
    """Store these notes; others stay unchanged."""
    rows = [(name, version, value) for name, value in numbers.items()]
    database.insert("notes", tuple(NOTES), rows, token=token)
