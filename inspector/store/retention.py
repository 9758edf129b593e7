"""Removing spans for good: by trace, by session, by age and by size, in transactions short enough to wait for."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection

from inspector.store import rollups, search
from inspector.store.contents import json_list
from inspector.store.engine import driver
from inspector.store.losses import prune_losses
from inspector.store.ownership import release, scope_of
from inspector.store.protocol import Pruned
from inspector.store.rows import clamp

SLICE_SPANS = 2000
"""Most spans that one transaction removes."""
SLICE_TRACES = 200
SIZE_TRACES = 50
"""Traces between two looks at the size."""
_VACUUM_PAGES = 256


class Transactions(Protocol):
    """Opens one write transaction after another; others may write in between."""

    def __call__(self) -> AbstractContextManager[Connection]:
        """Begins a transaction, which ends with the block."""
        ...


def delete_traces(transactions: Transactions, trace_ids: Sequence[str]) -> int:
    """Removes traces, and returns how many spans they had; one cut short is finished by the next call."""
    removed = 0
    for start in range(0, len(trace_ids), SLICE_TRACES):
        chunk = trace_ids[start : start + SLICE_TRACES]
        count = SLICE_SPANS
        while count == SLICE_SPANS:
            with transactions() as connection:
                count = _delete_slice(connection, chunk)
            removed += count
    return removed


def delete_session(transactions: Transactions, session_id: str) -> int:
    """Removes the traces with a span of a session, and returns how many spans they had."""
    with transactions() as connection:
        found = connection.exec_driver_sql(
            "SELECT trace_id FROM traces WHERE session_id = :session "
            "OR id IN (SELECT trace_id FROM shares WHERE session_id = :session) ORDER BY start_ns DESC",
            {"session": session_id},
        ).all()
    return delete_traces(transactions, [row[0] for row in found])


def prune(
    transactions: Transactions, *, before_ns: int | None, max_bytes: int | None, for_s: float | None = None
) -> Pruned:
    """Removes what is too old, then the oldest while there is too much, and gives the space back."""
    until = math.inf if for_s is None else time.monotonic() + for_s
    with transactions() as connection:
        bytes_before = _file_bytes(connection)
        if before_ns is not None:
            prune_losses(connection, before_ns)
    traces = removed = 0
    complete = True
    for count, spans in _removals(transactions, before_ns, max_bytes):
        traces += count
        removed += spans
        if time.monotonic() > until:
            complete = False
            break
    with transactions() as connection:
        return Pruned(traces, removed, max(0, bytes_before - _file_bytes(connection)), complete)


def _removals(transactions: Transactions, before_ns: int | None, max_bytes: int | None) -> Iterator[tuple[int, int]]:
    """Removes traces, then gives space back, and says after each step how many traces and spans went."""
    while batch := _next_batch(transactions, before_ns, max_bytes):
        yield len(batch), delete_traces(transactions, batch)
    more = True
    while more:
        with transactions() as connection:
            more = _vacuum_some(connection)
        if more:
            yield 0, 0


def used_bytes(connection: Connection) -> int:
    """Returns how much of the database file is in use."""
    free, size = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar() or 0) for name in ("freelist_count", "page_size")
    )
    return _file_bytes(connection) - free * size


def _next_batch(transactions: Transactions, before_ns: int | None, max_bytes: int | None) -> Sequence[str]:
    with transactions() as connection:
        if before_ns is not None:
            before = clamp(before_ns)
            aged = connection.exec_driver_sql(
                "SELECT trace_id FROM traces WHERE start_ns < ? AND coalesce(end_ns, start_ns) < ? "
                "ORDER BY start_ns LIMIT ?",
                (before, before, SLICE_TRACES),
            ).all()
            if aged:
                return [row[0] for row in aged]
        if max_bytes is None or used_bytes(connection) <= max_bytes:
            return ()
        oldest = connection.exec_driver_sql("SELECT trace_id FROM traces ORDER BY start_ns LIMIT ?", (SIZE_TRACES,))
        return [row[0] for row in oldest]


def _file_bytes(connection: Connection) -> int:
    pages, size = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar() or 0) for name in ("page_count", "page_size")
    )
    return pages * size


def _vacuum_some(connection: Connection) -> bool:
    if not connection.exec_driver_sql("PRAGMA freelist_count").scalar():
        return False
    driver(connection).execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})").fetchall()
    return True


def _delete_slice(connection: Connection, trace_ids: Sequence[str]) -> int:
    wanted = json_list(trace_ids)
    # Newest first: messages stay with the earlier spans that brought them until those go too.
    found = connection.exec_driver_sql(
        f"SELECT session_id, trace_id, {search.INDEXED_COLUMNS} FROM spans "  # noqa: S608  # constants
        "WHERE trace_id IN (SELECT id FROM traces WHERE trace_id IN (SELECT value FROM json_each(?))) "
        "ORDER BY id DESC LIMIT ?",
        (wanted, SLICE_SPANS),
    ).all()
    rows = [search.Indexed(*values[2:]) for values in found]
    search.forget(connection, rows)
    ids = json_list([row.id for row in rows])
    connection.exec_driver_sql("DELETE FROM spans WHERE id IN (SELECT value FROM json_each(?))", (ids,))
    orphans = connection.exec_driver_sql(
        "SELECT id FROM contents WHERE span IN (SELECT value FROM json_each(?))", (ids,)
    )
    release(connection, set(orphans.scalars()), {scope_of(values[0], values[1]) for values in found})
    if len(rows) < SLICE_SPANS:
        left = connection.exec_driver_sql(
            "DELETE FROM traces WHERE trace_id IN (SELECT value FROM json_each(?)) RETURNING session_id, id", (wanted,)
        ).all()
        shared = connection.exec_driver_sql(
            "DELETE FROM shares WHERE trace_id IN (SELECT value FROM json_each(?)) RETURNING session_id",
            (json_list([row[1] for row in left]),),
        ).all()
        rollups.sum_sessions(connection, {row[0] for row in (*left, *shared) if row[0] is not None})
        search.merge(connection)
    return len(rows)
