"""What a prune would delete, counted before it deletes anything."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.cli.output.figures import NS_A_SECOND
from inspector.model import Filter, Order, Trace, every
from inspector.store import Store

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class PruneSelection:
    """What to delete: everything that is named."""

    older_than_s: float | None = None
    max_bytes: int | None = None
    run_id: str | None = None
    session_id: str | None = None
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """What will be deleted."""

    traces: int = 0
    spans: int = 0
    bytes: int = 0
    """Approximately how much of the database it occupies: its share of all spans."""
    of_bytes: int = 0
    """How much of the database is in use."""
    is_exact: bool = True
    """Whether exactly these traces will be deleted: how much space a trace frees is only known afterwards."""


def planned(store: Store, selection: PruneSelection) -> PrunePlan:
    """Count what would be deleted; an amount that depends on the size is approximate."""
    health = store.health()
    used, all_spans = health.used_bytes, max(1, health.spans)
    selected: set[str] = set()
    spans = 0
    for trace in _selected(store, selection):
        selected.add(trace.trace_id)
        spans += trace.spans
    if selection.max_bytes is not None:
        for trace in _traces(store, Filter(), order="asc"):
            if used - used * spans // all_spans <= selection.max_bytes:
                break
            if trace.trace_id not in selected:
                selected.add(trace.trace_id)
                spans += trace.spans
    freed = min(used, used * spans // all_spans)
    return PrunePlan(len(selected), spans, freed, used, is_exact=selection.max_bytes is None)


def before_ns(age_s: float) -> int:
    """Return the time before which a trace must have ended to be older than an age, since the Unix epoch."""
    return max(0, time.time_ns() - round(age_s * NS_A_SECOND))


def over_before(store: Store, before: int) -> Iterator[Trace]:
    """Yield the traces that ended before a time."""
    for trace in _traces(store, Filter(until_ns=before)):
        if int(trace.end_time_unix_nano or trace.start_time_unix_nano) < before:
            yield trace


def _selected(store: Store, selection: PruneSelection) -> Iterator[Trace]:
    """Yield the traces that are named, and those that are too old."""
    if selection.trace_id is not None and (trace := store.trace(selection.trace_id)) is not None:
        yield trace
    if selection.run_id is not None:
        yield from _traces(store, Filter(run_id=selection.run_id))
    if selection.session_id is not None:
        yield from _traces(store, Filter(session_id=selection.session_id))
    if selection.older_than_s is not None:
        yield from over_before(store, before_ns(selection.older_than_s))


def _traces(store: Store, where: Filter, *, order: Order = "desc") -> Iterator[Trace]:
    return every(lambda cursor: store.traces(where, order=order, cursor=cursor, limit=_PAGE))
