"""The queries of `inspector.store.queries` in SQLite."""

from sqlalchemy import Connection

from inspector.model import Filter, GroupBy, Stats, StatsOf
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.database.counters import load_counters
from inspector.store.sqlite.lists.labels import read_labels
from inspector.store.sqlite.lists.reader import (
    read_after,
    read_event,
    read_events,
    read_session,
    read_sessions,
    read_trace,
    read_traces,
    read_traces_like,
)
from inspector.store.sqlite.lists.replays import count_replays
from inspector.store.sqlite.lists.run_lists import read_run, read_runs, read_runs_like
from inspector.store.sqlite.lists.turn_lists import read_turns
from inspector.store.sqlite.rows.copies import read_arrivals, read_stored
from inspector.store.sqlite.rows.outline import read_outline_rows
from inspector.store.sqlite.rows.previews import read_previews
from inspector.store.sqlite.search.hits import read_hits
from inspector.store.sqlite.statistics.stats import read_call_stats
from inspector.store.sqlite.statistics.summary_stats import RUNS, TRACES, read_summary_stats
from inspector.store.sqlite.upkeep.health import read_retained
from inspector.store.sqlite.upkeep.retention import used_bytes
from inspector.store.sqlite.writing.arrivals import last_ns as last_arrival_ns
from inspector.store.sqlite.writing.logs import read_logs
from inspector.store.sqlite.writing.losses import losses_near, read_losses
from inspector.store.values.retention import is_doubted

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


def last_seq(connection: Connection) -> int:
    """Return the ``seq`` of the last change."""
    return load_counters(connection)["seq"]


def indexed_seq(connection: Connection) -> int:
    """Return the ``seq`` of the last change in the full-text index."""
    return load_counters(connection)["indexed"]


def is_clock_doubted(connection: Connection) -> bool:
    """Tell whether the clock looked wrong when it was last checked."""
    return is_doubted(load_counters(connection))


def read_stats(
    connection: Connection, where: Filter, limits: ReadLimits, *, of: StatsOf, by: GroupBy | None, buckets: int
) -> Stats:
    """Return the statistics of a filter."""
    if of == "events":
        return read_call_stats(connection, where, limits, by=by, buckets=buckets)
    summaries = TRACES if of == "traces" else RUNS
    return read_summary_stats(connection, summaries, where, limits, by=by, buckets=buckets)
