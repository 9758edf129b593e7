"""Losses (calls that were not recorded): rows for time ranges, and their totals."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from inspector.model import Loss, Losses, Run, Trace
from inspector.store.model import Age
from inspector.store.sqlite.database.counters import load_counters, save_counters
from inspector.store.sqlite.database.engine import driver
from inspector.store.values.losses import COLUMNS, kept_and_ever, losses_of, pruned, row_of, time_of
from inspector.store.values.rows import clamp, clean

APART_NS = 60 * 10**9
"""Losses with the same process and reason that are closer together than this share a row."""
_MOST_SPANS = 20_000
"""How many spans of a trace are searched for its processes; further spans hardly belong to others."""


def write_losses(connection: Connection, losses: Sequence[Loss], now_ns: int) -> None:
    """Add new losses to the stored ones."""
    execute = driver(connection).execute
    for loss in losses:
        row = row_of(loss)
        process, *_, since_ns, until_ns = row
        merged = execute(
            "UPDATE losses SET count = count + ?, until_ns = max(until_ns, ?), arrived_ns = ? WHERE id = "
            "(SELECT id FROM losses WHERE process = ? AND reason = ? AND until_ns >= ? "
            "ORDER BY until_ns DESC LIMIT 1) RETURNING id",
            (loss.count, until_ns, now_ns, process, loss.reason, since_ns - APART_NS),
        ).fetchone()
        if merged is None:
            sql = f"INSERT INTO losses ({COLUMNS}, arrived_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            execute(sql, (*row, now_ns))


def read_losses(connection: Connection, run: str | None, limit: int) -> tuple[Loss, ...]:
    """Return losses, the latest first."""
    where, values = ("", ()) if run is None else ("WHERE run = ?", (clean(run),))
    rows = driver(connection).execute(
        f"SELECT {COLUMNS} FROM losses {where} ORDER BY until_ns DESC, id DESC LIMIT ?",
        (*values, limit),
    )
    return tuple(Loss(*row) for row in rows)


def sum_losses(connection: Connection) -> tuple[Losses, Losses]:
    """Return the losses within the time that is kept, and all losses including pruned ones."""
    kept = dict(_sums(connection, "SELECT reason, sum(count) FROM losses GROUP BY 1"))
    return kept_and_ever(kept, load_counters(connection))


def losses_near(connection: Connection, summary: Trace | Run) -> Losses | None:
    """Return the losses of a trace's or run's processes in its time; None if there are none."""
    start_ns, end_ns = time_of(summary)
    near = "since_ns <= ? AND until_ns >= ? AND reason <> 'dropped_segments'"
    if not _sums(connection, f"SELECT 1 FROM losses WHERE {near} LIMIT 1", end_ns, start_ns):
        return None
    column, item_id = ("run_id", summary.run_id) if isinstance(summary, Run) else ("trace_id", summary.trace_id)
    sums = _sums(
        connection,
        f"SELECT reason, sum(count) FROM losses WHERE {near} AND process IN (SELECT process FROM spans "
        f"WHERE trace_id IN (SELECT id FROM traces WHERE {column} = ?) LIMIT ?) GROUP BY 1",
        *(end_ns, start_ns, item_id, _MOST_SPANS),
    )
    return losses_of(dict(sums)) if sums else None


def prune_losses(connection: Connection, before_ns: int, by: Age) -> None:
    """Delete older losses, and keep their totals."""
    before = clamp(before_ns)
    older = f"{'arrived_ns' if by == 'arrival' else 'until_ns'} < ?"
    gone = _sums(connection, f"SELECT reason, sum(count) FROM losses WHERE {older} GROUP BY 1", before)
    if gone:
        save_counters(connection, pruned(gone, load_counters(connection)))
        connection.exec_driver_sql(f"DELETE FROM losses WHERE {older}", (before,))


def _sums(connection: Connection, sql: str, *values: Any) -> list[Any]:
    return driver(connection).execute(sql, values).fetchall()
