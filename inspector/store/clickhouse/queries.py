"""The queries of `inspector.store.queries` in ClickHouse."""

from inspector.store.clickhouse.copies import read_arrivals, read_stored
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.events import read_after, read_event, read_events
from inspector.store.clickhouse.health import last_seq, read_retained
from inspector.store.clickhouse.labels import read_labels
from inspector.store.clickhouse.logs import read_logs
from inspector.store.clickhouse.losses import losses_near, read_losses
from inspector.store.clickhouse.notes import read_notes, read_number
from inspector.store.clickhouse.outlines import read_hits, read_outline_rows, read_previews
from inspector.store.clickhouse.removal import used_bytes
from inspector.store.clickhouse.replays import count_replays
from inspector.store.clickhouse.sessions import read_session, read_sessions
from inspector.store.clickhouse.stats import read_stats
from inspector.store.clickhouse.summaries import (
    read_run,
    read_runs,
    read_runs_like,
    read_trace,
    read_traces,
    read_traces_like,
)
from inspector.store.clickhouse.turns import read_turns
from inspector.store.values.retention import HOUR_NS, is_doubted

__all__ = [
    "count_replays",
    "indexed_seq",
    "is_clock_doubted",
    "last_arrival_ns",
    "last_seq",
    "losses_near",
    "read_after",
    "read_arrivals",
    "read_event",
    "read_events",
    "read_hits",
    "read_labels",
    "read_logs",
    "read_losses",
    "read_outline_rows",
    "read_previews",
    "read_retained",
    "read_run",
    "read_runs",
    "read_runs_like",
    "read_session",
    "read_sessions",
    "read_stats",
    "read_stored",
    "read_trace",
    "read_traces",
    "read_traces_like",
    "read_turns",
    "used_bytes",
]


def indexed_seq(database: Database) -> int:
    """Return the ``seq`` of the last change, since every stored span is indexed."""
    return last_seq(database)


def is_clock_doubted(database: Database) -> bool:
    """Tell whether the clock looked wrong when it was last checked."""
    return is_doubted(read_notes(database))


def last_arrival_ns(database: Database) -> int | None:
    """Return the hour in which a span last arrived or retention last ran; None if that is not known."""
    last = max(read_number(database, name) for name in ("arrived", "looked"))
    return last // HOUR_NS * HOUR_NS if last else None
