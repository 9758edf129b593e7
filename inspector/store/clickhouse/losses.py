"""Losses (calls that were not recorded): rows for time ranges, and their totals."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from inspector.model import Loss, Losses, Run, Trace
from inspector.store.clickhouse.cluster import DELETE_AT_ONCE, keeper_of
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.slots import of_run, of_trace
from inspector.store.clickhouse.tables import LOSSES
from inspector.store.clickhouse.writer import Writer
from inspector.store.model import Age, SpoolMark
from inspector.store.values.losses import COLUMNS, kept_and_ever, losses_of, pruned, row_of, time_of
from inspector.store.values.rows import clamp


def write_losses(database: Database, losses: Sequence[Loss], marks: Sequence[SpoolMark], now_ns: int) -> None:
    """Add new losses; ``marks`` are the read positions of the spools that reported them."""
    # The same token if a spool is read again because its position was not stored: the losses count once.
    token = blake2b(repr((losses, marks)).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
    database.insert("losses", tuple(LOSSES), [(*row_of(loss), now_ns) for loss in losses], token=token)


def read_losses(database: Database, run: str | None, limit: int) -> tuple[Loss, ...]:
    """Return losses, the latest first."""
    values = Values()
    where = "" if run is None else f"WHERE run = {values.text(run)}"
    sql = f"SELECT {COLUMNS} FROM losses {where} ORDER BY until_ns DESC, since_ns DESC LIMIT {limit}"
    return tuple(Loss(*row) for row in database.rows(sql, values))


def losses_near(database: Database, summary: Trace | Run) -> Losses | None:
    """Return the losses of a trace's or run's processes in its time; None if there are none."""
    values = Values()
    start_ns, end_ns = time_of(summary)
    start, end = values.integer(start_ns), values.integer(end_ns)
    near = f"since_ns <= {end} AND until_ns >= {start} AND reason <> 'dropped_segments'"
    if database.row(f"SELECT 1 FROM losses WHERE {near} LIMIT 1", values) is None:
        return None
    its = of_run(values.text(summary.run_id)) if isinstance(summary, Run) else of_trace(values.text(summary.trace_id))
    rows = database.rows(
        f"SELECT reason, sum(count) FROM losses WHERE {near} AND process IN (SELECT process FROM spans WHERE {its}) "
        "GROUP BY reason",
        values,
    )
    return losses_of(dict(rows)) if rows else None


def sum_losses(database: Database, notes: Mapping[str, int]) -> tuple[Losses, Losses]:
    """Return the losses within the time that is kept, and all losses including pruned ones."""
    return kept_and_ever(dict(database.rows("SELECT reason, sum(count) FROM losses GROUP BY reason")), notes)


def prune_losses(database: Database, writer: Writer, before_ns: int, by: Age) -> None:
    """Delete older losses, and keep their totals."""
    older = f"{'arrived_ns' if by == 'arrival' else 'until_ns'} < {clamp(before_ns)}"
    gone = database.rows(f"SELECT reason, sum(count) FROM losses WHERE {older} GROUP BY reason")
    if gone:
        writer.note(pruned(gone, writer.numbers))
        database.command(f"DELETE FROM {keeper_of(database, 'losses')} WHERE {older}", settings=DELETE_AT_ONCE)
