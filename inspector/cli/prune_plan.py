"""What a prune would delete, counted before it deletes anything."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.cli.figures import NS_A_SECOND
from inspector.model import Filter, Order, Trace, every
from inspector.store import Store

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to delete: everything that is named."""

    older_than_s: float | None = None
    max_bytes: int | None = None
    run_id: str | None = None
    session_id: str | None = None
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be deleted."""

    traces: int = 0
    spans: int = 0
    bytes: int = 0
    """Approximately how much of the database it occupies: its share of all spans."""
    of_bytes: int = 0
    """How much of the database is in use."""
    is_exact: bool = True
    """Whether exactly these traces will be deleted: how much space a trace frees is only known afterwards."""


def planned(store: Store, wanted: Wanted) -> Plan:
    """Count what would be deleted; an amount that depends on the size is approximate."""
    health = store.health()
    used, all_spans = health.used_bytes, max(1, health.spans)
    taken: set[str] = set()
    spans = 0
    for trace in _taken(store, wanted):
        taken.add(trace.trace_id)
        spans += trace.spans
    if wanted.max_bytes is not None:
        for trace in _traces(store, Filter(), order="asc"):
            if used - used * spans // all_spans <= wanted.max_bytes:
                break
            if trace.trace_id not in taken:
                taken.add(trace.trace_id)
                spans += trace.spans
    held = min(used, used * spans // all_spans)
    return Plan(len(taken), spans, held, used, is_exact=wanted.max_bytes is None)


def before_ns(age_s: float) -> int:
    """Return the time before which a trace must have ended to be older than an age, since the Unix epoch."""
    return max(0, time.time_ns() - round(age_s * NS_A_SECOND))


def over_before(store: Store, before: int) -> Iterator[Trace]:
    """Yield the traces that ended before a time."""
    for trace in _traces(store, Filter(until_ns=before)):
        if int(trace.end_time_unix_nano or trace.start_time_unix_nano) < before:
            yield trace


def _taken(store: Store, wanted: Wanted) -> Iterator[Trace]:
    """Yield the traces that are named, and those that are too old."""
    if wanted.trace_id is not None and (trace := store.trace(wanted.trace_id)) is not None:
        yield trace
    if wanted.run_id is not None:
        yield from _traces(store, Filter(run_id=wanted.run_id))
    if wanted.session_id is not None:
        yield from _traces(store, Filter(session_id=wanted.session_id))
    if wanted.older_than_s is not None:
        yield from over_before(store, before_ns(wanted.older_than_s))


def _traces(store: Store, where: Filter, *, order: Order = "desc") -> Iterator[Trace]:
    return every(lambda cursor: store.traces(where, order=order, cursor=cursor, limit=_PAGE))
