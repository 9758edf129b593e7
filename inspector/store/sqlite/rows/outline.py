"""The rows of an outline of a trace or a run."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from inspector.model import Run, Trace
from inspector.store.sqlite.database.engine import driver
from inspector.store.values.outlines import PLAIN

_NAMED = ("kind", "status", "name", "agent", "named_model", "tool", "error_type")
_SELECT = (
    f"SELECT span_id, parent_id, (start_ns - ?) / 1e6, duration_ms, {', '.join(_NAMED + PLAIN)}, start_ns, id "
    "FROM spans WHERE trace_id = ? AND start_ns >= ? AND (start_ns > ? OR id > ?) ORDER BY start_ns, id LIMIT ?"
)
_SELECT_RUN = (
    f"SELECT span_id, parent_id, (spans.start_ns - ?) / 1e6, spans.duration_ms, "
    f"{', '.join(f'spans.{name}' for name in _NAMED + PLAIN)}, traces.trace_id, spans.start_ns, spans.id "
    "FROM traces JOIN spans ON spans.trace_id = traces.id WHERE traces.run_id = ? AND spans.start_ns >= ? "
    "AND (spans.start_ns > ? OR spans.id > ?) ORDER BY spans.start_ns, spans.id LIMIT ?"
)


def read_outline_rows(
    connection: Connection, summary: Trace | Run, after: tuple[int, int], limit: int
) -> Sequence[Sequence[Any]]:
    """Return the rows of a page, as `inspector.store.values.outlines` reads them."""
    # With the bare driver: SQLAlchemy's row objects would double the time for many thousand rows.
    execute = driver(connection).execute
    sql, item_id = _SELECT_RUN, summary.run_id
    if isinstance(summary, Trace):
        sql, ((item_id,),) = _SELECT, execute("SELECT id FROM traces WHERE trace_id = ?", (summary.trace_id,))
    after_ns, after_id = after
    values = (int(summary.start_time_unix_nano), item_id, after_ns, after_ns, after_id, limit)
    return execute(sql, values).fetchall()
