"""Numbers that only grow, kept in the transaction that gives them out: no id and no ``seq`` is ever used twice."""

from collections.abc import Mapping

from sqlalchemy import Connection


def load_counters(connection: Connection) -> dict[str, int]:
    """Returns the numbers given out last: of rows, changes and messages, what search knows, and what was dropped."""
    counts = {"id": 0, "seq": 0, "content": 0, "indexed": 0, "dropped": 0}
    counts.update((name, value) for name, value in connection.exec_driver_sql("SELECT name, value FROM counters"))
    return counts


def save_counters(connection: Connection, counts: Mapping[str, int]) -> None:
    """Stores these numbers and leaves the others."""
    connection.exec_driver_sql(
        "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        list(counts.items()),
    )
