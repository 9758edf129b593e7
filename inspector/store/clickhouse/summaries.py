"""Queries for traces and runs."""

from dataclasses import replace
from typing import Final

from inspector.model import Filter, Page, Run, RunSort, Trace, TraceSort
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.labels import labels_of_runs, scores_of_runs
from inspector.store.clickhouse.latest import read_latest
from inspector.store.clickhouse.listing import Source, read_page
from inspector.store.clickhouse.replays import with_replays
from inspector.store.clickhouse.summary_filters import summary_filter
from inspector.store.clickhouse.tables import runs_among
from inspector.store.clickhouse.timelines import timeline_of_run, timeline_of_trace
from inspector.store.limits import ReadLimits
from inspector.store.values.cursor import Window
from inspector.store.values.summaries import run_of, trace_of

_AMOUNTS: Final = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd", "priced", "unpriced_calls", "seq")
_CALLS: Final = ("spans", "calls", "errors", "llm_calls", "tool_calls")
TRACE: Final = (
    *("trace_id", "run_id", "session_id", "name", "kind", "status", "service", "ifNull(head_agent, agent)"),
    *("question", "answer", "start_ns", "end_ns", "duration_ms", *_CALLS, "models", *_AMOUNTS),
)
"""The columns that `trace_of` expects."""
_RUN: Final = (
    *("run_id", "origin", "name", "status", "service", "agent", "question", "answer", "trace_id", "trace_name"),
    *("start_ns", "end_ns", "duration_ms", "traces", "failed_traces", "open_calls", *_CALLS, "models", *_AMOUNTS),
)
_LATEST: Final = ("time", "desc")
_SORTED: Final[dict[str, str]] = {
    "time": "start_ns",
    "duration": "duration_ms",
    "cost": "cost_usd",
    "score": "highest",
    "spans": "spans",
    "tokens": "input_tokens + output_tokens",
}


def read_trace(database: Database, trace_id: str) -> Trace | None:
    """Return a trace with its totals."""
    values = Values()
    where = f"trace_id = {values.text(trace_id)}"
    row = database.row(f"SELECT {', '.join(TRACE)} FROM traces FINAL WHERE {where}", values)
    return None if row is None else trace_of(row)


def read_traces_like(database: Database, prefix: str, limit: int) -> tuple[Trace, ...]:
    """Return traces whose id begins with ``prefix``, the latest first."""
    values = Values()
    where = f"startsWith(trace_id, {values.text(prefix)})"
    sql = f"SELECT {', '.join(TRACE)} FROM traces FINAL WHERE {where} ORDER BY start_ns DESC LIMIT {limit}"
    return tuple(map(trace_of, database.rows(sql, values)))


def read_traces(
    database: Database, where: Filter, window: Window[TraceSort], limits: ReadLimits, *, timeline: bool
) -> Page[Trace]:
    """Return one page of traces."""
    filtered = summary_filter(database, "trace_id", where)
    if filtered is None:
        return Page(())
    list_key = ("traces", where, window.sort, window.order)
    if (window.sort, window.order) == _LATEST:
        rows, following = read_latest(database, filtered, window, list_key, TRACE, limits)
    else:
        source = Source("traces FINAL", _SORTED[window.sort], id_column="trace_id")
        rows, following = read_page(database, filtered.conditions(), window, list_key, source, TRACE)
    items = tuple(map(trace_of, rows))
    if timeline:
        items = tuple(replace(trace, timeline=timeline_of_trace(database, trace)) for trace in items)
    return Page(items, following)


def read_run(database: Database, run_id: str) -> Run | None:
    """Return a run with its totals."""
    values = Values()
    row = database.row(f"SELECT {', '.join(_RUN)} FROM {runs_among(values.texts([run_id]))}", values)
    return None if row is None else _marked(database, (run_of(row),))[0]


def read_runs_like(database: Database, part: str, limit: int, *, ends: bool) -> tuple[Run, ...]:
    """Return runs whose id begins or (``ends``) ends with ``part``, the latest first."""
    values = Values()
    where = f"startsWith(run_id, {values.text(part)})"
    if ends:
        where += f" OR endsWith(run_id, {values.text(part)})"
    sql = f"SELECT {', '.join(_RUN)} FROM runs WHERE {where} ORDER BY start_ns DESC LIMIT {limit}"
    return _marked(database, tuple(map(run_of, database.rows(sql, values))))


def read_runs(
    database: Database, where: Filter, window: Window[RunSort], limits: ReadLimits, *, timeline: bool
) -> Page[Run]:
    """Return one page of runs."""
    filtered = summary_filter(database, "run_id", where)
    if filtered is None:
        return Page(())
    list_key = ("runs", where, window.sort, window.order)
    if (window.sort, window.order) == _LATEST:
        rows, following = read_latest(database, filtered, window, list_key, _RUN, limits)
    else:
        conditions, table = filtered.conditions(), "runs"
        if window.sort == "score":
            table = f"runs INNER JOIN ({scores_of_runs(where.labels, conditions.values)}) AS scores USING (run_id)"
        source = Source(table, _SORTED[window.sort], id_column="run_id")
        rows, following = read_page(database, conditions, window, list_key, source, _RUN)
    items = _marked(database, tuple(map(run_of, rows)))
    if timeline:
        items = tuple(replace(run, timeline=timeline_of_run(database, run)) for run in items)
    return Page(items, following)


def _marked(database: Database, runs: tuple[Run, ...]) -> tuple[Run, ...]:
    labels = labels_of_runs(database, [run.run_id for run in runs])
    labelled = [replace(run, labels=labels[run.run_id]) if run.run_id in labels else run for run in runs]
    return with_replays(database, labelled) if runs else ()
