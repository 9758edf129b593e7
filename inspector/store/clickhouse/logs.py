"""Logs, which wait for their spans, and are kept for a while in case these are sent again without them.

Without transactions, logs are due before the span that they are due to is written. Whoever joins them to what was
there before finds that it has changed when the result is to be written.
"""

from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Final

from msgspec import Struct

from inspector.model import Log
from inspector.store.clickhouse.cluster import DELETE_AT_ONCE, keeper_of
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.prepared import Prepared
from inspector.store.clickhouse.slots import of_traces
from inspector.store.clickhouse.tables import LOGS
from inspector.store.clickhouse.writer import Writer
from inspector.store.model import DueLogs, Joined, KeptLog
from inspector.store.values.logs import DUE, JOINED, MOST_JOINED, WAITING, LogRow, ended, log_of, spans_of
from inspector.store.values.retention import HOUR_NS
from inspector.store.values.rows import Key, clamp

_SLICE: Final = 2_000
"""Logs to remove at a time, if too many wait."""
_MOST_KNOWN: Final = 10_000
"""Spans with due logs that are remembered; if there are more, the table is read each time."""


class JoinedLogs(Struct, array_like=True, frozen=True):
    """Logs that are joined to their span with a change, in the form that it has in the inbox."""

    trace_id: str
    span_id: str
    last: int
    seq: int


def joined_logs(joined: Iterable[Joined]) -> list[JoinedLogs]:
    """Return what a change has of joined logs."""
    return [JoinedLogs(each.due.trace_id, each.due.span_id, each.due.last, each.seq) for each in joined]


class Logs:
    """Follows the logs of a database for its writer; they are not looked for as long as there are none."""

    def __init__(self, database: Database, writer: Writer) -> None:
        self._database, self._writer = database, writer
        self._are_there: bool | None = None
        # The spans with due logs, and the version since which they are: a query for them reads the whole table.
        self._known_due: dict[Key, int] | None = None

    def take_over(self) -> None:
        """Look again, since another process may have written."""
        self._are_there = self._known_due = None

    def follow(self, spans: Sequence[Prepared], rows: Sequence[LogRow], arrived_ns: int) -> None:
        """Store logs, and have those joined again whose spans are about to be written as ended."""
        if not rows and not self._look():
            return
        with self._forgetting_on_error():
            if rows:
                self._are_there = True
                self._add(rows, arrived_ns // HOUR_NS)
            self._make_due(ended(spans))

    def follow_lost(self, processes: Sequence[str]) -> None:
        """Have the logs joined of spans that are about to be marked as lost."""
        if not self._look():
            return
        values = Values()
        sql = "SELECT trace_id, span_id FROM spans FINAL WHERE status = 'running' AND process IN "
        with self._forgetting_on_error():
            self._make_due(self._database.rows(f"{sql}{values.texts(processes)}", values))

    def due(self, most: int) -> list[DueLogs]:
        """Return up to ``most`` spans whose logs are to be joined."""
        keys = list(islice(self._all_due(), most))
        if not keys:
            return []
        values = Values()
        rows = self._database.rows(
            "SELECT trace_id, span_id, max(version) OVER (PARTITION BY trace_id, span_id) AS last, event "
            f"FROM logs FINAL WHERE {_exactly(keys, values)} ORDER BY trace_id, span_id, time_ns, identity "
            f"LIMIT {MOST_JOINED} BY trace_id, span_id",
            values,
        )
        logs: dict[Key, list[Log]] = {}
        last: dict[Key, int] = {}
        for trace_id, span_id, version, event in rows:
            logs.setdefault((trace_id, span_id), []).append(log_of(trace_id, span_id, event))
            last[trace_id, span_id] = version
        if self._known_due is not None:
            for deleted in set(keys) - logs.keys():
                del self._known_due[deleted]
        return [DueLogs(*key, its, last[key]) for key, its in logs.items()]

    def stale(self, joined: Sequence[JoinedLogs]) -> set[Key]:
        """Return the spans that are no longer as they were when logs were joined to them."""
        keys = [(each.trace_id, each.span_id) for each in joined]
        values = Values()
        among = self._of_spans(keys, values)
        rows = self._database.rows(f"SELECT trace_id, span_id, seq FROM spans FINAL WHERE {among}", values)
        seqs = {(trace_id, span_id): seq for trace_id, span_id, seq in rows}
        return {key for each, key in zip(joined, keys, strict=True) if seqs.get(key, each.seq) != each.seq}

    def mark_joined(self, joined: Sequence[JoinedLogs]) -> None:
        """Mark logs as joined; those that arrived since then stay due."""
        if not joined:
            return
        values = Values()
        each_due = " OR ".join(
            f"(trace_id = {values.text(each.trace_id)} AND span_id = {values.text(each.span_id)} "
            f"AND version <= {values.integer(each.last)})"
            for each in joined
        )
        self._set_state(JOINED, f"state = {DUE} AND ({each_due})", values)
        for each in joined:
            key = (each.trace_id, each.span_id)
            if self._known_due is not None and self._known_due.get(key, each.last + 1) <= each.last:
                del self._known_due[key]

    def drop(self, before_hour: int, most: int) -> int:
        """Remove old logs, and those that too many wait after; return how many had not been joined."""
        if not self._look():
            return 0
        unjoined = self._drop(f"hour < {clamp(before_hour)}", Values())
        waiting = f"FROM logs FINAL WHERE state = {WAITING}"
        surplus = self._database.row(f"SELECT count() {waiting}")[0] - most
        while surplus > 0:
            values = Values()
            first = f"SELECT trace_id, span_id, identity {waiting} ORDER BY hour, version LIMIT {min(surplus, _SLICE)}"
            identities = values.texts([" ".join(row) for row in self._database.rows(first)])
            unjoined += self._drop(f"concat(trace_id, ' ', span_id, ' ', identity) IN {identities}", values)
            surplus -= _SLICE
        return unjoined

    @contextmanager
    def _forgetting_on_error(self) -> Generator[None]:
        try:
            yield
        except BaseException:
            # What failed may be stored, and is then not found to be new when it is repeated.
            self.take_over()
            raise

    def _drop(self, where: str, values: Values) -> int:
        counts = f"SELECT count(), countIf(state <> {JOINED}) FROM logs FINAL WHERE {where}"
        number, unjoined = self._database.row(counts, values)
        if number:
            statement = f"DELETE FROM {keeper_of(self._database, 'logs')} WHERE {where}"
            self._database.command(statement, values, DELETE_AT_ONCE)
        return unjoined

    def _add(self, rows: Sequence[LogRow], hour: int) -> None:
        keys = spans_of(rows)
        values = Values()
        sql = f"SELECT trace_id, span_id, identity FROM logs FINAL WHERE {_among(keys, values)}"
        known = {tuple(row) for row in self._database.rows(sql, values)}
        new = [row for row in rows if (row.trace_id, row.span_id, row.identity) not in known]
        if not new:
            return
        values = Values()
        sql = f"SELECT trace_id, span_id FROM spans FINAL WHERE {self._of_spans(keys, values)} AND status <> 'running'"
        over = {(trace_id, span_id) for trace_id, span_id in self._database.rows(sql, values)}
        version = self._writer.next_version()
        written = [
            (
                *(row.trace_id, row.span_id, row.identity, version, row.time_ns, hour),
                *(DUE if (row.trace_id, row.span_id) in over else WAITING, row.event),
            )
            for row in new
        ]
        self._database.insert("logs", tuple(LOGS), written, token=self._writer.token(version))
        self._note_due(over & set(spans_of(new)), version)

    def _make_due(self, spans: Collection[Key]) -> None:
        if not spans:
            return
        values = Values()
        sql = f"SELECT DISTINCT trace_id, span_id FROM logs FINAL WHERE {_among(spans, values)} AND state <> {DUE}"
        found = {(trace_id, span_id) for trace_id, span_id in self._database.rows(sql, values)}
        wanted = found & {(trace_id, span_id) for trace_id, span_id in spans}
        if wanted:
            values = Values()
            version = self._set_state(DUE, f"{_exactly(wanted, values)} AND state <> {DUE}", values)
            self._note_due(wanted, version)

    def _note_due(self, spans: Iterable[Key], version: int) -> None:
        if self._known_due is not None:
            self._known_due |= dict.fromkeys(spans, version)
            if len(self._known_due) > _MOST_KNOWN:
                self._known_due = None

    def _all_due(self) -> dict[Key, int]:
        if self._known_due is None:
            sql = (
                f"SELECT trace_id, span_id, max(version) FROM logs FINAL WHERE state = {DUE} GROUP BY 1, 2 "
                f"LIMIT {_MOST_KNOWN}"
            )
            due = {(trace_id, span_id): version for trace_id, span_id, version in self._database.rows(sql)}
            if len(due) == _MOST_KNOWN:
                return due
            self._known_due = due
        return self._known_due

    def _set_state(self, state: int, where: str, values: Values) -> int:
        version = self._writer.next_version()
        changed = {"state": str(state), "version": str(version)}
        columns = ", ".join(changed.get(name, name) for name in LOGS)
        # Within, since a condition would otherwise mean the new values.
        rows = f"SELECT * FROM logs FINAL WHERE {where}"
        self._database.insert_selected(f"INSERT INTO `logs` ({', '.join(LOGS)}) SELECT {columns} FROM ({rows})", values)
        return version

    def _of_spans(self, keys: Collection[Key], values: Values) -> str:
        """Return the condition for these spans and perhaps some others."""
        return f"{_among(keys, values)} AND {of_traces(self._database, [trace_id for trace_id, _ in keys])}"

    def _look(self) -> bool:
        if self._are_there is None:
            self._are_there = self._database.row("SELECT 1 FROM logs LIMIT 1") is not None
        return self._are_there


def _among(keys: Collection[Key], values: Values) -> str:
    traces = values.texts(list(dict.fromkeys(trace_id for trace_id, _ in keys)))
    return f"trace_id IN {traces} AND span_id IN {values.texts([span_id for _, span_id in keys])}"


def _exactly(keys: Collection[Key], values: Values) -> str:
    # With both ids in one text, since only texts can be bound.
    both = values.texts([f"{trace_id} {span_id}" for trace_id, span_id in keys])
    return f"{_among(keys, values)} AND concat(trace_id, ' ', span_id) IN {both}"


def forget_logs(database: Database, trace_ids: Sequence[str]) -> None:
    """Remove the logs of deleted traces."""
    values = Values()
    among = f"trace_id IN {values.texts(trace_ids)}"
    # A delete reads every part of its table, even if there is nothing to delete.
    if database.row(f"SELECT 1 FROM logs WHERE {among} LIMIT 1", values) is not None:
        database.command(f"DELETE FROM {keeper_of(database, 'logs')} WHERE {among}", values, DELETE_AT_ONCE)


def read_logs(database: Database, after: tuple[str, str, str], limit: int) -> tuple[KeptLog, ...]:
    """Return stored logs, in the order of their ids and identities."""
    values = Values()
    place = ", ".join(map(values.text, after))
    rows = database.rows(
        "SELECT trace_id, span_id, identity, hour, event FROM logs FINAL "
        f"WHERE (trace_id, span_id, identity) > ({place}) ORDER BY trace_id, span_id, identity LIMIT {limit}",
        values,
    )
    return tuple(
        KeptLog(log_of(trace_id, span_id, event), identity, (hour + 1) * HOUR_NS - 1)
        for trace_id, span_id, identity, hour, event in rows
    )
