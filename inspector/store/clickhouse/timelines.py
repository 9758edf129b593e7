"""Timelines of traces and runs in lists."""

from itertools import starmap
from typing import Final

from inspector.model import Run, TimelineBar, Trace
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.slots import of_run, of_trace
from inspector.store.values.bars import SAMPLED_ABOVE, Bar, bars_of, moments

_BAR: Final = "span_id, parent_id, start_ns, duration_ms, kind, status"
_TRACE_BAR: Final = "trace_id, NULL, start_ns, duration_ms, kind, status"


def timeline_of_trace(database: Database, trace: Trace | Run) -> tuple[TimelineBar, ...]:
    """Return the bars of a trace, or of the only trace of a run."""
    values = Values()
    return _timeline(database, f"spans FINAL WHERE {of_trace(values.text(trace.trace_id))}", _BAR, values, trace.spans)


def timeline_of_run(database: Database, run: Run) -> tuple[TimelineBar, ...]:
    """Return the bars of a run: its spans, or if there are many, its traces."""
    if run.traces == 1 and run.status != "error":
        return timeline_of_trace(database, run)
    values = Values()
    run_id = values.text(run.run_id)
    its = f"traces FINAL WHERE run_id = {run_id}"
    if run.spans > SAMPLED_ABOVE:
        return _timeline(database, its, _TRACE_BAR, values, run.traces)
    # A trace of a single span counts as a child of the run, so that it is not left out as a root.
    alone = f"trace_id IN (SELECT trace_id FROM {its} AND spans = 1)"
    bar = _BAR.replace("parent_id", f"if({alone}, '', parent_id)")
    among = f"spans FINAL WHERE {of_run(run_id)}"
    return _timeline(database, among, bar, values, run.spans)


def _timeline(database: Database, among: str, bar: str, values: Values, count: int) -> tuple[TimelineBar, ...]:
    if count <= SAMPLED_ABOVE:
        return bars_of(list(starmap(Bar, database.rows(f"SELECT {bar} FROM {among} ORDER BY start_ns, id", values))))
    ends = database.row(f"SELECT min(start_ns), max(start_ns) FROM {among}", values)
    first_ns, last_ns = (0, 0) if ends is None else ends
    # Between any two moments, prefer spans that failed, then the longest.
    step = max(1, (moments(first_ns, last_ns)[1]) - first_ns)
    rows = database.rows(
        f"SELECT {bar}, intDiv(start_ns - {values.integer(first_ns)}, {values.integer(step)}) AS moment FROM {among} "
        "ORDER BY status = 'error' DESC, ifNull(duration_ms, inf) DESC, id LIMIT 2 BY moment",
        values,
    )
    return bars_of([Bar(*row) for row in rows])
