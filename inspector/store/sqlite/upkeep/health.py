"""The size, age and lag of a store."""

from pathlib import Path

from sqlalchemy import Connection, func, select

from inspector.store.model import Health, Retained
from inspector.store.sqlite.database.counters import load_counters
from inspector.store.sqlite.database.files import LOG, beside, size_of
from inspector.store.sqlite.rows.summaries import TRACE, trace_of
from inspector.store.sqlite.tables import SCHEMA_VERSION, runs, traces
from inspector.store.sqlite.upkeep.retention import used_bytes
from inspector.store.sqlite.writing.arrivals import arrived_by
from inspector.store.sqlite.writing.losses import sum_losses
from inspector.store.values.lifetime_counts import calls_ever
from inspector.store.values.retention import removals


def read_health(connection: Connection, path: Path) -> Health:
    """Return the state of the store; writes update all counts, so this takes the same time for any database."""
    counts = load_counters(connection)
    losses, losses_ever = sum_losses(connection)
    return Health(
        spans=counts["spans"],
        bytes=size_of(path) + size_of(beside(path, LOG)),
        used_bytes=used_bytes(connection),
        oldest_ns=connection.execute(select(func.min(traces.c.start_ns))).scalar(),
        last_seq=counts["seq"],
        search_behind=counts["seq"] - counts["indexed"],
        schema_version=SCHEMA_VERSION,
        losses=losses,
        losses_ever=losses_ever,
        calls_ever=calls_ever(counts),
        removed=removals(counts),
    )


def read_retained(connection: Connection) -> Retained:
    """Return how much is stored, and what is removed next: the trace that arrived first."""
    of_runs, of_traces = (
        connection.execute(select(func.count()).select_from(table)).scalar() or 0 for table in (runs, traces)
    )
    first = connection.execute(select(*TRACE).order_by(traces.c.id).limit(1)).first()
    if first is None:
        return Retained(of_runs, of_traces, None, None)
    trace = trace_of(first)
    return Retained(of_runs, of_traces, trace, arrived_by(connection, trace.seq))
