"""Logs, which wait for their spans, and are kept for a while in case these are sent again without them."""

from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import Connection

from inspector.model import Span
from inspector.store.model import DueLogs, Joined, KeptLog
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.codec import pack, unpack
from inspector.store.values.logs import DUE, JOINED, MOST_JOINED, WAITING, LogRow, ended, log_of, spans_of
from inspector.store.values.retention import HOUR_NS
from inspector.store.values.rows import Key, clean

_INSERT = f"INSERT OR IGNORE INTO logs (trace_id, span_id, identity, time_ns, hour, state, event) VALUES {VALUES}"
_MOST_LOOKED_AT = 4_096
"""Logs that are looked at for the spans that have some due; usually a span has few."""
# Each span is looked up by itself: for pairs in a list, SQLite would not use the index, and by itself it would compare
# every log that waits with every span.
_OF_SPANS = (
    "SELECT logs.id FROM json_each(?) AS wanted CROSS JOIN logs INDEXED BY ux_logs_log "
    "ON logs.trace_id = json_extract(wanted.value, '$[0]') AND logs.span_id = json_extract(wanted.value, '$[1]')"
)
_HAS_ENDED = (
    "EXISTS (SELECT 1 FROM traces JOIN spans ON spans.trace_id = traces.id AND spans.span_id = logs.span_id "
    "WHERE traces.trace_id = logs.trace_id AND spans.status <> 'running')"
)


class KeptLogs:
    """Follows the logs of a store, which are not looked for as long as there are none."""

    def __init__(self) -> None:
        self._are_there: bool | None = None
        self.may_be_due = True
        """Whether some may have to be joined."""

    def forget(self) -> None:
        """Look again, after a failed transaction or after rows were deleted."""
        self._are_there, self.may_be_due = None, True

    def take_in(self, connection: Connection, spans: Sequence[Span], rows: Sequence[LogRow], now_ns: int) -> None:
        """Store logs, and follow spans that were written."""
        if not rows and not self._look(connection):
            return
        if rows:
            self._are_there = True
            _add(connection, rows, now_ns // HOUR_NS)
        self._make_due(connection, ended(spans))

    def follow_lost(self, connection: Connection, processes: Iterable[str]) -> None:
        """Follow spans that are about to be marked as lost."""
        if self._look(connection):
            self._make_due(connection, _running_of(connection, processes))

    def due(self, connection: Connection, most: int) -> Sequence[DueLogs]:
        """Return up to ``most`` spans whose logs are to be joined, the first to arrive first, each with all of them."""
        execute = driver(connection).execute
        first = f"SELECT id, trace_id, span_id FROM logs WHERE state = {DUE} ORDER BY id LIMIT {_MOST_LOOKED_AT}"
        sql = f"SELECT trace_id, span_id FROM ({first}) GROUP BY 1, 2 ORDER BY min(id) LIMIT ?"
        due: list[DueLogs] = []
        for trace_id, span_id in execute(sql, (most,)).fetchall():
            key = (trace_id, span_id)
            (last,) = execute("SELECT max(id) FROM logs WHERE trace_id = ? AND span_id = ?", key).fetchone()
            events = execute(
                "SELECT event FROM logs WHERE trace_id = ? AND span_id = ? ORDER BY time_ns, identity LIMIT ?",
                (*key, MOST_JOINED),
            )
            due.append(DueLogs(*key, [log_of(*key, unpack(event)) for (event,) in events], last))
        self.may_be_due = bool(due)
        return due

    def join(self, connection: Connection, spans: Sequence[Span], joined: Sequence[Joined]) -> Sequence[Span]:
        """Mark logs as joined, and return the spans to write: those that have not changed meanwhile.

        Logs that arrived since they were joined stay due.
        """
        if not joined:
            return spans
        stale = _stale(connection, joined)
        sql = f"UPDATE logs SET state = {JOINED} WHERE trace_id = ? AND span_id = ? AND id <= ? AND state = {DUE}"
        values = [(*key, each.due.last) for each in joined if (key := _key(each)) not in stale]
        driver(connection).executemany(sql, values)
        return [span for span in spans if (clean(span.trace_id), clean(span.span_id)) not in stale]

    def _make_due(self, connection: Connection, spans: Sequence[Key]) -> None:
        """Have the logs of these spans joined again: they have ended, and their rows may have no logs."""
        self.may_be_due = True
        if spans:
            _set_due(connection, spans, f"logs.state <> {DUE}")

    def _look(self, connection: Connection) -> bool:
        if self._are_there is None:
            self._are_there = driver(connection).execute("SELECT 1 FROM logs LIMIT 1").fetchone() is not None
        return self._are_there


def _key(joined: Joined) -> Key:
    return joined.due.trace_id, joined.due.span_id


def _as_json(spans: Iterable[Key]) -> str:
    return msgspec.json.encode(list(spans)).decode()


def _add(connection: Connection, rows: Sequence[LogRow], hour: int) -> None:
    """Store logs that are not stored yet; those of spans that have ended are due."""
    values = [
        (row.trace_id, row.span_id, row.identity, row.time_ns, hour, WAITING, pack(row.event.encode())) for row in rows
    ]
    execute_rows(driver(connection), _INSERT, values)
    _set_due(connection, spans_of(rows), f"logs.state = {WAITING} AND {_HAS_ENDED}")


def _set_due(connection: Connection, spans: Iterable[Key], where: str) -> None:
    wanted = _as_json(spans)
    sql = f"UPDATE logs SET state = {DUE} WHERE id IN ({_OF_SPANS} WHERE {where})"
    driver(connection).execute(sql, (wanted,))


def _running_of(connection: Connection, processes: Iterable[str]) -> list[Key]:
    """Return the spans that processes left running."""
    rows = driver(connection).execute(
        "SELECT traces.trace_id, spans.span_id FROM spans JOIN traces ON traces.id = spans.trace_id "
        "WHERE spans.process IN (SELECT value FROM json_each(?)) AND spans.status = 'running'",
        (json_list([clean(process) for process in processes]),),
    )
    return rows.fetchall()


def _stale(connection: Connection, joined: Sequence[Joined]) -> set[Key]:
    """Return the spans that are no longer as they were when logs were joined to them."""
    wanted = _as_json(map(_key, joined))
    rows = driver(connection).execute(
        "SELECT traces.trace_id, spans.span_id, spans.seq FROM json_each(?) AS wanted "
        "JOIN traces ON traces.trace_id = json_extract(wanted.value, '$[0]') "
        "JOIN spans ON spans.trace_id = traces.id AND spans.span_id = json_extract(wanted.value, '$[1]')",
        (wanted,),
    )
    seqs = {(trace_id, span_id): seq for trace_id, span_id, seq in rows}
    return {_key(each) for each in joined if seqs.get(_key(each), each.seq) != each.seq}


def forget(connection: Connection, trace_id: str, most: int) -> int:
    """Remove logs of a trace, and return how many."""
    sql = "DELETE FROM logs WHERE id IN (SELECT id FROM logs WHERE trace_id = ? LIMIT ?)"
    return driver(connection).execute(sql, (trace_id, most)).rowcount


def drop_some(connection: Connection, before_hour: int, most_waiting: int, limit: int) -> tuple[int, int]:
    """Remove logs from before an hour, then the first of those that wait if they are too many.

    Returns:
        How many were removed, and how many of them had not been joined.
    """
    execute = driver(connection).execute
    aged = "DELETE FROM logs WHERE id IN (SELECT id FROM logs WHERE hour < ? LIMIT ?) RETURNING state"
    states = [state for (state,) in execute(aged, (before_hour, limit)).fetchall()]
    if not states:
        (waiting,) = execute(f"SELECT count(*) FROM logs WHERE state = {WAITING}").fetchone()
        first = f"SELECT id FROM logs WHERE state = {WAITING} ORDER BY id LIMIT ?"
        surplus = execute(
            f"DELETE FROM logs WHERE id IN ({first}) RETURNING state",
            (min(limit, max(0, waiting - most_waiting)),),
        )
        states = [state for (state,) in surplus.fetchall()]
    return len(states), sum(state != JOINED for state in states)


def read_logs(connection: Connection, after: tuple[str, str, str], limit: int) -> tuple[KeptLog, ...]:
    """Return stored logs, in the order of their ids and identities."""
    rows = driver(connection).execute(
        "SELECT trace_id, span_id, identity, hour, event FROM logs WHERE (trace_id, span_id, identity) > (?, ?, ?) "
        "ORDER BY trace_id, span_id, identity LIMIT ?",
        (*after, limit),
    )
    return tuple(
        KeptLog(log_of(trace_id, span_id, unpack(event)), identity, (hour + 1) * HOUR_NS - 1)
        for trace_id, span_id, identity, hour, event in rows
    )
