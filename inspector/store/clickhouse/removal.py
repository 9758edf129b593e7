"""Removes traces, and finds what is removed next."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from inspector.store.clickhouse.cluster import DELETE_AT_ONCE, files_of, keeper_of
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.labels import forget_labels, forget_stray_labels
from inspector.store.clickhouse.logs import forget_logs
from inspector.store.clickhouse.losses import prune_losses
from inspector.store.clickhouse.writer import Writer
from inspector.store.errors import QueryTooSlow
from inspector.store.model import Age, Pruned
from inspector.store.values.rows import clamp

_SLICE: Final = 2000
"""Traces to remove at a time."""
_LAST_S: Final = 2**32 - 1
"""The last second that the days of partitions can express."""


def delete_traces(database: Database, writer: Writer, trace_ids: Sequence[str]) -> int:
    """Remove traces, and return how many spans they had."""
    if not trace_ids:
        return 0
    values = Values()
    among = f"trace_id IN {values.texts(trace_ids)}"
    # From the traces, because the partitions of some spans may be dropped already.
    spans = database.row(f"SELECT sum(spans) FROM traces FINAL WHERE {among}", values)
    runs = database.rows(f"SELECT DISTINCT run_id FROM traces FINAL WHERE {among}", values)
    # The traces last, so that the next call finds and finishes an interrupted removal. A delete reads every part of its
    # table, even if there is nothing to delete.
    are_there = database.row(f"SELECT 1 FROM spans WHERE {among} LIMIT 1", values) is not None
    if are_there:
        writer.change_hours(among, values)
    for table in ("spans", "traces") if are_there else ("traces",):
        database.command(f"DELETE FROM {keeper_of(database, table)} WHERE {among}", values, DELETE_AT_ONCE)
    forget_logs(database, trace_ids)
    forget_labels(database, writer, trace_ids, [row[0] for row in runs])
    writer.forget()
    return 0 if spans is None else spans[0]


def traces_of(database: Database, condition: str, value: str) -> list[str]:
    """Return the traces that meet a condition; ``{}`` in it is replaced by the value."""
    values = Values()
    where = condition.format(values.text(value))
    return [row[0] for row in database.rows(f"SELECT trace_id FROM traces FINAL WHERE {where}", values)]


def prune(
    database: Database,
    writer: Writer,
    *,
    before_ns: int | None,
    max_bytes: int | None,
    by: Age,
    for_s: float | None,
) -> Pruned:
    """Remove traces that are too old, then the oldest ones until the database is small enough."""
    until = math.inf if for_s is None else time.monotonic() + for_s
    before = used_bytes(database)
    traces = spans = 0
    complete = True
    if before_ns is not None:
        prune_losses(database, writer, before_ns, by)
        forget_stray_labels(database, writer, before_ns)
        # If there is too much to check whole days in time, traces are deleted one by one.
        with suppress(QueryTooSlow):
            _drop_days(database, writer, before_ns, by)
    for batch in _batches(database, before_ns, max_bytes, by):
        spans += delete_traces(database, writer, batch)
        traces += len(batch)
        if time.monotonic() > until:
            complete = False
            break
    if traces and max_bytes is not None:
        # Deleted rows stay in their parts, hidden, until these are merged.
        for table in ("spans", "traces"):
            database.command(f"ALTER TABLE {keeper_of(database, table)} APPLY DELETED MASK", settings=DELETE_AT_ONCE)
    return Pruned(traces, spans, max(0, before - used_bytes(database)), complete)


def _batches(database: Database, before_ns: int | None, max_bytes: int | None, by: Age) -> Iterator[list[str]]:
    first = "id" if by == "arrival" else "start_ns"
    if before_ns is not None:
        sql = f"SELECT trace_id FROM traces FINAL WHERE {_older(before_ns, by)} ORDER BY {first} LIMIT {_SLICE}"
        while batch := [row[0] for row in database.rows(sql)]:
            yield batch
    if max_bytes is None or (used := used_bytes(database)) <= max_bytes:
        return
    row = database.row("SELECT sum(spans) FROM traces FINAL")
    too_many = 0 if row is None else math.ceil(row[0] * (1 - max_bytes / used))
    while too_many > 0:
        oldest = database.rows(f"SELECT trace_id, spans FROM traces FINAL ORDER BY {first} LIMIT {_SLICE}")
        batch: list[str] = []
        for trace_id, spans in oldest:
            if too_many > 0:
                batch.append(trace_id)
                too_many -= spans
        if not batch:
            return
        yield batch


def _older(before_ns: int, by: Age) -> str:
    at = clamp(before_ns)
    return f"arrived_ns < {at}" if by == "arrival" else f"start_ns < {at} AND ifNull(end_ns, start_ns) < {at}"


def _drop_days(database: Database, writer: Writer, before_ns: int, by: Age) -> None:
    """Drop the partitions of days whose traces are all too old, which is cheap; `prune` then removes their traces."""
    old = f"SELECT trace_id FROM traces FINAL WHERE {_older(before_ns, by)}"
    # Only whole days in the past. A span with a start after its arrival is removed with its trace.
    before_s = min(max(clamp(before_ns) // 10**9, 0), _LAST_S)
    days = database.rows(
        f"SELECT toDate(slot * 60) AS day FROM spans WHERE day < toDate({before_s}) "
        f"GROUP BY day HAVING countIf(trace_id NOT IN ({old})) = 0 ORDER BY day"
    )
    for (day,) in days:
        writer.change_hours(f"toDate(slot * 60) = '{day}'", Values())
        # By default, a server refuses to drop more than 50 GB.
        statement = f"ALTER TABLE {keeper_of(database, 'spans')} DROP PARTITION '{day}'"
        database.command(statement, settings={"max_partition_size_to_drop": 0})


def used_bytes(database: Database) -> int:
    """Return the size of the tables on disk."""
    parts = "active AND database = currentDatabase()"
    row = database.row(f"SELECT sum(bytes_on_disk) FROM {files_of(database)} WHERE {parts}")
    return 0 if row is None else int(row[0] or 0)
