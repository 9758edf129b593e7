"""The structure of a trace, or of a run, in columns: what a waterfall of many thousand spans needs, and no more."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from inspector.model import OutlineColumns, OutlineTables, RunOutline, TraceOutline
from inspector.store.sqlite.counters import load_counters
from inspector.store.sqlite.engine import driver
from inspector.store.sqlite.reader import read_trace
from inspector.store.sqlite.run_lists import read_run
from inspector.store.values.cursor import read_cursor, write_cursor
from inspector.store.values.rows import INT64_MAX

_NAMED = ("kind", "status", "name", "agent", "named_model", "tool", "error_type")
_PLAIN = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd", "folded_into")
_SELECT = (
    f"SELECT span_id, parent_id, (start_ns - ?) / 1e6, duration_ms, {', '.join(_NAMED + _PLAIN)}, start_ns, id "  # noqa: S608  # constants
    "FROM spans WHERE trace_id = ? AND start_ns >= ? AND (start_ns > ? OR id > ?) ORDER BY start_ns, id LIMIT ?"
)
_SELECT_RUN = (
    f"SELECT span_id, parent_id, (spans.start_ns - ?) / 1e6, spans.duration_ms, "  # noqa: S608  # constants
    f"{', '.join(f'spans.{name}' for name in _NAMED + _PLAIN)}, traces.trace_id, spans.start_ns, spans.id "
    "FROM traces JOIN spans ON spans.trace_id = traces.id WHERE traces.run_id = ? AND spans.start_ns >= ? "
    "AND (spans.start_ns > ? OR spans.id > ?) ORDER BY spans.start_ns, spans.id LIMIT ?"
)
_BEFORE_ALL = (-INT64_MAX, -1)


def read_outline(connection: Connection, trace_id: str, *, cursor: str | None, limit: int) -> TraceOutline | None:
    """Returns one page of a trace's outline; None when there is no such trace."""
    identity = ("outline", trace_id)
    after_ns, after_id = read_cursor(identity, cursor) or _BEFORE_ALL
    trace = read_trace(connection, trace_id)
    if trace is None:
        return None
    # Past the driver: a row object for each of many thousand rows would double the time.
    execute = driver(connection).execute
    ((row_id,),) = execute("SELECT id FROM traces WHERE trace_id = ?", (trace_id,))
    start_ns = int(trace.start_time_unix_nano)
    rows = execute(_SELECT, (start_ns, row_id, after_ns, after_ns, after_id, limit + 1)).fetchall()
    more = len(rows) > limit
    del rows[limit:]
    tables, columns = _columns(rows)
    return TraceOutline(
        trace=trace,
        seq=load_counters(connection)["seq"],
        start_time_unix_nano=trace.start_time_unix_nano,
        tables=tables,
        columns=columns,
        next_cursor=write_cursor(identity, rows[-1][-2:]) if more else None,
    )


def read_run_outline(connection: Connection, run_id: str, *, cursor: str | None, limit: int) -> RunOutline | None:
    """Returns one page of the outline of all traces of a run; None when there is no such run."""
    identity = ("run outline", run_id)
    after_ns, after_id = read_cursor(identity, cursor) or _BEFORE_ALL
    run = read_run(connection, run_id)
    if run is None:
        return None
    start_ns = int(run.start_time_unix_nano)
    bounds = (start_ns, run_id, after_ns, after_ns, after_id, limit + 1)
    rows = driver(connection).execute(_SELECT_RUN, bounds).fetchall()
    more = len(rows) > limit
    del rows[limit:]
    tables, columns = _columns(rows)
    traces, trace = _numbered([row[16] for row in rows])
    return RunOutline(
        run=run,
        seq=load_counters(connection)["seq"],
        start_time_unix_nano=run.start_time_unix_nano,
        tables=tables,
        columns=columns,
        traces=traces,
        trace=trace,
        next_cursor=write_cursor(identity, rows[-1][-2:]) if more else None,
    )


def _columns(rows: Sequence[Sequence[Any]]) -> tuple[OutlineTables, OutlineColumns]:
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * 18
    named = [_numbered(column) for column in columns[4:11]]
    tables = OutlineTables(*(table for table, _ in named))
    return tables, OutlineColumns(*columns[:4], *(numbers for _, numbers in named), *columns[11:16])


def _numbered(column: Sequence[Any]) -> tuple[tuple[Any, ...], list[int]]:
    table = tuple(value for value in dict.fromkeys(column) if value is not None)
    places: dict[Any, int] = {value: at for at, value in enumerate(table)}
    places[None] = -1
    return table, [places[value] for value in column]
