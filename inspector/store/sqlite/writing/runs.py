"""Updates the rows of ``runs``, the totals of their traces, within the write transaction."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.sqlite.writing.sum_rows import RUNS, TRACES
from inspector.store.values.sums import MESSAGE, RunSums, TraceSums

_LOAD = (
    f"SELECT {', '.join(RUNS.columns)}, (SELECT kind FROM traces WHERE id = runs.head), "
    "(SELECT start_ns FROM traces WHERE id = runs.head) FROM runs WHERE run_id IN (SELECT value FROM json_each(?))"
)


class Move(NamedTuple):
    """A trace that changed."""

    old: TraceSums | None
    """Its previous state; None for a new trace."""
    new: TraceSums
    is_certain: bool
    """Whether it only grew, so that the totals of its run can be updated instead of computed again."""


def apply(connection: Connection, moves: Sequence[Move]) -> None:
    """Update the totals after traces have changed and have been stored."""
    touched = {trace.run_id for move in moves for trace in (move.old, move.new) if trace is not None}
    sums = _load(connection, touched)
    again: set[str] = set()
    for old, new, is_certain in moves:
        if old is not None and (old.run_id != new.run_id or not is_certain or old.is_message != new.is_message):
            again.add(old.run_id)
        elif old is not None and old.run_id in sums:
            sums[old.run_id].discount(old)
        sums.setdefault(new.run_id, RunSums(run_id=new.run_id)).add(new)
    _save(connection, [run for run_id, run in sums.items() if run_id not in again])
    sum_runs(connection, again)


def sum_runs(connection: Connection, run_ids: Iterable[str]) -> None:
    """Compute runs from their traces and store them; runs without traces are deleted."""
    summed: list[RunSums] = []
    for run_id in run_ids:
        sums = RunSums(run_id=run_id)
        for trace in TRACES.load(connection, "run_id", (run_id,)):
            sums.add(trace)
        if sums.traces or sums.uncaught:
            summed.append(sums)
        else:
            connection.exec_driver_sql("DELETE FROM runs WHERE run_id = ?", (run_id,))
    _save(connection, summed)


def sum_all_runs(connection: Connection) -> None:
    """Create the rows of ``runs`` from those of ``traces``, for a database without any."""
    run_ids = connection.exec_driver_sql("SELECT DISTINCT run_id FROM traces").scalars().all()
    sum_runs(connection, run_ids)


def _load(connection: Connection, run_ids: Iterable[str]) -> dict[str, RunSums]:
    sums: dict[str, RunSums] = {}
    for *values, kind, head_ns in driver(connection).execute(_LOAD, (json_list(sorted(run_ids)),)):
        fields = RUNS.read(values)
        head: dict[str, Any] = {} if kind is None else {"head_is_message": kind == MESSAGE, "head_ns": head_ns}
        sums[fields["run_id"]] = RunSums(**fields, **head)
    return sums


def _save(connection: Connection, runs: Sequence[RunSums]) -> None:
    for sums in runs:
        sums.finish()
    RUNS.save(connection, runs)
