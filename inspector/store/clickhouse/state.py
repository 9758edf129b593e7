"""The state of the store: losses, sizes, and the last ``seq``."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from inspector.model import Loss, Losses, Run, Trace
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.inbox import read_waiting
from inspector.store.clickhouse.notes import read_notes, read_number
from inspector.store.clickhouse.removal import sum_losses, used_bytes
from inspector.store.clickhouse.slots import of_run, of_trace
from inspector.store.clickhouse.summaries import TRACE
from inspector.store.clickhouse.tables import LOSSES, SCHEMA_VERSION
from inspector.store.model import Health, Retained, SpoolMark
from inspector.store.values.lifetime_counts import calls_ever
from inspector.store.values.losses import losses_of, time_of
from inspector.store.values.removals import removals
from inspector.store.values.rows import clamp, clean
from inspector.store.values.summaries import trace_of

HOUR_NS: Final = 3600 * 10**9
DOUBTED: Final = "clock doubted"
_LOSS: Final = "process, run, service, reason, count, since_ns, until_ns"


def write_losses(database: Database, losses: Sequence[Loss], marks: Sequence[SpoolMark], now_ns: int) -> None:
    """Add new losses; ``marks`` are the read positions of the spools that reported them."""
    rows = [
        (
            *(clean(loss.process), *(None if text is None else clean(text) for text in (loss.run, loss.service))),
            *(loss.reason, loss.count, clamp(loss.since_ns), clamp(loss.until_ns), now_ns),
        )
        for loss in losses
    ]
    # The same token if a spool is read again because its position was not stored: the losses count once.
    token = blake2b(repr((losses, marks)).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
    database.insert("losses", tuple(LOSSES), rows, token=token)


def read_losses(database: Database, run: str | None, limit: int) -> tuple[Loss, ...]:
    """Return losses, the latest first."""
    values = Values()
    where = "" if run is None else f"WHERE run = {values.text(run)}"
    sql = f"SELECT {_LOSS} FROM losses {where} ORDER BY until_ns DESC, since_ns DESC LIMIT {limit}"
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
