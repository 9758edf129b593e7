"""Numbers that only grow, kept in the transaction that gives them out: none is ever used twice."""

from collections.abc import Mapping

from sqlalchemy import Connection

from inspector.store.sqlite.bulk import VALUES, execute_rows
from inspector.store.sqlite.engine import driver


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
