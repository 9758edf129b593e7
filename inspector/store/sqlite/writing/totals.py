"""Updates the rows of ``traces``, ``runs`` and ``sessions``, the totals of their spans, within the transaction."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import fields
from operator import attrgetter
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.sqlite.writing import runs
from inspector.store.sqlite.writing.sessions import Sessions
from inspector.store.sqlite.writing.sum_rows import SESSIONS, TRACES
from inspector.store.values.excerpts import Excerpts
from inspector.store.values.rows import Row
from inspector.store.values.sums import SessionSums, Sums, TraceSums

Change: TypeAlias = tuple[Row | None, Row]
"""A row that replaces another, or is new."""
Shares: TypeAlias = dict[str, Sums]
"""The parts of a trace's totals by session."""

_SHARE_FIELDS = tuple(found.name for found in fields(Sums))
_share_values = attrgetter(*_SHARE_FIELDS)
_OF_SESSIONS = ("calls", "spans", "status", "seq", "start_ns", "end_ns")
"""What sessions take from a trace, besides their share of its totals."""
_SUMMED = (
    *(
        "id",
        "seq",
        "trace_id",
        "folded_into",
        "parent_id",
        "session_id",
        "session_inherited",
        "process",
        "run",
        "hook",
        "kind",
        "name",
        "status",
        "service",
        "agent",
        "model",
        "request_model",
    ),
    *("start_ns", "end_ns", "input_tokens", "output_tokens", "cached_tokens", "cost_usd"),
)
_BLANK: dict[str, Any] = dict.fromkeys(Row._fields)


def apply(
    connection: Connection,
    changes: Sequence[Change],
    before: Mapping[int, TraceSums],
    sessions: Sessions | None = None,
    excerpts: Mapping[int, Excerpts] | None = None,
) -> Mapping[int, TraceSums]:
    """Update the totals after rows were written, and return those of their traces by row id.

    The totals before are by row id too; those of new traces are updated in place.
    """
    excerpts = excerpts or {}
    after, unsure = _summed(connection, changes, before)
    # A better reading may find another question in a row that stays as it is.
    after |= {row_id: _copied(before[row_id]) for row_id in excerpts if row_id not in after}
    for row_id, sums in after.items():
        if row_id in excerpts:
            _take_excerpts(sums, excerpts[row_id])
        if sessions is not None and row_id in sessions.named:
            sums.session_start_ns, sums.session_id = sessions.named[row_id]
        sums.finish()
    mixed = {row.trace_id for _, row in changes if row.session_id != after[row.trace_id].session_id}
    mixed |= {row_id for row_id, sums in after.items() if _was_other(before[row_id], sums)}
    was = _load_shares(connection, [row_id for row_id in mixed if before[row_id].mixed])
    # For a new trace, before and after are the same object.
    grown = {row_id for row_id in mixed if after[row_id] is not before[row_id]}
    now = _moved({row_id: _shares(before[row_id], was) if row_id in grown else {} for row_id in mixed}, changes)
    _save_shares(connection, now)
    for row_id, shares in now.items():
        after[row_id].mixed = int(len(shares) > 1)
    TRACES.save(connection, after.values())
    runs.apply(
        connection,
        [
            runs.Move(None if (old := before[row_id]) is new else old, new, row_id not in unsure)
            for row_id, new in after.items()
        ],
    )
    _apply_to_sessions(
        connection,
        {row_id: (old, _shares(old, was)) for row_id, old in before.items() if after.get(row_id, old) is not old},
        {row_id: (new, _shares(new, now)) for row_id, new in after.items()},
        unsure,
    )
    return after


def _summed(
    connection: Connection, changes: Sequence[Change], before: Mapping[int, TraceSums]
) -> tuple[dict[int, TraceSums], set[int]]:
    """Return the totals of traces with written rows, and which of them had to be computed from all their rows."""
    after: dict[int, TraceSums] = {}
    unsure: set[int] = set()
    for old, new in changes:
        sums = after.get(new.trace_id)
        if sums is None:
            known = before[new.trace_id]
            sums = after[new.trace_id] = _copied(known) if known.spans else known
        if old is None:
            sums.add(new)
        elif not sums.exchange(old, new):
            unsure.add(new.trace_id)
    for row_id in unsure:
        after[row_id] = sum_trace(connection, after[row_id].trace_id)
        after[row_id].take_excerpts(before[row_id])
    return after, unsure


def load_traces(
    connection: Connection, keys: Iterable[str | int], *, by: Literal["trace_id", "id"] = "trace_id"
) -> dict[str, TraceSums]:
    """Return the totals of the stored traces among these, by trace id."""
    return {sums.trace_id: sums for sums in TRACES.load(connection, by, keys)}


def sum_trace(connection: Connection, trace_id: str) -> TraceSums:
    """Compute the totals of a trace from its rows."""
    sums = TraceSums(trace_id=trace_id)
    sessions: set[str | None] = set()
    named: list[tuple[int, str]] = []
    for row in _rows(connection, "(SELECT id FROM traces WHERE trace_id = ?)", trace_id):
        sums.id = row.trace_id
        sums.add(row)
        sessions.add(row.session_id)
        if row.session_id is not None and row.session_inherited is None:
            named.append((row.start_ns, row.session_id))
    if named:
        sums.session_start_ns, sums.session_id = min(named)
    sums.mixed = int(len(sessions) > 1)
    sums.finish()
    return sums


def sum_all(connection: Connection, traces: Mapping[int, str]) -> None:
    """Create the rows of ``traces``, ``runs`` and ``sessions`` from those of ``spans``, for a database without any."""
    TRACES.save(connection, [TraceSums(id=row_id, trace_id=trace_id) for row_id, trace_id in traces.items()])
    session_ids: set[str] = set()
    for row_id, trace_id in traces.items():
        shares = _sum_shares(connection, row_id)
        session_ids.update(shares)
        _save_shares(connection, {row_id: shares})
        TRACES.save(connection, [sum_trace(connection, trace_id)])
    sum_sessions(connection, session_ids)
    runs.sum_all_runs(connection)


def _take_excerpts(sums: TraceSums, excerpts: Excerpts) -> None:
    if excerpts.question is not None:
        sums.question, sums.question_ns = excerpts.question
    if excerpts.answer is not None:
        sums.answer, sums.answer_ns = excerpts.answer


def _rows(connection: Connection, trace: str, value: str | int) -> Iterable[Row]:
    rows = connection.exec_driver_sql(f"SELECT {', '.join(_SUMMED)} FROM spans WHERE trace_id = {trace}", (value,))
    for row in rows:
        values: dict[str, Any] = _BLANK | dict(zip(_SUMMED, row, strict=True))
        yield Row(**values)


def sum_sessions(connection: Connection, session_ids: Iterable[str]) -> None:
    """Compute sessions from their traces and store them; sessions without traces are deleted."""
    summed: list[SessionSums] = []
    for session_id in session_ids:
        sums = SessionSums(session_id=session_id)
        for trace, share in _members(connection, session_id):
            sums.add(trace, share)
        if sums.traces or sums.uncaught:
            summed.append(sums)
        else:
            connection.exec_driver_sql("DELETE FROM sessions WHERE session_id = ?", (session_id,))
    SESSIONS.save(connection, summed)


def _members(connection: Connection, session_id: str) -> Iterable[tuple[TraceSums, Sums]]:
    """Return the traces of a session, each with the session's part of its totals."""
    trace = ", ".join(f"traces.{name}" for name in _OF_SESSIONS)
    whole, shared = (", ".join(f"{table}.{name}" for name in _SHARE_FIELDS) for table in ("traces", "shares"))
    sql = (
        f"SELECT {trace}, {whole} FROM traces WHERE session_id = :id AND mixed = 0 UNION ALL "
        f"SELECT {trace}, {shared} FROM shares JOIN traces ON traces.id = shares.trace_id WHERE shares.session_id = :id"
    )
    for row in driver(connection).execute(sql, {"id": session_id}):
        values: dict[str, Any] = dict(zip(_OF_SESSIONS, row, strict=False))
        yield TraceSums(**values), Sums(*row[len(_OF_SESSIONS) :])


def _was_other(old: TraceSums, new: TraceSums) -> bool:
    return bool(old.mixed) or old.session_id not in (None, new.session_id)


def _shares(trace: TraceSums, shared: Mapping[int, Shares]) -> Mapping[str, Sums]:
    if trace.id in shared:
        return shared[trace.id]
    return {} if trace.session_id is None else {trace.session_id: trace}


def _load_shares(connection: Connection, row_ids: Sequence[int]) -> dict[int, Shares]:
    shares: dict[int, Shares] = {row_id: {} for row_id in row_ids}
    columns = ", ".join(_SHARE_FIELDS)
    for row_id in row_ids:
        sql = f"SELECT session_id, {columns} FROM shares WHERE trace_id = ?"
        for session_id, *values in driver(connection).execute(sql, (row_id,)):
            shares[row_id][session_id] = Sums(*values)
    return shares


def _moved(stored: Mapping[int, Mapping[str, Sums]], changes: Iterable[Change]) -> dict[int, Shares]:
    """Return the shares of some traces after changes of rows, without reading other rows."""
    moved = {
        row_id: {session_id: Sums(*_share_values(sums)) for session_id, sums in shares.items()}
        for row_id, shares in stored.items()
    }
    for old, new in changes:
        shares = moved.get(new.trace_id)
        if shares is None:
            continue
        for row, by in ((old, -1), (new, 1)):
            if row is not None and row.session_id is not None:
                shares.setdefault(row.session_id, Sums()).count(row, by)
    return {
        row_id: {session_id: sums for session_id, sums in shares.items() if sums.spans}
        for row_id, shares in moved.items()
    }


def _sum_shares(connection: Connection, row_id: int) -> Shares:
    shares: Shares = {}
    for row in _rows(connection, "?", row_id):
        if row.session_id is not None:
            shares.setdefault(row.session_id, Sums()).count(row, 1)
    return shares


def _save_shares(connection: Connection, shared: Mapping[int, Shares]) -> None:
    for row_id, shares in shared.items():
        driver(connection).execute("DELETE FROM shares WHERE trace_id = ?", (row_id,))
        for sums in shares.values():
            sums.saturate()
        rows = [(row_id, session_id, *_share_values(sums)) for session_id, sums in shares.items()]
        if len(rows) > 1:
            sql = f"INSERT INTO shares (trace_id, session_id, {', '.join(_SHARE_FIELDS)}) VALUES {VALUES}"
            execute_rows(driver(connection), sql, rows)


def _copied(sums: TraceSums) -> TraceSums:
    copied = copy(sums)
    copied.models = set(sums.models)
    return copied


def _apply_to_sessions(
    connection: Connection,
    before: Mapping[int, tuple[TraceSums, Mapping[str, Sums]]],
    after: Mapping[int, tuple[TraceSums, Mapping[str, Sums]]],
    unsure: set[int],
) -> None:
    touched = {session_id for parts in (before, after) for _, shares in parts.values() for session_id in shares}
    sums_of = {sums.session_id: sums for sums in SESSIONS.load(connection, "session_id", touched)}
    again: set[str] = set()
    for row_id, (new, shares) in after.items():
        old, were = before.get(row_id, (new, {}))
        for session_id, share in were.items():
            if session_id not in shares or row_id in unsure:
                again.add(session_id)
            elif session_id in sums_of:
                sums_of[session_id].add(old, share, -1)
        for session_id, share in shares.items():
            sums_of.setdefault(session_id, SessionSums(session_id=session_id)).add(new, share)
    SESSIONS.save(connection, [sums for session_id, sums in sums_of.items() if session_id not in again])
    sum_sessions(connection, again)
