"""Keeps the rows of ``traces`` and ``sessions`` equal to what their spans add up to, within the write transaction."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import fields
from itertools import islice
from operator import attrgetter
from typing import Any, Literal, TypeAlias

import msgspec
from sqlalchemy import Connection

from inspector.store.bulk import VALUES, execute_rows
from inspector.store.engine import driver
from inspector.store.rows import Row
from inspector.store.sums import SessionSums, TraceSums

Change: TypeAlias = tuple[Row | None, Row]
"""A row that replaces another, or is new."""

_TRACE_FIELDS = (
    *(found.name for found in fields(TraceSums) if found.name not in ("models", "head_status")),
    "models",
)
_SESSION_FIELDS = tuple(found.name for found in fields(SessionSums))
_plain_trace_values = attrgetter(*_TRACE_FIELDS[:-1])
_plain_session_values = attrgetter(*_SESSION_FIELDS)
_SUMMED = (
    *(
        "id",
        "seq",
        "trace_id",
        "folded_into",
        "parent_id",
        "session_id",
        "kind",
        "name",
        "status",
        "service",
        "agent",
        "model",
        "request_model",
    ),
    *("start_ns", "end_ns", "input_tokens", "output_tokens", "cached_tokens", "cost_usd"),
)
_BLANK: dict[str, Any] = dict.fromkeys(Row._fields)
_MODELS = msgspec.json.Decoder(list[str])


def apply(connection: Connection, changes: Sequence[Change], before: Mapping[int, TraceSums]) -> None:
    """Brings the sums up to date with rows that were just written.

    Args:
        connection: The writer's.
        changes: The rows.
        before: The sums of their traces without them, by row id; those of new traces become what they are after.
    """
    after: dict[int, TraceSums] = {}
    unsure: set[int] = set()
    for old, new in changes:
        sums = after.get(new.trace_id)
        if sums is None:
            known = before[new.trace_id]
            sums = after[new.trace_id] = _copied(known) if known.spans else known
        if old is None:
            sums.add(new)
        elif not sums.exchange(old, new):
            unsure.add(new.trace_id)
    for row_id in unsure:
        after[row_id] = sum_trace(connection, after[row_id].trace_id)
    for sums in after.values():
        sums.finish()
    _save(connection, "traces", "id", _TRACE_FIELDS, list(map(_trace_values, after.values())))
    _apply_to_sessions(connection, before, after, unsure)


def load_traces(
    connection: Connection, keys: Iterable[str | int], *, by: Literal["trace_id", "id"] = "trace_id"
) -> dict[str, TraceSums]:
    """Returns the sums of those traces that are known, by trace id."""
    columns = ", ".join(_TRACE_FIELDS)
    execute = driver(connection).execute
    found: dict[str, TraceSums] = {}
    for chunk in _chunks(keys):
        marks = ",".join("?" * len(chunk))
        for row in execute(f"SELECT {columns} FROM traces WHERE {by} IN ({marks})", chunk):  # noqa: S608  # constants and question marks
            values: dict[str, Any] = dict(zip(_TRACE_FIELDS, row, strict=True))
            values["models"] = set(_MODELS.decode(values["models"]))
            found[values["trace_id"]] = TraceSums(**values, head_status=values["status"])
    return found


def sum_trace(connection: Connection, trace_id: str) -> TraceSums:
    """Sums a trace from its rows."""
    rows = connection.exec_driver_sql(
        f"SELECT {', '.join(_SUMMED)} FROM spans WHERE trace_id = (SELECT id FROM traces WHERE trace_id = ?)",  # noqa: S608  # constants
        (trace_id,),
    )
    sums = TraceSums(trace_id=trace_id)
    for row in rows:
        values: dict[str, Any] = _BLANK | dict(zip(_SUMMED, row, strict=True))
        sums.id = values["trace_id"]
        sums.add(Row(**values))
    sums.finish()
    return sums


def sum_sessions(connection: Connection, session_ids: Iterable[str]) -> None:
    """Sums sessions from their traces and stores them; those without traces are removed."""
    columns = ", ".join(_TRACE_FIELDS)
    summed: list[SessionSums] = []
    for session_id in session_ids:
        sums = SessionSums(session_id=session_id)
        for row in connection.exec_driver_sql(f"SELECT {columns} FROM traces WHERE session_id = ?", (session_id,)):  # noqa: S608  # constants
            values: dict[str, Any] = dict(zip(_TRACE_FIELDS, row, strict=True))
            sums.add(TraceSums(**values))
        if sums.traces:
            summed.append(sums)
        else:
            connection.exec_driver_sql("DELETE FROM sessions WHERE session_id = ?", (session_id,))
    _save(connection, "sessions", "session_id", _SESSION_FIELDS, list(map(_session_values, summed)))


def _copied(sums: TraceSums) -> TraceSums:
    copied = copy(sums)
    copied.models = set(sums.models)
    return copied


def _apply_to_sessions(
    connection: Connection, before: Mapping[int, TraceSums], after: Mapping[int, TraceSums], unsure: set[int]
) -> None:
    touched = {sums.session_id for sums in after.values() if sums.session_id is not None}
    sums_of = _load_sessions(connection, touched)
    again: set[str] = set()
    for row_id, new in after.items():
        old = before[row_id]
        if old is not new and old.session_id is not None:
            if old.session_id != new.session_id or row_id in unsure:
                again.add(old.session_id)
            elif old.session_id in sums_of:
                sums_of[old.session_id].add(old, -1)
        if new.session_id is not None:
            sums_of.setdefault(new.session_id, SessionSums(session_id=new.session_id)).add(new)
    certain = [_session_values(sums) for session_id, sums in sums_of.items() if session_id not in again]
    _save(connection, "sessions", "session_id", _SESSION_FIELDS, certain)
    sum_sessions(connection, again)


def _load_sessions(connection: Connection, session_ids: Iterable[str]) -> dict[str, SessionSums]:
    columns = ", ".join(_SESSION_FIELDS)
    execute = driver(connection).execute
    found: dict[str, SessionSums] = {}
    for chunk in _chunks(session_ids):
        marks = ",".join("?" * len(chunk))
        for row in execute(f"SELECT {columns} FROM sessions WHERE session_id IN ({marks})", chunk):  # noqa: S608  # constants and question marks
            sums = SessionSums(**dict(zip(_SESSION_FIELDS, row, strict=True)))
            found[sums.session_id] = sums
    return found


def _save(connection: Connection, table: str, key: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    changed = ", ".join(f"{name} = excluded.{name}" for name in names if name not in (key, "trace_id"))
    sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES {VALUES} ON CONFLICT ({key}) DO UPDATE SET {changed}"  # noqa: S608  # constants
    execute_rows(driver(connection), sql, rows)


def _trace_values(sums: TraceSums) -> tuple[Any, ...]:
    sums.saturate()
    models = msgspec.json.encode(sorted(sums.models)).decode()
    return (*_plain_trace_values(sums), models)


def _session_values(sums: SessionSums) -> tuple[Any, ...]:
    sums.saturate()
    return _plain_session_values(sums)


def _chunks(keys: Iterable[Any]) -> Iterable[tuple[Any, ...]]:
    remaining = iter(keys)
    while chunk := tuple(islice(remaining, 256)):
        yield chunk
