"""Queries for events, traces and sessions, each in one read transaction."""

from collections.abc import Sequence
from typing import Any, Literal

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, and_, case, func, literal, select, true
from sqlalchemy import Row as SqlRow

from inspector.model import Event, Filter, Page, Session, SessionSort, Sort, Trace, TraceSort
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.database.counters import load_counters
from inspector.store.sqlite.lists.attribute_pages import MOST_PAGES, ids_holding, pages_holding
from inspector.store.sqlite.lists.filters import (
    Conditions,
    begins_with,
    named,
    of_trace,
    span_conditions,
    trace_conditions,
)
from inspector.store.sqlite.lists.labels import score_of_span
from inspector.store.sqlite.lists.membership import meeting, membership_of
from inspector.store.sqlite.lists.shortcuts import largest_meeting, largest_not_ok, latest_holding, latest_matching
from inspector.store.sqlite.lists.timeline import with_timelines
from inspector.store.sqlite.rows.events import LARGE, SUMMARY, full_events, summary
from inspector.store.sqlite.rows.summaries import SESSION, TRACE, session_of, trace_of
from inspector.store.sqlite.search.fulltext import Matches, find
from inspector.store.sqlite.sql.listing import SLOW_ROWS, Pace, Ranking, Test, first, page_rows, passing_ids, rows_by_id
from inspector.store.sqlite.sql.parameters import is_among
from inspector.store.sqlite.tables import sessions, spans, traces
from inspector.store.values.cursor import Position, Window, cut, read_cursor, write_cursor
from inspector.store.values.rows import INT64_MAX, clamp
from inspector.store.values.served import fitting

_SORTED: dict[Sort, ColumnElement[Any]] = {
    "time": spans.c.start_ns,
    "duration": spans.c.duration_ms,
    "cost": spans.c.cost_usd,
    "tokens": func.coalesce(
        spans.c.input_tokens + spans.c.output_tokens, spans.c.input_tokens, spans.c.output_tokens, type_=BigInteger
    ),
}
_LONGEST_ID = 64
_SORTED_TRACES: dict[TraceSort, ColumnElement[Any]] = {
    "time": traces.c.start_ns,
    "duration": traces.c.duration_ms,
    "cost": traces.c.cost_usd,
    "spans": traces.c.spans,
    "tokens": traces.c.input_tokens + traces.c.output_tokens,
}
_SORTED_SESSIONS: dict[SessionSort, ColumnElement[Any]] = {
    "time": sessions.c.latest_ns,
    "duration": case((sessions.c.running == 0, sessions.c.end_ns - sessions.c.start_ns)),
    "cost": sessions.c.cost_usd,
    "spans": sessions.c.spans,
    "tokens": sessions.c.input_tokens + sessions.c.output_tokens,
}


def read_events(
    connection: Connection, where: Filter, window: Window[Sort], limits: ReadLimits, *, full: bool, raw: bool
) -> Page[Event]:
    """Return one page of events.

    If no index helps, or if full events are large, a page may have fewer items than requested, even none, and still a
    next page.
    """
    list_key = ("events", where, window.sort, window.order)
    after = read_cursor(list_key, window.cursor)
    limit = window.limit
    conditions = span_conditions(named(connection, where))
    if window.sort == "score":
        value, has_one = score_of_span(where.labels)
        conditions.indexed.append(has_one)
    else:
        value = _SORTED[window.sort]
    ranking = Ranking(value, spans.c.id, window.order, after)
    matches = _matches(connection, where, limits)
    if matches is False:
        return Page(())
    tests: list[Test] = [_passing(conditions.tested)] if conditions.tested else []
    indexed = conditions.indexed
    if matches is not None and matches.few is not None:
        indexed, tests = [*conditions.all, matches.any_of()], []
    elif matches is not None:
        tests = [matches.among, *tests]
    by_time = window.sort == "time"
    short = _shortcut(connection, where, window, ranking, matches, conditions)
    if short is not None:
        positions, more = first(short, limit)
        return _page(connection, positions, more, list_key, limits, full=full, raw=raw)
    if not tests and not full and by_time:
        rows = page_rows(connection, select(*SUMMARY, value, spans.c.id).where(*indexed), ranking, limit + 1)
        rows, following = cut(list_key, rows, limit)
        return Page(tuple(summary(row) for row in rows), following)
    # Without other columns, so that sorting needs only the index.
    query = select(value, spans.c.id).where(*indexed)
    if tests:
        pace = Pace(limits.span_steps if by_time else limits.sorted_steps, limits.walk_s)
        slow = None if matches is None else matches.slow
        positions, more = passing_ids(connection, query, ranking, limit, tests, pace, slow)
    else:
        positions, more = first(page_rows(connection, query, ranking, limit + 1), limit)
    return _page(connection, positions, more, list_key, limits, full=full, raw=raw)


def _shortcut(
    connection: Connection,
    where: Filter,
    window: Window[Sort],
    ranking: Ranking,
    matches: Matches | None,
    conditions: Conditions,
) -> Sequence[Position] | None:
    """Return the positions of a page, one more than requested, if a shortcut applies."""
    limit = window.limit
    is_latest = window.sort == "time" and window.order == "desc" and ranking.after is None
    if matches is not None:
        if not is_latest or matches.few is not None or matches.slow is not None or conditions.tested:
            return None
        return latest_matching(connection, matches.query.match, conditions.indexed, limit)
    pages = pages_holding(connection, where) if conditions.tested else None
    if pages is not None and len(pages) <= MOST_PAGES:
        holding = is_among("spans.id", ids_holding(connection, pages, where))
        rows = page_rows(
            connection, select(ranking.value, spans.c.id).where(holding, *conditions.all), ranking, limit + 1
        )
        return [(row[0], row[1]) for row in rows]
    if pages is not None:
        return latest_holding(connection, pages, where, conditions.all, limit) if is_latest else None
    is_indexed = window.sort in ("duration", "cost") and (ranking.after is None or ranking.after[0] is not None)
    if conditions.tested or not is_indexed:
        return None
    not_ok = largest_not_ok(connection, ranking, where, limit)
    return largest_meeting(connection, ranking, conditions.indexed, limit) if not_ok is None else not_ok


def _page(
    connection: Connection,
    positions: list[Position],
    more: Position | None,
    list_key: object,
    limits: ReadLimits,
    *,
    full: bool,
    raw: bool,
) -> Page[Event]:
    row_ids = [row_id for _, row_id in positions]
    if not full:
        items = tuple(summary(row) for row in rows_by_id(connection, spans, row_ids, SUMMARY))
        return Page(items, None if more is None else write_cursor(list_key, more))
    items, taken = _in_full(connection, row_ids, limits.full_bytes, raw=raw)
    if taken < len(positions):
        more = positions[taken - 1]
    return Page(tuple(items), None if more is None else write_cursor(list_key, more))


def read_event(
    connection: Connection, span_id: str, trace_id: str | None, limits: ReadLimits, *, raw: bool
) -> Event | None:
    """Return one event in full, the newest if several traces have its span id."""
    c = spans.c
    query = select(*SUMMARY, *LARGE).where(c.span_id == span_id).order_by(c.seq.desc()).limit(1)
    if trace_id is not None:
        row = connection.execute(query.where(of_trace(trace_id))).first()
        return None if row is None else full_events(connection, [row], raw=raw)[0]
    places: list[ColumnElement[bool]] = [true()]
    if span_id.isascii() and span_id.isalnum() and len(span_id) <= _LONGEST_ID:
        # The full-text index has the final spans up to some change, and the others are few.
        matches = find(connection, span_id, limits)
        places = [
            *changed_after(load_counters(connection)["indexed"]),
            c.status == literal("running", literal_execute=True),
        ]
        places += [] if matches is None else [matches.any_of()]
    rows = [row for place in places for row in connection.execute(query.where(place)).all()]
    rows.sort(key=lambda row: row[0])
    return full_events(connection, rows[-1:], raw=raw)[0] if rows else None


def read_after(
    connection: Connection, seq: int, where: Filter, limits: ReadLimits, *, limit: int, full: bool
) -> tuple[Event, ...]:
    """Return the events that changed after a ``seq``, in the order of change; fewer if they are large."""
    conditions = span_conditions(named(connection, where)).all
    matches = _matches(connection, where, limits)
    if matches is False:
        return ()
    if matches is not None:
        conditions.append(matches.per_row())
    slow = None if matches is None else matches.slow
    columns = (spans.c.seq,) if full else SUMMARY
    rows: list[Any] = []
    for changed in changed_after(seq):
        query = select(*columns, spans.c.id).where(changed, *conditions).order_by(spans.c.seq)
        rows += _first_passing(connection, query, limit, slow)
    rows.sort(key=lambda row: row[0])
    del rows[limit:]
    if full:
        return tuple(_in_full(connection, [row[-1] for row in rows], limits.full_bytes)[0])
    return tuple(summary(row) for row in rows)


def _first_passing(
    connection: Connection, query: Select[*tuple[Any, ...]], limit: int, slow: Test | None
) -> list[SqlRow[*tuple[Any, ...]]]:
    if slow is None:
        return list(connection.execute(query.limit(limit)))
    passed: list[SqlRow[*tuple[Any, ...]]] = []
    # A phrase may be in none of very many rows, which are not all in memory at once.
    with connection.execute(query) as rows:
        for part in rows.partitions(SLOW_ROWS):
            passing = slow(connection, [row[-1] for row in part])
            passed += [row for row in part if row[-1] in passing]
            if len(passed) >= limit:
                break
    return passed


def event_conditions(
    connection: Connection, where: Filter, limits: ReadLimits
) -> tuple[list[ColumnElement[bool]], Test | None] | None:
    """Return the conditions of a filter, including its text, and a slow test; None if nothing can match."""
    conditions = span_conditions(named(connection, where)).all
    matches = _matches(connection, where, limits)
    if matches is False:
        return None
    return (conditions, None) if matches is None else ([*conditions, matches.any_of()], matches.slow)


def read_trace(connection: Connection, trace_id: str) -> Trace | None:
    """Return a trace with its totals."""
    row = connection.execute(select(*TRACE).where(traces.c.trace_id == trace_id)).first()
    return None if row is None else trace_of(row)


def read_traces_like(connection: Connection, prefix: str, limit: int) -> tuple[Trace, ...]:
    """Return traces whose id begins with ``prefix``, the latest first."""
    among = select(traces.c.id).where(*begins_with(traces.c.trace_id, prefix)).limit(limit)
    query = select(*TRACE).where(traces.c.id.in_(connection.execute(among).scalars().all()))
    return tuple(trace_of(row) for row in connection.execute(query.order_by(traces.c.start_ns.desc())))


def read_traces(
    connection: Connection, where: Filter, window: Window[TraceSort], limits: ReadLimits, *, timeline: bool
) -> Page[Trace]:
    """Return one page of traces.

    If no index helps, a page may have fewer items than requested, even none, and still a next page.
    """
    list_key = ("traces", where, window.sort, window.order)
    value = _SORTED_TRACES[window.sort]
    ranking = Ranking(value, traces.c.id, window.order, read_cursor(list_key, window.cursor))
    membership = membership_of(connection, where, limits)
    if membership is False:
        return Page(())
    query = select(value, traces.c.id).where(*trace_conditions(connection, where))
    positions, more = meeting(connection, query, ranking, window.limit, membership, limits)
    items = tuple(map(trace_of, rows_by_id(connection, traces, [row_id for _, row_id in positions], TRACE)))
    following = None if more is None else write_cursor(list_key, more)
    return Page(with_timelines(connection, items) if timeline else items, following)


def read_session(connection: Connection, session_id: str) -> Session | None:
    """Return a session with its totals."""
    row = connection.execute(select(*SESSION).where(sessions.c.session_id == session_id)).first()
    return None if row is None else session_of(row)


def read_sessions(
    connection: Connection, window: Window[SessionSort], *, since_ns: int | None, until_ns: int | None
) -> Page[Session]:
    """Return one page of sessions that were active in the time range."""
    list_key = ("sessions", since_ns, until_ns, window.sort, window.order)
    c, value = sessions.c, _SORTED_SESSIONS[window.sort]
    query = select(*SESSION, value, c.id)
    if since_ns is not None:
        query = query.where(c.latest_ns >= clamp(since_ns))
    if until_ns is not None and until_ns <= INT64_MAX:
        query = query.where(c.start_ns < clamp(until_ns))
    ranking = Ranking(value, c.id, window.order, read_cursor(list_key, window.cursor))
    rows, following = cut(list_key, page_rows(connection, query, ranking, window.limit + 1), window.limit)
    return Page(tuple(map(session_of, rows)), following)


def changed_after(seq: int) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return the conditions for rows that were added and for rows that were changed; each has its own index."""
    c = spans.c
    return and_(c.id > seq, c.seq == c.id), and_(c.seq > seq, c.seq != c.id)


def _matches(connection: Connection, where: Filter, limits: ReadLimits) -> Matches | Literal[False] | None:
    """Return the matches of the filter's text; None without a text, False if nothing can match."""
    if where.q is None or not where.q.strip():
        return None
    return find(connection, where.q, limits) or False


def _passing(conditions: Sequence[ColumnElement[bool]]) -> Test:
    def test(connection: Connection, row_ids: Sequence[int]) -> set[int]:
        return set(connection.execute(select(spans.c.id).where(is_among("spans.id", row_ids), *conditions)).scalars())

    return test


def _in_full(
    connection: Connection, row_ids: Sequence[int], most_bytes: int, *, raw: bool = False
) -> tuple[list[Event], int]:
    def read(at: int, count: int) -> list[Event]:
        rows = rows_by_id(connection, spans, row_ids[at : at + count], (*SUMMARY, *LARGE))
        return full_events(connection, rows, raw=raw)

    return fitting(read, len(row_ids), most_bytes)
