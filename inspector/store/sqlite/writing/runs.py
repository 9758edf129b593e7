"""Updates the rows of ``runs``, the totals of their traces, within the write transaction."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.codec import pack_text, unpack_text
from inspector.store.values.sums import MESSAGE, RunSums, TraceSums

_OF_HEAD = ("head_is_message", "head_ns")
"""Fields that are read from the trace that gives a run its name."""
_PACKED = ("question", "answer", "models")
"""Fields that are stored in another form."""
_FIELDS = (*(found.name for found in fields(RunSums) if found.name not in (*_PACKED, *_OF_HEAD)), *_PACKED)
_COLUMNS = ", ".join(_FIELDS)
_plain_values = attrgetter(*_FIELDS[: -len(_PACKED)])
_TRACE_FIELDS = tuple(found.name for found in fields(TraceSums) if found.name != "head_status")
_MODELS = msgspec.json.Decoder(set[str])
_SAVE = (
    f"INSERT INTO runs ({_COLUMNS}) VALUES {VALUES} ON CONFLICT (run_id) DO UPDATE SET "  # noqa: S608  # constants
    + ", ".join(f"{name} = excluded.{name}" for name in _FIELDS if name != "run_id")
)
_LOAD = (
    f"SELECT {_COLUMNS}, (SELECT kind FROM traces WHERE id = runs.head), "  # noqa: S608  # constants
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
        for trace in _traces(connection, run_id):
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


def _traces(connection: Connection, run_id: str) -> Iterator[TraceSums]:
    sql = f"SELECT {', '.join(_TRACE_FIELDS)} FROM traces WHERE run_id = ?"  # noqa: S608  # constants
    for row in driver(connection).execute(sql, (run_id,)):
        yield TraceSums(**_read(_TRACE_FIELDS, row))


def _load(connection: Connection, run_ids: Iterable[str]) -> dict[str, RunSums]:
    sums: dict[str, RunSums] = {}
    for *values, kind, head_ns in driver(connection).execute(_LOAD, (json_list(sorted(run_ids)),)):
        fields = _read(_FIELDS, values)
        head: dict[str, Any] = {} if kind is None else {"head_is_message": kind == MESSAGE, "head_ns": head_ns}
        sums[fields["run_id"]] = RunSums(**fields, **head)
    return sums


def _read(names: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    fields: dict[str, Any] = dict(zip(names, row, strict=True))
    fields |= {name: unpack_text(fields[name]) for name in ("question", "answer")}
    return fields | {"models": _MODELS.decode(fields["models"])}


def _save(connection: Connection, runs: Iterable[RunSums]) -> None:
    rows: list[tuple[Any, ...]] = []
    for sums in runs:
        sums.finish()
        sums.saturate()
        models = msgspec.json.encode(sorted(sums.models)).decode()
        rows.append((*_plain_values(sums), pack_text(sums.question), pack_text(sums.answer), models))
    execute_rows(driver(connection), _SAVE, rows)
