"""Removing spans for good: by trace, by session, by age and by size, in transactions short enough to wait for."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

from sqlalchemy import Connection

from inspector.store import arrivals, rollups, search
from inspector.store.contents import json_list
from inspector.store.engine import driver
from inspector.store.errors import StoreFull
from inspector.store.losses import prune_losses
from inspector.store.ownership import release, scope_of
from inspector.store.protocol import Age, Pruned
from inspector.store.removal import Removal
from inspector.store.rows import clamp

SLICE_TRACES = 200
SIZE_TRACES = 50
"""Most traces between two looks at the size; fewer where fewer are too many."""
_TIDY_SHARE = 4
"""The index of the text is merged once this part of the spans that are left was removed."""
_VACUUM_PAGES, _TIGHT_VACUUM_PAGES = 256, 16
"""Pages that one transaction gives back, in general and where the disk is full."""


class _Aged(Protocol):
    def __call__(self, connection: Connection, *, limit: int) -> Sequence[str]:
        """Returns traces that are too old."""
        ...


def delete_traces(removal: Removal, trace_ids: Sequence[str]) -> int:
    """Removes traces, and returns how many spans they had; one cut short is finished by the next call."""
    removed = 0
    for start in range(0, len(trace_ids), SLICE_TRACES):
        chunk = trace_ids[start : start + SLICE_TRACES]
        more = True
        while more:
            count, more = removal.step(lambda connection: _delete_slice(connection, chunk, removal.spans))  # noqa: B023 - called at once
            removed += count
    if removal.is_tight:
        # A page that is free is free for us alone; on a full disk others wait for it.
        give_back(removal)
    return removed


def give_back(removal: Removal) -> None:
    """Gives all free pages back to the file system."""
    while removal.step(lambda connection: _vacuum_some(connection, _pages(removal))):
        pass


def delete_session(removal: Removal, session_id: str) -> int:
    """Removes the traces with a span of a session, and returns how many spans they had."""
    sql = (
        "SELECT trace_id FROM traces WHERE session_id = :session "
        "OR id IN (SELECT trace_id FROM shares WHERE session_id = :session) ORDER BY start_ns DESC"
    )
    found = removal.step(lambda connection: connection.exec_driver_sql(sql, {"session": session_id}).scalars().all())
    return delete_traces(removal, found)


def prune(
    removal: Removal,
    *,
    before_ns: int | None,
    max_bytes: int | None,
    arrivals_ns: int | None = None,
    for_s: float | None = None,
) -> Pruned:
    """Removes what is too old, then the oldest while there is too much, and gives the space back.

    Args:
        removal: Where the steps run.
        before_ns: What is older goes.
        max_bytes: How large the database may be.
        arrivals_ns: The time it is, where age counts from arrival; None where it counts from the end of a trace.
        for_s: How long it may take.
    """
    by: Age = "time" if arrivals_ns is None else "arrival"
    aged: _Aged | None = None
    if before_ns is not None and arrivals_ns is not None:
        removal.step(lambda connection: arrivals.remember(connection, arrivals_ns))
        aged = partial(arrivals.arrived_before, before_ns=before_ns, now_ns=arrivals_ns)
    elif before_ns is not None:
        aged = partial(_over_before, before_ns=before_ns)
    until = math.inf if for_s is None else time.monotonic() + for_s
    bytes_before = removal.step(_file_bytes)
    if before_ns is not None:
        removal.step(lambda connection: prune_losses(connection, before_ns, by))
    traces = removed = 0
    complete = True
    for count, spans in _removals(removal, aged, max_bytes, by):
        traces += count
        removed += spans
        if time.monotonic() > until:
            complete = False
            break
    if complete and before_ns is not None and arrivals_ns is not None:
        removal.step(lambda connection: arrivals.forget(connection, before_ns, arrivals_ns))
    return Pruned(traces, removed, max(0, bytes_before - removal.step(_file_bytes)), complete)


def _removals(removal: Removal, aged: _Aged | None, max_bytes: int | None, by: Age) -> Iterator[tuple[int, int]]:
    """Removes traces, then gives space back, and says after each step how many traces and spans went."""
    untidied = 0
    while batch := removal.step(lambda connection: _next_batch(connection, aged, max_bytes, by)):
        spans = delete_traces(removal, batch)
        yield len(batch), spans
        untidied += spans
        # What is not found any more stays in the index of the text until that is merged, which costs as much as all
        # that is left; without it the next traces would have to go for what these have left behind.
        if max_bytes is not None and untidied * _TIDY_SHARE > removal.step(_spans_left):
            untidied = 0
            yield from _tidied(removal)
    while removal.step(lambda connection: _vacuum_some(connection, _pages(removal))):
        yield 0, 0


def _tidied(removal: Removal) -> Iterator[tuple[int, int]]:
    begin = True
    with suppress(StoreFull):
        while removal.step(lambda connection: search.tidy(connection, begin=begin)):  # noqa: B023 - called at once
            begin = False
            yield 0, 0


def _spans_left(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT coalesce(sum(spans), 0) FROM traces").scalar() or 0)


def used_bytes(connection: Connection) -> int:
    """Returns how much of the database file is in use."""
    free, size = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar() or 0) for name in ("freelist_count", "page_size")
    )
    return _file_bytes(connection) - free * size


def _next_batch(connection: Connection, aged: _Aged | None, max_bytes: int | None, by: Age) -> Sequence[str]:
    if aged is not None and (found := aged(connection, limit=SLICE_TRACES)):
        return found
    used = used_bytes(connection)
    if max_bytes is None or used <= max_bytes:
        return ()
    traces = int(connection.exec_driver_sql("SELECT count(*) FROM traces").scalar() or 0)
    too_many = min(SIZE_TRACES, max(1, traces * (used - max_bytes) // used))
    first = "id" if by == "arrival" else "start_ns"
    oldest = connection.exec_driver_sql(f"SELECT trace_id FROM traces ORDER BY {first} LIMIT ?", (too_many,))  # noqa: S608  # constants
    return oldest.scalars().all()


def _over_before(connection: Connection, *, before_ns: int, limit: int) -> Sequence[str]:
    before = clamp(before_ns)
    rows = connection.exec_driver_sql(
        "SELECT trace_id FROM traces WHERE start_ns < ? AND coalesce(end_ns, start_ns) < ? ORDER BY start_ns LIMIT ?",
        (before, before, limit),
    )
    return rows.scalars().all()


def _file_bytes(connection: Connection) -> int:
    pages, size = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar() or 0) for name in ("page_count", "page_size")
    )
    return pages * size


def _pages(removal: Removal) -> int:
    return _TIGHT_VACUUM_PAGES if removal.is_tight else _VACUUM_PAGES


def _vacuum_some(connection: Connection, pages: int) -> bool:
    if not connection.exec_driver_sql("PRAGMA freelist_count").scalar():
        return False
    driver(connection).execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
    return True


def _delete_slice(connection: Connection, trace_ids: Sequence[str], most: int) -> tuple[int, bool]:
    """Removes spans of the traces, and once there are no more the traces; returns how many, and whether there are."""
    wanted = json_list(trace_ids)
    # Newest first: messages stay with the earlier spans that brought them until those go too.
    found = connection.exec_driver_sql(
        f"SELECT session_id, trace_id, {search.INDEXED_COLUMNS} FROM spans "  # noqa: S608  # constants
        "WHERE trace_id IN (SELECT id FROM traces WHERE trace_id IN (SELECT value FROM json_each(?))) "
        "ORDER BY id DESC LIMIT ?",
        (wanted, most),
    ).all()
    rows = [search.Indexed(*values[2:]) for values in found]
    search.forget(connection, rows)
    ids = json_list([row.id for row in rows])
    connection.exec_driver_sql("DELETE FROM spans WHERE id IN (SELECT value FROM json_each(?))", (ids,))
    orphans = connection.exec_driver_sql(
        "SELECT id FROM contents WHERE span IN (SELECT value FROM json_each(?))", (ids,)
    )
    release(connection, set(orphans.scalars()), {scope_of(values[0], values[1]) for values in found})
    if len(rows) < most:
        left = connection.exec_driver_sql(
            "DELETE FROM traces WHERE trace_id IN (SELECT value FROM json_each(?)) RETURNING session_id, id", (wanted,)
        ).all()
        shared = connection.exec_driver_sql(
            "DELETE FROM shares WHERE trace_id IN (SELECT value FROM json_each(?)) RETURNING session_id",
            (json_list([row[1] for row in left]),),
        ).all()
        rollups.sum_sessions(connection, {row[0] for row in (*left, *shared) if row[0] is not None})
        search.merge(connection)
    return len(rows), len(rows) == most
