"""What the store says of itself: how far spools were taken in, what was not recorded, how much is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Final, get_args

from inspector.model import Loss, Losses, Run, Trace
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.numbers import read_number, read_numbers
from inspector.store.clickhouse.removal import losses_of, sum_losses, used_bytes
from inspector.store.clickhouse.tables import LOSSES, SCHEMA_VERSION, SPOOLS
from inspector.store.clickhouse.wholes import TRACE, trace_of
from inspector.store.clickhouse.writer import Writer
from inspector.store.nouns import Health, Kept, Removed, Rule, SpoolMark
from inspector.store.values.ever import calls_ever
from inspector.store.values.rows import INT64_MAX, clamp, clean

HOUR_NS: Final = 3600 * 10**9
DOUBTED: Final = "clock doubted"
_LOSS: Final = "process, run, service, reason, count, since_ns, until_ns"
_MARK: Final = "name, inode, offset, lines, bad_lines, spans, bad_spans"


def save_marks(database: Database, writer: Writer, marks: Sequence[SpoolMark]) -> None:
    """Stores how far spools were taken in."""
    version = writer.next_version()
    rows = [(clean(name), version, 0, *totals) for name, *totals in map(astuple, marks)]
    database.insert("spools", tuple(SPOOLS), rows, token=writer.token(version))


def forget_marks(database: Database, writer: Writer, names: Sequence[str]) -> None:
    """Drops the marks of spools."""
    version = writer.next_version()
    rows = [(clean(name), version, 1, *(0,) * 6) for name in names]
    database.insert("spools", tuple(SPOOLS), rows, token=writer.token(version))


def read_marks(database: Database) -> dict[str, SpoolMark]:
    """Returns the marks of all spools, by their names."""
    return {row[0]: SpoolMark(*row) for row in database.rows(f"SELECT {_MARK} FROM spools FINAL ORDER BY name")}


def write_losses(database: Database, writer: Writer, losses: Sequence[Loss], now_ns: int) -> None:
    """Adds to what was not recorded what arrives now."""
    rows = [
        (
            *(clean(loss.process), *(None if text is None else clean(text) for text in (loss.run, loss.service))),
            *(loss.reason, loss.count, clamp(loss.since_ns), clamp(loss.until_ns), now_ns),
        )
        for loss in losses
    ]
    database.insert("losses", tuple(LOSSES), rows, token=writer.token(writer.next_version()))


def read_losses(database: Database, run: str | None, limit: int) -> tuple[Loss, ...]:
    """Returns what was not recorded, the latest first."""
    values = Values()
    where = "" if run is None else f"WHERE run = {values.text(run)}"
    sql = f"SELECT {_LOSS} FROM losses {where} ORDER BY until_ns DESC, since_ns DESC LIMIT {limit}"
    return tuple(Loss(*row) for row in database.rows(sql, values))


def losses_near(database: Database, whole: Trace | Run) -> Losses | None:
    """Returns what the processes of a trace or run did not record in its time; None for nothing."""
    values = Values()
    end_ns = INT64_MAX if whole.end_time_unix_nano is None else clamp(int(whole.end_time_unix_nano))
    near = (
        f"since_ns <= {values.whole(end_ns)} AND until_ns >= {values.whole(clamp(int(whole.start_time_unix_nano)))} "
        "AND reason <> 'dropped_segments'"
    )
    if database.row(f"SELECT 1 FROM losses WHERE {near} LIMIT 1", values) is None:
        return None
    if isinstance(whole, Run):
        of_it = f"trace_id IN (SELECT trace_id FROM traces FINAL WHERE run_id = {values.text(whole.run_id)})"
    else:
        of_it = f"trace_id = {values.text(whole.trace_id)}"
    sql = f"SELECT reason, sum(count) FROM losses WHERE {near} AND process IN (SELECT process FROM spans WHERE {of_it})"
    found: dict[str, int] = dict(database.rows(f"{sql} GROUP BY reason", values))
    return losses_of(found) if found else None


def read_health(database: Database) -> Health:
    """Returns the figures of the whole."""
    numbers = read_numbers(database)
    row = database.row("SELECT sum(spans), minOrNull(start_ns) FROM traces FINAL")
    spans, oldest_ns = (0, None) if row is None else row
    losses, losses_ever = sum_losses(database, numbers)
    used = used_bytes(database)
    return Health(
        spans=spans,
        bytes=used,
        used_bytes=used,
        oldest_ns=oldest_ns,
        last_seq=numbers["seq"],
        search_behind=0,
        schema_version=str(SCHEMA_VERSION),
        losses=losses,
        losses_ever=losses_ever,
        calls_ever=calls_ever(numbers),
        removed=_removals(numbers),
    )


def removal_notes(removed: Removed) -> dict[str, int]:
    """Returns what is noted of a removal."""
    values = (clamp(removed.at_ns), removed.traces, removed.spans)
    return dict(zip(_names(removed.rule), values, strict=True))


def _removals(numbers: Mapping[str, int]) -> tuple[Removed, ...]:
    known = ((rule, [numbers.get(name, 0) for name in _names(rule)]) for rule in get_args(Rule))
    found = [Removed(rule, *values) for rule, values in known if values[0]]
    return tuple(sorted(found, key=lambda removed: removed.at_ns, reverse=True))


def _names(rule: Rule) -> tuple[str, str, str]:
    return f"removed by {rule}: at", f"removed by {rule}: traces", f"removed by {rule}: spans"


def read_kept(database: Database) -> Kept:
    """Returns how much is kept, and what goes next: the trace that arrived first."""
    row = database.row("SELECT uniqExact(run_id), count() FROM traces FINAL")
    runs, traces = (0, 0) if row is None else row
    first = database.row(f"SELECT {', '.join(TRACE)}, arrived_ns FROM traces FINAL ORDER BY id LIMIT 1")
    if first is None:
        return Kept(runs, traces, None, None)
    return Kept(runs, traces, trace_of(first[:-1]), (first[-1] // HOUR_NS + 1) * HOUR_NS)


def last_seq(database: Database) -> int:
    """Returns the number of the last change, also where it was deleted since."""
    row = database.row("SELECT max(seq) FROM spans")
    return max(read_number(database, "seq"), 0 if row is None else row[0])
