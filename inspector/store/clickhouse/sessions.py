"""Queries for sessions."""

from collections.abc import Sequence
from typing import Any, Final

from inspector.model import Page, Session, SessionSort
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import Conditions
from inspector.store.clickhouse.listing import ListPosition, Source, read_page, read_summaries
from inspector.store.clickhouse.tables import ACTIVE, sessions_among
from inspector.store.values.cursor import Window, cut, read_cursor
from inspector.store.values.rows import INT64_MAX, clamp
from inspector.store.values.summaries import session_of

_SESSION: Final = (
    *("session_id", "status", "start_ns", "end_ns", "traces", "failed_traces"),
    *("spans", "calls", "errors", "llm_calls", "tool_calls", "input_tokens", "output_tokens", "cached_tokens"),
    *("cost_usd", "priced", "unpriced_calls", "seq"),
)
"""The columns that `session_of` expects."""
_SORTED: Final[dict[str, str]] = {
    "time": "latest_ns",
    "duration": "if(status = 'running', NULL, end_ns - start_ns)",
    "cost": "cost_usd",
    "spans": "spans",
    "tokens": "input_tokens + output_tokens",
}
_STEPS: Final = (2, 8, 64)
"""How many traces are looked at per row of the page before all are scanned."""


def read_session(database: Database, session_id: str) -> Session | None:
    """Return a session with its totals."""
    values = Values()
    row = database.row(f"SELECT {', '.join(_SESSION)} FROM {sessions_among(values.texts([session_id]))}", values)
    return None if row is None else session_of(row)


def read_sessions(
    database: Database, window: Window[SessionSort], *, since_ns: int | None, until_ns: int | None
) -> Page[Session]:
    """Return one page of sessions that were active between two times."""
    floor_ns = -INT64_MAX if since_ns is None else clamp(since_ns)
    conditions = Conditions()
    conditions.add(f"latest_ns >= {floor_ns}")
    if until_ns is not None and until_ns <= INT64_MAX:
        conditions.add(f"start_ns < {conditions.values.integer(clamp(until_ns))}")
    list_key = ("sessions", since_ns, until_ns, window.sort, window.order)
    if (window.sort, window.order) == ("time", "desc"):
        rows, following = _read_latest(database, conditions, window, list_key, floor_ns)
    else:
        source = Source("sessions", _SORTED[window.sort], id_column="session_id")
        rows, following = read_page(database, conditions, window, list_key, source, _SESSION)
    return Page(tuple(map(session_of, rows)), following)


def _read_latest(
    database: Database, conditions: Conditions, window: Window[SessionSort], list_key: object, floor_ns: int
) -> tuple[Sequence[Any], str | None]:
    """Return the rows of a page: of those sessions that the traces active last belong to, as long as these suffice."""
    place = ListPosition(read_cursor(list_key, window.cursor), "latest_ns", "<")
    until_ns = place.after[0] if place.after is not None and isinstance(place.after[0], int) else INT64_MAX
    wanted = window.limit + 1
    rows: list[Any] = []

    def read(table: str, values: Values, since_ns: int) -> None:
        within = f"latest_ns BETWEEN {since_ns} AND {until_ns} AND {place.condition(values)}"
        rows.extend(
            database.rows(
                f"SELECT session_id, latest_ns, id FROM {table} {conditions.where} AND {within} "
                f"ORDER BY latest_ns DESC, id DESC LIMIT {wanted - len(rows)}",
                values,
            )
        )

    for step in _STEPS:
        active = f"SELECT {ACTIVE} AS at FROM traces WHERE at BETWEEN {floor_ns} AND {until_ns} ORDER BY at DESC"
        earliest = database.row(f"SELECT min(at), count() FROM ({active} LIMIT {wanted * step})")
        since_ns = earliest[0] if earliest is not None and earliest[1] == wanted * step else floor_ns
        # What is stored of a trace, of any version, shows which sessions may be among the latest.
        within = f"{ACTIVE} BETWEEN {since_ns} AND {until_ns}"
        its = database.rows(f"SELECT DISTINCT arrayJoin(shares.session_id) FROM traces WHERE {within}")
        ids = [row[0] for row in its]
        values = Values(dict(conditions.values.bound))
        read(sessions_among(values.texts(ids)), values, since_ns)
        until_ns = since_ns - 1
        if len(rows) >= wanted or until_ns < floor_ns:
            break
    else:
        read("sessions", Values(dict(conditions.values.bound)), floor_ns)
    page, following = cut(list_key, rows, window.limit)
    return read_summaries(database, "session_id", _SESSION, page), following
