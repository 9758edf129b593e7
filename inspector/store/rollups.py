"""Keeps the rows of ``traces`` and ``sessions`` equal to what their spans add up to, within the write transaction."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import fields
from itertools import islice
from operator import attrgetter
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import Connection

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
    *("id", "seq", "trace_id", "parent_id", "session_id", "kind", "name", "status", "service", "agent", "model"),
    *("start_ns", "end_ns", "input_tokens", "output_tokens", "cached_tokens", "cost_usd"),
)
_BLANK: dict[str, Any] = dict.fromkeys(Row._fields)


def apply(connection: Connection, changes: Sequence[Change], before: Mapping[str, TraceSums]) -> None:
    """Brings the sums up to date with rows that were just written; ``before`` are the sums that these change."""
    after: dict[str, TraceSums] = {}
    unsure: set[str] = set()
    for old, new in changes:
        trace_id = new.trace_id
        sums = after.get(trace_id)
        if sums is None:
            known = before.get(trace_id)
            sums = TraceSums(trace_id=trace_id) if known is None else _copied(known)
            after[trace_id] = sums
        if old is None:
            sums.add(new)
        elif not sums.exchange(old, new):
            unsure.add(trace_id)
    for trace_id in unsure:
        after[trace_id] = sum_trace(connection, trace_id)
    for sums in after.values():
        sums.finish()
    _save(connection, "traces", "trace_id", _TRACE_FIELDS, map(_trace_values, after.values()))
    _apply_to_sessions(connection, before, after, unsure)


def load_traces(connection: Connection, trace_ids: Iterable[str]) -> dict[str, TraceSums]:
    """Returns the sums of those traces that are known."""
    columns = ", ".join(_TRACE_FIELDS)
    found: dict[str, TraceSums] = {}
    for chunk in _chunks(trace_ids):
        marks = ",".join("?" * len(chunk))
        rows = connection.exec_driver_sql(f"SELECT {columns} FROM traces WHERE trace_id IN ({marks})", chunk)  # noqa: S608  # constants and question marks
        for row in rows:
            values: dict[str, Any] = dict(zip(_TRACE_FIELDS, row, strict=True))
            values["models"] = set(msgspec.json.decode(values["models"], type=list[str]))
            found[values["trace_id"]] = TraceSums(**values, head_status=values["status"])
    return found


def sum_trace(connection: Connection, trace_id: str) -> TraceSums:
    """Sums a trace from its rows."""
    rows = connection.exec_driver_sql(f"SELECT {', '.join(_SUMMED)} FROM spans WHERE trace_id = ?", (trace_id,))  # noqa: S608  # constants
    sums = TraceSums(trace_id=trace_id)
    for row in rows:
        values: dict[str, Any] = _BLANK | dict(zip(_SUMMED, row, strict=True))
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
    _save(connection, "sessions", "session_id", _SESSION_FIELDS, map(_session_values, summed))


def _copied(sums: TraceSums) -> TraceSums:
    copied = copy(sums)
    copied.models = set(sums.models)
    return copied


def _apply_to_sessions(
    connection: Connection, before: Mapping[str, TraceSums], after: Mapping[str, TraceSums], unsure: set[str]
) -> None:
    touched = {sums.session_id for sums in after.values() if sums.session_id is not None}
    sums_of = _load_sessions(connection, touched)
    again: set[str] = set()
    for trace_id, new in after.items():
        old = before.get(trace_id)
        if old is not None and old.session_id is not None:
            if old.session_id != new.session_id or trace_id in unsure:
                again.add(old.session_id)
            elif old.session_id in sums_of:
                sums_of[old.session_id].add(old, -1)
        if new.session_id is not None:
            sums_of.setdefault(new.session_id, SessionSums(session_id=new.session_id)).add(new)
    certain = [sums for session_id, sums in sums_of.items() if session_id not in again]
    _save(connection, "sessions", "session_id", _SESSION_FIELDS, map(_session_values, certain))
    sum_sessions(connection, again)


def _load_sessions(connection: Connection, session_ids: Iterable[str]) -> dict[str, SessionSums]:
    columns = ", ".join(_SESSION_FIELDS)
    found: dict[str, SessionSums] = {}
    for chunk in _chunks(session_ids):
        marks = ",".join("?" * len(chunk))
        rows = connection.exec_driver_sql(f"SELECT {columns} FROM sessions WHERE session_id IN ({marks})", chunk)  # noqa: S608  # constants and question marks
        for row in rows:
            sums = SessionSums(**dict(zip(_SESSION_FIELDS, row, strict=True)))
            found[sums.session_id] = sums
    return found


def _save(
    connection: Connection, table: str, key: str, names: Sequence[str], values: Iterable[tuple[Any, ...]]
) -> None:
    rows = list(values)
    if not rows:
        return
    marks = ",".join("?" * len(names))
    changed = ", ".join(f"{name} = excluded.{name}" for name in names if name != key)
    connection.exec_driver_sql(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {changed}",  # noqa: S608  # constants and question marks
        rows,
    )


def _trace_values(sums: TraceSums) -> tuple[Any, ...]:
    sums.saturate()
    models = msgspec.json.encode(sorted(sums.models)).decode()
    return (*_plain_trace_values(sums), models)


def _session_values(sums: SessionSums) -> tuple[Any, ...]:
    sums.saturate()
    return _plain_session_values(sums)


def _chunks(keys: Iterable[str]) -> Iterable[tuple[str, ...]]:
    remaining = iter(keys)
    while chunk := tuple(islice(remaining, 256)):
        yield chunk
