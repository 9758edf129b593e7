"""Removes spans by trace, session, age and size, in transactions that are short enough for writers to wait for."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from sqlalchemy import Connection

from inspector.store.errors import StoreFull
from inspector.store.model import Age, Deletable, Pruned
from inspector.store.sqlite.database.counters import uncount_spans
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.lists.labels import forget_labels, forget_stray_labels
from inspector.store.sqlite.search import fulltext
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.sqlite.statistics import rollups
from inspector.store.sqlite.upkeep.removal import Removal
from inspector.store.sqlite.writing import arrivals, logs, runs, totals, turns
from inspector.store.sqlite.writing.losses import prune_losses
from inspector.store.sqlite.writing.ownership import release, scopes_of
from inspector.store.values.rows import clamp

SLICE_TRACES = 200
SIZE_TRACES = 50
"""How many traces are removed between two checks of the size; fewer if fewer are enough."""
_TIDY_SHARE = 4
"""The full-text index is merged after one part in so many of the remaining spans was removed."""
_VACUUM_PAGES, _TIGHT_VACUUM_PAGES = 256, 16
"""Pages that one transaction returns to the file system, usually and on a full disk."""
_FREE_SHARE = 64
"""One part in so many of the file may stay free, since space that is returned today is needed again tomorrow."""


_TRACES_OF: dict[Deletable, str] = {
    "run": "SELECT trace_id FROM traces WHERE run_id = :id ORDER BY start_ns DESC",
    "session": (
        "SELECT trace_id FROM traces WHERE session_id = :id "
        "OR id IN (SELECT trace_id FROM shares WHERE session_id = :id) ORDER BY start_ns DESC"
    ),
}
"""Queries for the traces of a run, and for those with a span of a session."""
_Aged: TypeAlias = Callable[[Connection], Sequence[str]]
"""Returns the next traces that are too old."""


def delete(removal: Removal, what: Deletable, its_id: str) -> int:
    """Remove a trace, or those of a run or a session, and return how many spans they had.

    The next call finishes an interrupted one.
    """
    trace_ids: Sequence[str] = (its_id,)
    if (sql := _TRACES_OF.get(what)) is not None:
        trace_ids = removal.step(lambda connection: connection.exec_driver_sql(sql, {"id": its_id}).scalars().all())
    removed = sum(spans for _, spans in _deletions(removal, trace_ids))
    if removal.is_tight:
        # Free pages are of use only to us, and on a full disk others need the space.
        give_back(removal)
    return removed


def _deletions(removal: Removal, trace_ids: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Remove traces, and yield the number of removed traces and spans after each transaction."""
    begin = 0
    while begin < len(trace_ids):
        gone = removal.step(partial(_delete_slice, removal, trace_ids[begin : begin + SLICE_TRACES]))
        begin += gone.done
        yield gone.traces, gone.spans


def give_back(removal: Removal) -> None:
    """Return all free pages to the file system."""
    while removal.step(partial(_vacuum_some, removal)):
        pass


def drop_logs(removal: Removal, before_hour: int, most: int) -> int:
    """Remove the logs from before an hour, and those that too many wait after; return how many were never joined."""
    unjoined = 0
    while True:
        removed, never = removal.step(
            lambda connection: logs.drop_some(connection, before_hour, most, limit=removal.spans)
        )
        unjoined += never
        if not removed:
            return unjoined


def prune(
    removal: Removal,
    *,
    before_ns: int | None,
    max_bytes: int | None,
    arrivals_ns: int | None = None,
    for_s: float | None = None,
) -> Pruned:
    """Remove traces that are too old, then the oldest until the database is small enough, and return the space.

    Args:
        removal: Runs the steps.
        before_ns: Older traces are removed.
        max_bytes: The maximum size of the database.
        arrivals_ns: The current time, if age counts from arrival; None if it counts from the end of a trace.
        for_s: The time limit.
    """
    by: Age = "time" if arrivals_ns is None else "arrival"
    aged: _Aged | None = None
    if before_ns is not None and arrivals_ns is not None:
        removal.step(lambda connection: arrivals.remember(connection, arrivals_ns))
        aged = partial(arrivals.arrived_before, before_ns=before_ns, now_ns=arrivals_ns, limit=SLICE_TRACES)
    elif before_ns is not None:
        aged = partial(_over_before, before_ns=before_ns, limit=SLICE_TRACES)
    until = math.inf if for_s is None else time.monotonic() + for_s
    bytes_before = removal.step(_file_bytes)
    if before_ns is not None:
        removal.step(lambda connection: prune_losses(connection, before_ns, by))
        removal.step(lambda connection: forget_stray_labels(connection, before_ns))
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
    """Remove traces, then return space, and yield the number of removed traces and spans after each step."""
    removed = 0
    while aged is not None and (batch := removal.step(aged)):
        # Newest first, so that a message keeps its owner, an earlier span, until that is removed too.
        for traces, spans in _deletions(removal, batch[::-1]):
            removed += spans
            yield traces, spans
    if max_bytes is not None:
        yield from _reductions(removal, max_bytes, by, removed)
    while removal.step(partial(_vacuum_some, removal)):
        yield 0, 0


def _reductions(removal: Removal, max_bytes: int, by: Age, untidied: int) -> Iterator[tuple[int, int]]:
    # Counting reads the row of each trace, so it is done only once; later arrivals make little difference.
    traces, spans = removal.step(_totals)
    while batch := removal.step(partial(_oldest_above, max_bytes=max_bytes, by=by, traces=traces)):
        for gone, removed in _deletions(removal, batch[::-1]):
            traces, spans, untidied = traces - gone, spans - removed, untidied + removed
            yield gone, removed
        if traces <= 0:
            traces, spans = removal.step(_totals)
        # Entries of removed spans stay in the full-text index until it is merged, which takes time in proportion to the
        # remaining spans. Without merging, more traces would have to go for the space of these entries.
        if untidied * _TIDY_SHARE > spans:
            untidied = 0
            yield from _tidied(removal)


def _tidied(removal: Removal) -> Iterator[tuple[int, int]]:
    begin = True
    with suppress(StoreFull):
        while removal.step(lambda connection: fulltext.tidy(connection, begin=begin, little=removal.is_tight)):  # noqa: B023 - called at once
            begin = False
            yield 0, 0


def _totals(connection: Connection) -> tuple[int, int]:
    """Return the number of traces and of spans."""
    traces, spans = connection.exec_driver_sql("SELECT count(*), coalesce(sum(spans), 0) FROM traces").one()
    return int(traces), int(spans)


def used_bytes(connection: Connection) -> int:
    """Return how much of the database file is in use."""
    return _file_bytes(connection) - _pragma(connection, "freelist_count") * _pragma(connection, "page_size")


def _oldest_above(connection: Connection, *, max_bytes: int, by: Age, traces: int) -> Sequence[str]:
    """Return the oldest traces to remove; none if the database is small enough."""
    used = used_bytes(connection)
    if used <= max_bytes:
        return ()
    too_many = min(SIZE_TRACES, max(1, traces * (used - max_bytes) // used))
    first = "id" if by == "arrival" else "start_ns"
    oldest = connection.exec_driver_sql(f"SELECT trace_id FROM traces ORDER BY {first} LIMIT ?", (too_many,))
    return oldest.scalars().all()


def _over_before(connection: Connection, *, before_ns: int, limit: int) -> Sequence[str]:
    before = clamp(before_ns)
    rows = connection.exec_driver_sql(
        "SELECT trace_id FROM traces WHERE start_ns < ? AND coalesce(end_ns, start_ns) < ? ORDER BY start_ns LIMIT ?",
        (before, before, limit),
    )
    return rows.scalars().all()


def _file_bytes(connection: Connection) -> int:
    return _pragma(connection, "page_count") * _pragma(connection, "page_size")


def _pragma(connection: Connection, name: str) -> int:
    return int(connection.exec_driver_sql(f"PRAGMA {name}").scalar() or 0)


def shrink(connection: Connection) -> None:
    """Return free pages to the file system, as many as one transaction may, if much of the file is free."""
    if _pragma(connection, "freelist_count") * _FREE_SHARE > _pragma(connection, "page_count"):
        _vacuum(connection, _VACUUM_PAGES)


def _vacuum_some(removal: Removal, connection: Connection) -> bool:
    if not _pragma(connection, "freelist_count"):
        return False
    _vacuum(connection, _TIGHT_VACUUM_PAGES if removal.is_tight else _VACUUM_PAGES)
    return True


def _vacuum(connection: Connection, most_pages: int) -> None:
    # The driver steps a statement without columns only once, which returns one page.
    for _ in range(min(most_pages, _pragma(connection, "freelist_count"))):
        driver(connection).execute("PRAGMA incremental_vacuum(1)")


@dataclass(frozen=True, slots=True)
class _Slice:
    """What one transaction removed."""

    done: int
    """How many of the requested traces are completely removed: the first ones."""
    traces: int
    spans: int


def _delete_slice(removal: Removal, trace_ids: Sequence[str], connection: Connection) -> _Slice:
    """Remove as many spans as one transaction may, and the traces whose spans are all removed."""
    ids: list[int] = []
    deleted: list[str] = []
    room = removal.spans
    for trace_id in trace_ids:
        found = _latest_spans(connection, trace_id, room)
        ids += found
        room -= len(found)
        room -= logs.forget(connection, trace_id, room)
        if not room:
            break
        deleted.append(trace_id)
    with fulltext.merging_nothing(connection) if removal.is_tight else nullcontext():
        _delete_spans(connection, ids)
    gone = _delete_emptied(connection, deleted) if deleted else 0
    if gone and not removal.is_tight:
        fulltext.merge(connection)
    return _Slice(len(deleted), gone, len(ids))


def _latest_spans(connection: Connection, trace_id: str, most: int) -> Sequence[int]:
    # Along an index: what sorts a trace instead reads all of it for each of its slices.
    sql = (
        "SELECT id FROM spans WHERE trace_id = (SELECT id FROM traces WHERE trace_id = ?) "
        "ORDER BY start_ns DESC LIMIT ?"
    )
    return connection.exec_driver_sql(sql, (trace_id, most)).scalars().all()


def _delete_spans(connection: Connection, ids: Sequence[int]) -> None:
    listed = (json_list(ids),)
    found = connection.exec_driver_sql(
        f"SELECT session_id, run, trace_id, session_inherited, {fulltext.INDEXED_COLUMNS} "
        "FROM spans WHERE id IN (SELECT value FROM json_each(?))",
        listed,
    ).all()
    fulltext.forget(connection, [fulltext.Indexed(*values[4:]) for values in found])
    rollups.forget_ids(connection, ids)
    connection.exec_driver_sql("DELETE FROM spans WHERE id IN (SELECT value FROM json_each(?))", listed)
    uncount_spans(connection, len(ids))
    turns.forget(connection, ids)
    orphans = connection.exec_driver_sql(
        "SELECT id FROM contents WHERE span IN (SELECT value FROM json_each(?))", listed
    )
    scopes = {scope for values in found for scope in scopes_of(*values[:3], inherited=values[3] is not None)}
    release(connection, set(orphans.scalars()), scopes)


def _delete_emptied(connection: Connection, trace_ids: Sequence[str]) -> int:
    gone = connection.exec_driver_sql(
        "DELETE FROM traces WHERE trace_id IN (SELECT value FROM json_each(?)) "
        "RETURNING session_id, id, run_id, trace_id",
        (json_list(trace_ids),),
    ).all()
    shared = connection.exec_driver_sql(
        "DELETE FROM shares WHERE trace_id IN (SELECT value FROM json_each(?)) RETURNING session_id",
        (json_list([row[1] for row in gone]),),
    ).all()
    totals.sum_sessions(connection, {row[0] for row in (*gone, *shared) if row[0] is not None})
    runs.sum_runs(connection, {row[2] for row in gone})
    forget_labels(connection, {row[3] for row in gone}, {row[2] for row in gone})
    return len(gone)
