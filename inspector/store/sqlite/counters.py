"""Numbers that only grow, kept in the transaction that gives them out: none is ever used twice."""

from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import Connection

from inspector.model import KINDS, Kind
from inspector.store.sqlite.bulk import VALUES, execute_rows
from inspector.store.sqlite.engine import driver
from inspector.store.values.rows import Row
from inspector.store.values.sums import Sums

_CALLS: Final = "calls "
_ERRORS: Final = "errors "
_OWED: Final = "owed "
"""Before a counter's name: what it has too many."""


def load_counters(connection: Connection) -> dict[str, int]:
    """Returns the numbers given out last, of changes, traces and messages, what search knows, and what is counted."""
    counts = {"seq": 0, "trace": 0, "content": 0, "indexed": 0, "spans": 0}
    counts.update((name, value) for name, value in driver(connection).execute("SELECT name, value FROM counters"))
    return counts


def save_counters(connection: Connection, counts: Mapping[str, int]) -> None:
    """Stores these numbers and leaves the others."""
    sql = f"INSERT INTO counters (name, value) VALUES {VALUES} ON CONFLICT (name) DO UPDATE SET value = excluded.value"  # noqa: S608  # constants
    execute_rows(driver(connection), sql, list(counts.items()))


def uncount_spans(connection: Connection, removed: int) -> None:
    """Takes what was removed from the spans there are."""
    driver(connection).execute("UPDATE counters SET value = value - ? WHERE name = 'spans'", (removed,))


def count_calls(counts: dict[str, int], changes: Iterable[tuple[Row | None, Row]]) -> None:
    """Adds to the calls and errors ever stored what rows bring that are new or replace others.

    Where they take away more than they bring, as when a call turns out to be a duplicate, the next ones make up for it:
    who reads a counter takes a smaller value for a new beginning (https://prometheus.io/docs/concepts/metric_types/).

    Args:
        counts: The counters, which are changed.
        changes: The rows.
    """
    gained: dict[str, Sums] = {}
    for old, new in changes:
        gained.setdefault(new.kind, Sums()).count(new, 1)
        if old is not None:
            gained.setdefault(old.kind, Sums()).count(old, -1)
    for kind, sums in gained.items():
        _grow(counts, _CALLS + kind, sums.calls)
        _grow(counts, _ERRORS + kind, sums.errors)


def _grow(counts: dict[str, int], name: str, more: int) -> None:
    owed = counts.get(_OWED + name, 0)
    grown = more - owed
    if grown > 0:
        counts[name] = counts.get(name, 0) + grown
    if owed or grown < 0:
        counts[_OWED + name] = max(0, -grown)


def calls_ever(counts: Mapping[str, int]) -> dict[Kind, tuple[int, int]]:
    """Returns the calls and the errors ever stored, by kind."""
    return {kind: (counts.get(_CALLS + kind, 0), counts.get(_ERRORS + kind, 0)) for kind in KINDS}
