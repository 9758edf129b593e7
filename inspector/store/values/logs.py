"""Logs as rows of the database: which are the same, and in which order they are joined to their span."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final

import msgspec
from msgspec import Struct

from inspector.model import Log
from inspector.store.values.rows import Key, clamp, clean, encode

MOST_JOINED: Final = 1_024
"""Logs of a span that are joined to it: as many as it may have events."""
WAITING, DUE, JOINED = range(3)
"""The state of a log: its span has not ended, or is not stored; it is to be joined; it is an event of its span."""
_SORTED: Final = msgspec.json.Encoder(order="sorted")
_EVENT: Final = msgspec.json.Decoder(dict[str, Any])


class LogRow(Struct, array_like=True, frozen=True, gc=False):
    """A log as it is stored. Its form in the inbox is of a version of the tables."""

    trace_id: str
    span_id: str
    identity: str
    """Equal for equal logs of a span."""
    time_ns: int
    event: str
    """As JSON, with sorted keys."""


def log_rows(logs: Iterable[Log]) -> list[LogRow]:
    """Return logs as rows, equal ones once."""
    rows = {(row.trace_id, row.span_id, row.identity): row for row in map(_row, logs)}
    return list(rows.values())


def log_of(trace_id: str, span_id: str, event: str | bytes) -> Log:
    """Return the log of a row."""
    return Log(trace_id, span_id, _EVENT.decode(event))


def ended(spans: Iterable[Any]) -> list[Key]:
    """Return the ids of those records of spans that have ended: their logs can be joined."""
    return list({(clean(span.trace_id), clean(span.span_id)): None for span in spans if span.status != "running"})


def spans_of(rows: Iterable[LogRow]) -> list[Key]:
    """Return the spans that logs belong to, each once."""
    return list(dict.fromkeys((row.trace_id, row.span_id) for row in rows))


def _row(log: Log) -> LogRow:
    event = _SORTED.encode(_EVENT.decode(encode(log.event)))
    identity = blake2b(event, digest_size=16).hexdigest()
    return LogRow(clean(log.trace_id), clean(log.span_id), identity, _time_ns(log), event.decode())


def _time_ns(log: Log) -> int:
    try:
        return clamp(int(str(log.event.get("time_unix_nano"))))
    except ValueError:
        return 0
