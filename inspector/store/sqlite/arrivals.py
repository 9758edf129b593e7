"""When spans arrived: by the hour, the last numbers that were given out in it, since numbers only grow."""

from sqlalchemy import Connection

from inspector.store.sqlite.engine import driver

HOUR_NS = 3600 * 10**9

# A clock that was behind for a while has left hours with numbers that are larger than those of later hours, and one
# that was ahead has left hours that have not come yet.
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
    """Notes that everything stored so far has arrived by now."""
    driver(connection).execute(_REMEMBER, (now_ns // HOUR_NS,))


def last_ns(connection: Connection) -> int | None:
    """Returns the beginning of the last hour in which something arrived or was removed; None if none is known."""
    hour = connection.exec_driver_sql("SELECT hour FROM arrivals ORDER BY seq DESC, hour DESC LIMIT 1").scalar()
    return None if hour is None else int(hour) * HOUR_NS


def arrived_before(connection: Connection, *, before_ns: int, now_ns: int, limit: int) -> list[str]:
    """Returns traces of which nothing has arrived since the last full hour before a time, those that came first first.

    The number of a trace is no larger than the last one of the hour in which its first span came, so that those that
    came later are not even looked at.
    """
    rows = connection.exec_driver_sql(
        f"WITH known AS (SELECT max(seq) AS seq, max(trace) AS trace {_BEFORE}) "  # noqa: S608  # a constant
        "SELECT trace_id FROM traces, known WHERE traces.id <= known.trace AND traces.seq <= known.seq "
        "ORDER BY traces.id LIMIT :limit",
        {"hour": before_ns // HOUR_NS, "now": now_ns // HOUR_NS, "limit": limit},
    )
    return list(rows.scalars())


def arrived_by(connection: Connection, seq: int) -> int | None:
    """Returns the end of the hour in which a change arrived; None where that is not known."""
    hour = connection.exec_driver_sql("SELECT min(hour) FROM arrivals WHERE seq >= ?", (seq,)).scalar()
    return None if hour is None else (int(hour) + 1) * HOUR_NS


def forget(connection: Connection, before_ns: int, now_ns: int) -> None:
    """Drops the hours before a time, but for the last of them."""
    last = f"(SELECT hour {_BEFORE} ORDER BY seq DESC, hour DESC LIMIT 1)"
    connection.exec_driver_sql(
        f"DELETE FROM arrivals WHERE hour < :hour AND hour <> {last}",  # noqa: S608  # constants
        {"hour": before_ns // HOUR_NS, "now": now_ns // HOUR_NS},
    )
