"""Counters, stored in the transaction that assigns their numbers, so that no number is ever used twice."""

from collections.abc import Mapping

from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows


def load_counters(connection: Connection) -> dict[str, int]:
    """Return the last numbers of changes, traces and messages, the last indexed ``seq``, and the counters of calls."""
    counts = {"seq": 0, "trace": 0, "content": 0, "indexed": 0, "spans": 0}
    counts.update((name, value) for name, value in driver(connection).execute("SELECT name, value FROM counters"))
    return counts


def save_counters(connection: Connection, counts: Mapping[str, int]) -> None:
    """Store these counters; others stay unchanged."""
    sql = f"INSERT INTO counters (name, value) VALUES {VALUES} ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    execute_rows(driver(connection), sql, list(counts.items()))


def uncount_spans(connection: Connection, removed: int) -> None:
    """Subtract removed spans from the number of spans."""
    driver(connection).execute("UPDATE counters SET value = value - ? WHERE name = 'spans'", (removed,))
