"""The size, age and lag of a store."""

from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.inbox import read_waiting
from inspector.store.clickhouse.losses import sum_losses
from inspector.store.clickhouse.notes import read_notes, read_number
from inspector.store.clickhouse.removal import used_bytes
from inspector.store.clickhouse.summaries import TRACE
from inspector.store.clickhouse.tables import SCHEMA_VERSION
from inspector.store.model import Health, Retained
from inspector.store.values.lifetime_counts import calls_ever
from inspector.store.values.retention import HOUR_NS, removals
from inspector.store.values.summaries import trace_of


def read_health(database: Database) -> Health:
    """Return the size, age and lag of the store."""
    notes = read_notes(database)
    row = database.row("SELECT sum(spans), minOrNull(start_ns) FROM traces FINAL")
    spans, oldest_ns = (0, None) if row is None else row
    losses, losses_ever = sum_losses(database, notes)
    used = used_bytes(database)
    return Health(
        spans=spans,
        bytes=used,
        used_bytes=used,
        oldest_ns=oldest_ns,
        last_seq=last_seq(database),
        search_behind=0,
        schema_version=str(SCHEMA_VERSION),
        losses=losses,
        losses_ever=losses_ever,
        calls_ever=calls_ever(notes),
        removed=removals(notes),
        waiting=read_waiting(database),
    )


def read_retained(database: Database) -> Retained:
    """Return how much is stored, and what is removed next: the trace that arrived first."""
    row = database.row("SELECT uniqExact(run_id), count() FROM traces FINAL")
    runs, traces = (0, 0) if row is None else row
    first = database.row(f"SELECT {', '.join(TRACE)}, arrived_ns FROM traces FINAL ORDER BY id LIMIT 1")
    if first is None:
        return Retained(runs, traces, None, None)
    return Retained(runs, traces, trace_of(first[:-1]), (first[-1] // HOUR_NS + 1) * HOUR_NS)


def last_seq(database: Database) -> int:
    """Return the ``seq`` of the last complete change, even if its span was deleted since.

    While a batch is being written, some of its rows may be visible before others; its ``seq`` is noted last.
    """
    return read_number(database, "seq")
