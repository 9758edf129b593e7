"""Timelines of traces and runs in lists."""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

from sqlalchemy import Connection

from inspector.model import Run, TimelineBar, Trace
from inspector.store.sqlite.database.engine import driver
from inspector.store.values.bars import SAMPLED_ABOVE, Bar, bars_of, moments

_LATEST = 2
"""Spans to read per moment: the last that had begun, so that a quiet time shows the call that fills it."""
_FAILED = 20
"""Failed spans to read if none of the sampled ones failed."""

_TRACE = "(SELECT id FROM traces WHERE trace_id = :trace)"
_BAR = "span_id, parent_id, start_ns, duration_ms, kind, status"
_SELECT = f"SELECT {_BAR} FROM spans WHERE trace_id = {_TRACE} ORDER BY start_ns, id LIMIT {SAMPLED_ABOVE}"
_SELECT_ENDS = (
    f"SELECT (SELECT min(start_ns) FROM spans WHERE trace_id = {_TRACE}), "
    f"(SELECT max(start_ns) FROM spans WHERE trace_id = {_TRACE})"
)
_SELECT_MOMENTS = (
    f"SELECT {_BAR}, moment.key FROM json_each(:moments) AS moment JOIN spans ON spans.id IN (SELECT id FROM spans "
    f"WHERE trace_id = {_TRACE} AND start_ns <= moment.value ORDER BY start_ns DESC, id DESC LIMIT {_LATEST})"
)
# The inner limit keeps failures of other traces at the same time from making the search long. The first condition is
# that of the partial index; SQLite does not infer it from the second.
_SELECT_FAILED = (
    f"SELECT {_BAR} FROM (SELECT {_BAR}, trace_id FROM spans WHERE status <> 'ok' AND status = 'error' "
    f"AND start_ns BETWEEN :first AND :last LIMIT {_FAILED}) WHERE trace_id = {_TRACE}"
)
# A trace of a single span counts as a child of the run, so that it is not left out as a root.
_SELECT_OF_RUN = (
    "SELECT span_id, CASE WHEN traces.spans = 1 THEN '' ELSE parent_id END, spans.start_ns, spans.duration_ms, "
    "spans.kind, spans.status FROM traces JOIN spans ON spans.trace_id = traces.id "
    f"WHERE traces.run_id = :run ORDER BY spans.start_ns, spans.id LIMIT {SAMPLED_ABOVE}"
)
# A run of many calls has a bar for each trace.
_TRACE_BAR = "trace_id, NULL, start_ns, duration_ms, kind, status"
_SELECT_TRACES = f"SELECT {_TRACE_BAR} FROM traces WHERE run_id = :run ORDER BY start_ns, id LIMIT {SAMPLED_ABOVE}"
_SELECT_TRACE_ENDS = (
    "SELECT (SELECT min(start_ns) FROM traces WHERE run_id = :run), "
    "(SELECT max(start_ns) FROM traces WHERE run_id = :run)"
)
_SELECT_TRACES_AT_MOMENTS = (
    f"SELECT {_TRACE_BAR}, moment.key FROM json_each(:moments) AS moment JOIN traces ON traces.id IN (SELECT id "
    f"FROM traces WHERE run_id = :run AND start_ns <= moment.value ORDER BY start_ns DESC, id DESC LIMIT {_LATEST})"
)

_Execute = Callable[[str, Mapping[str, object]], Iterable[Any]]


def with_timelines(connection: Connection, traces: Sequence[Trace]) -> tuple[Trace, ...]:
    """Return the traces with their timelines."""
    # With the bare driver: for fifty queries, SQLAlchemy takes longer than the database.
    execute = driver(connection).execute
    return tuple(replace(trace, timeline=_timeline(execute, trace)) for trace in traces)


def with_run_timelines(connection: Connection, runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs with their timelines."""
    execute = driver(connection).execute
    return tuple(replace(run, timeline=_run_timeline(execute, run)) for run in runs)


def _run_timeline(execute: _Execute, run: Run) -> tuple[TimelineBar, ...]:
    if run.traces == 1 and run.status != "error":
        return _timeline(execute, run)
    names: dict[str, object] = {"run": run.run_id}
    if run.spans <= SAMPLED_ABOVE:
        return bars_of(list(starmap(Bar, execute(_SELECT_OF_RUN, names))))
    if run.traces <= SAMPLED_ABOVE:
        return bars_of(list(starmap(Bar, execute(_SELECT_TRACES, names))))
    ((first_ns, last_ns),) = execute(_SELECT_TRACE_ENDS, names)
    found = execute(_SELECT_TRACES_AT_MOMENTS, names | {"moments": json.dumps(moments(first_ns, last_ns))})
    return bars_of(list({bar.span_id: bar for bar in starmap(Bar, found)}.values()))


def _timeline(execute: _Execute, trace: Trace | Run) -> tuple[TimelineBar, ...]:
    if trace.spans <= SAMPLED_ABOVE:
        return bars_of(list(starmap(Bar, execute(_SELECT, {"trace": trace.trace_id}))))
    return bars_of(_samples(execute, trace))


def _samples(execute: _Execute, trace: Trace | Run) -> list[Bar]:
    """Return a sample of a long trace: some spans for each of a few moments, spread evenly over it."""
    ((first_ns, last_ns),) = execute(_SELECT_ENDS, {"trace": trace.trace_id})
    times = moments(first_ns, last_ns)
    rows = execute(_SELECT_MOMENTS, {"trace": trace.trace_id, "moments": json.dumps(times)})
    # In a quiet time, several moments find the same spans.
    samples = list({bar.span_id: bar for bar in starmap(Bar, rows)}.values())
    if trace.errors and all(bar.status != "error" for bar in samples):
        failed = starmap(Bar, execute(_SELECT_FAILED, {"trace": trace.trace_id, "first": first_ns, "last": last_ns}))
        samples += [bar._replace(moment=bisect_left(times, bar.start_ns)) for bar in failed]
    return samples
