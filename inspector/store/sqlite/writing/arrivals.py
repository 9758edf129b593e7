"""The arrival times of spans: for each hour, the last numbers that were assigned in it, since numbers only grow."""

from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.values.retention import HOUR_NS

# If the clock was slow for a while, hours may have larger numbers than later hours; if it was fast, there are hours in
# the future.
_BEFORE = (
    "FROM arrivals WHERE hour < :hour AND seq <= "
    "coalesce((SELECT min(seq) FROM arrivals WHERE hour BETWEEN :hour AND :now), 9223372036854775807)"
)

_REMEMBER = (
    "INSERT INTO arrivals (hour, seq, trace) SELECT ?, "
    "coalesce((SELECT value FROM counters WHERE name = 'seq'), 0), "
    "coalesce((SELECT value FROM counters WHERE name = 'trace'), 0) WHERE true "
    "ON CONFLICT (hour) DO UPDATE SET seq = excluded.seq, trace = excluded.trace"
)


def remember(connection: Connection, now_ns: int) -> None:
    """Record that everything stored so far arrived before now."""
    driver(connection).execute(_REMEMBER, (now_ns // HOUR_NS,))


def last_ns(connection: Connection) -> int | None:
    """Return the beginning of the last hour in which something arrived or was removed; None if none is known."""
    hour = connection.exec_driver_sql("SELECT hour FROM arrivals ORDER BY seq DESC, hour DESC LIMIT 1").scalar()
    return None if hour is None else int(hour) * HOUR_NS


def arrived_before(connection: Connection, *, before_ns: int, now_ns: int, limit: int) -> list[str]:
    """Return traces without an arrival since the last full hour before a time, the first to arrive first.

    Numbers of traces grow, so traces that arrived later are not read at all.
    """
    rows = connection.exec_driver_sql(
        f"WITH known AS (SELECT max(seq) AS seq, max(trace) AS trace {_BEFORE}) "
        "SELECT trace_id FROM traces, known WHERE traces.id <= known.trace AND traces.seq <= known.seq "
        "ORDER BY traces.id LIMIT :limit",
        {"hour": before_ns // HOUR_NS, "now": now_ns // HOUR_NS, "limit": limit},
    )
    return list(rows.scalars())


def arrived_by(connection: Connection, seq: int) -> int | None:
    """Return the end of the hour in which a change arrived; None if that is not known."""
    hour = connection.exec_driver_sql("SELECT min(hour) FROM arrivals WHERE seq >= ?", (seq,)).scalar()
    return None if hour is None else (int(hour) + 1) * HOUR_NS


def forget(connection: Connection, before_ns: int, now_ns: int) -> None:
    """Delete the hours before a time, except for the last of them."""
    last = f"(SELECT hour {_BEFORE} ORDER BY seq DESC, hour DESC LIMIT 1)"
    connection.exec_driver_sql(
        f"DELETE FROM arrivals WHERE hour < :hour AND hour <> {last}",
        {"hour": before_ns // HOUR_NS, "now": now_ns // HOUR_NS},
    )
