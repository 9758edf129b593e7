"""Questions about events, traces and sessions, each within one read transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, literal, select, text, true
from sqlalchemy import Row as SqlRow

from inspector.model import Event, Filter, Order, Page, Session, Sort, Trace
from inspector.store.contents import json_list
from inspector.store.counters import load_counters
from inspector.store.cursor import read_cursor, write_cursor
from inspector.store.events import LARGE, SUMMARY, summary, whole
from inspector.store.filters import span_conditions, trace_conditions
from inspector.store.listing import Ranking, Test, page_rows, tested_ids
from inspector.store.rows import INT64_MAX, clamp, clean
from inspector.store.search import Matches, find
from inspector.store.summaries import SESSION, TRACE, session_of, trace_of
from inspector.store.tables import sessions, spans, traces

_SORTED = {"time": spans.c.start_ns, "duration": spans.c.duration_ms, "cost": spans.c.cost_usd}
_RANKS = {"duration": spans.c.duration_rank, "cost": spans.c.cost_rank}
_LONGEST_ID = 64
_SORTED_TRACES = {"time": traces.c.start_ns, "duration": traces.c.duration_ms, "cost": traces.c.cost_usd}


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list is wanted."""

    sort: Sort
    order: Order
    cursor: str | None
    limit: int


def read_events(connection: Connection, where: Filter, window: Window, *, full: bool) -> Page[Event]:
    """Returns one page of events.

    A page of a filter that no index answers can hold fewer items than asked for, even none, and yet name a next one.
    """
    identity = ("events", where, window.sort, window.order)
    after = read_cursor(identity, window.cursor)
    value, limit = _SORTED[window.sort], window.limit
    ranking = Ranking(value, spans.c.id, window.order, after, _RANKS.get(window.sort))
    conditions = span_conditions(where, window.sort)
    matches = _matches(connection, where)
    if matches is False:
        return Page(())
    tests: list[Test] = [_passing(conditions.tested)] if conditions.tested else []
    found = conditions.found
    if matches is not None and matches.few is not None:
        found, tests = [*conditions.all, matches.any_of()], []
    elif matches is not None:
        tests = [matches.among, *tests]
    if not tests:
        query = _columns(full=full).add_columns(value, spans.c.id).where(*found)
        rows = page_rows(connection, query, ranking, limit + 1)
        return Page(_events(connection, rows[:limit], full=full), _next(identity, rows, limit))
    positions, more = tested_ids(connection, select(value, spans.c.id).where(*found), ranking, limit, tests)
    items = _by_ids(connection, [row_id for _, row_id in positions], full=full)
    return Page(items, None if more is None else write_cursor(identity, more))


def read_event(connection: Connection, span_id: str, trace_id: str | None) -> Event | None:
    """Returns one event in full, the newest of several."""
    c = spans.c
    query = _columns(full=True).where(c.span_id == span_id).order_by(c.seq.desc()).limit(1)
    if trace_id is not None:
        row = connection.execute(query.where(c.trace_id == clean(trace_id))).first()
        return None if row is None else _events(connection, [row], full=True)[0]
    places: list[ColumnElement[bool]] = [true()]
    if span_id.isascii() and span_id.isalnum() and len(span_id) <= _LONGEST_ID:
        # Search knows the final spans up to a change, and the others are few.
        matches = find(connection, span_id)
        places = [c.seq > load_counters(connection)["indexed"], c.status == literal("running", literal_execute=True)]
        places += [] if matches is None else [matches.any_of()]
    rows = [row for place in places for row in connection.execute(query.where(place)).all()]
    rows.sort(key=lambda row: row[0])
    return _events(connection, rows[-1:], full=True)[0] if rows else None


def read_after(connection: Connection, seq: int, where: Filter, *, limit: int, full: bool) -> tuple[Event, ...]:
    """Returns what changed after a sequence number, in the order of change."""
    conditions = span_conditions(where).all
    matches = _matches(connection, where)
    if matches is False:
        return ()
    if matches is not None:
        conditions.append(matches.each())
    query = _columns(full=full).where(spans.c.seq > seq, *conditions).order_by(spans.c.seq).limit(limit)
    return _events(connection, connection.execute(query).all(), full=full)


def event_conditions(connection: Connection, where: Filter) -> list[ColumnElement[bool]] | None:
    """Returns the conditions of a filter, full text included; None when nothing can match."""
    conditions = span_conditions(where).all
    matches = _matches(connection, where)
    if matches is False:
        return None
    return conditions if matches is None else [*conditions, matches.any_of()]


def read_trace(connection: Connection, trace_id: str) -> Trace | None:
    """Returns one trace's sums."""
    row = connection.execute(select(*TRACE).where(traces.c.trace_id == trace_id)).first()
    return None if row is None else trace_of(row)


def read_traces(connection: Connection, where: Filter, window: Window) -> Page[Trace]:
    """Returns one page of traces."""
    identity = ("traces", where, window.sort, window.order)
    after = read_cursor(identity, window.cursor)
    conditions = trace_conditions(where)
    matches = _matches(connection, where)
    if matches is False:
        return Page(())
    if matches is not None:
        conditions.append(traces.c.trace_id.in_(select(spans.c.trace_id).where(matches.any_of())))
    value, limit = _SORTED_TRACES[window.sort], window.limit
    query = select(*TRACE, value, traces.c.id).where(*conditions)
    rows = page_rows(connection, query, Ranking(value, traces.c.id, window.order, after), limit + 1)
    return Page(tuple(trace_of(row) for row in rows[:limit]), _next(identity, rows, limit))


def read_session(connection: Connection, session_id: str) -> Session | None:
    """Returns one session's sums."""
    row = connection.execute(select(*SESSION).where(sessions.c.session_id == session_id)).first()
    return None if row is None else session_of(row)


def read_sessions(
    connection: Connection, *, since_ns: int | None, until_ns: int | None, cursor: str | None, limit: int
) -> Page[Session]:
    """Returns one page of sessions that were active in the time range, the latest activity first."""
    identity = ("sessions", since_ns, until_ns)
    after = read_cursor(identity, cursor)
    c = sessions.c
    query = select(*SESSION, c.latest_ns, c.id)
    if since_ns is not None:
        query = query.where(c.latest_ns >= clamp(since_ns))
    if until_ns is not None and until_ns <= INT64_MAX:
        query = query.where(c.start_ns < clamp(until_ns))
    rows = page_rows(connection, query, Ranking(c.latest_ns, c.id, "desc", after), limit + 1)
    return Page(tuple(session_of(row) for row in rows[:limit]), _next(identity, rows, limit))


def _matches(connection: Connection, where: Filter) -> Matches | Literal[False] | None:
    """Returns the matches of the filter's text; None without a text, False when nothing can match."""
    if where.q is None or not where.q.strip():
        return None
    return find(connection, where.q) or False


def _passing(conditions: Sequence[ColumnElement[bool]]) -> Test:
    def test(connection: Connection, row_ids: Sequence[int]) -> set[int]:
        among = text("spans.id IN (SELECT value FROM json_each(:row_ids))").bindparams(row_ids=json_list(row_ids))
        return set(connection.execute(select(spans.c.id).where(among, *conditions)).scalars())

    return test


def _by_ids(connection: Connection, row_ids: Sequence[int], *, full: bool) -> tuple[Event, ...]:
    among = text("spans.id IN (SELECT value FROM json_each(:row_ids))").bindparams(row_ids=json_list(row_ids))
    rows = connection.execute(_columns(full=full).add_columns(spans.c.id).where(among)).all()
    by_id = {row[-1]: row for row in rows}
    return _events(connection, [by_id[row_id] for row_id in row_ids], full=full)


def _columns(*, full: bool) -> Select[*tuple[Any, ...]]:
    return select(*SUMMARY, *LARGE) if full else select(*SUMMARY)


def _events(connection: Connection, rows: Sequence[SqlRow[*tuple[Any, ...]]], *, full: bool) -> tuple[Event, ...]:
    return tuple(whole(connection, rows)) if full else tuple(summary(row) for row in rows)


def _next(identity: object, rows: Sequence[SqlRow[*tuple[Any, ...]]], limit: int) -> str | None:
    if len(rows) <= limit:
        return None
    last = rows[limit - 1]
    return write_cursor(identity, (last[-2], last[-1]))
