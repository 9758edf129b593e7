"""Reads an SQLite store for a copy of it."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from inspector.store.model import Arrival, StoredSpan
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.rows.contents import messages
from inspector.store.sqlite.rows.events import large_values
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.contents import content_ids
from inspector.store.values.retention import HOUR_NS
from inspector.store.values.rows import Row, span_of

_STEP: Final = 32
"""Spans to read at a time, since they may be large."""
_COLUMNS: Final = ", ".join(f"spans.{name}" for name in Row._fields)
_SELECT: Final = (
    f"SELECT traces.trace_id, {_COLUMNS} FROM spans JOIN traces ON traces.id = spans.trace_id "
    "WHERE spans.id IN (SELECT value FROM json_each(?)) ORDER BY spans.id"
)
# Uses the index on traces; in order of row ids, SQLite would read the rows of all traces.
_IDS: Final = (
    "SELECT id FROM spans WHERE trace_id IN "
    "(SELECT id FROM traces WHERE trace_id IN (SELECT value FROM json_each(?))) AND +id > ? ORDER BY +id LIMIT ?"
)
_ARRIVALS: Final = (
    "SELECT trace_id, seq, spans, (SELECT min(hour) FROM arrivals WHERE arrivals.seq >= traces.seq) "
    "FROM traces WHERE seq > ? ORDER BY seq LIMIT ?"
)


def read_arrivals(connection: Connection, after: int, limit: int) -> tuple[Arrival, ...]:
    """Return the traces that changed after a ``seq``, in the order of their last change."""
    rows = driver(connection).execute(_ARRIVALS, (after, limit))
    # The last moment of the hour, so that no trace counts as older than it is.
    return tuple(
        Arrival(trace_id, seq, spans, None if hour is None else (hour + 1) * HOUR_NS - 1)
        for trace_id, seq, spans, hour in rows
    )


def read_stored(
    connection: Connection, trace_ids: Sequence[str], after: int, limit: int, most_bytes: int
) -> tuple[StoredSpan, ...]:
    """Return spans of traces in the order they first arrived, fewer if they are large."""
    selected = driver(connection).execute(_IDS, (json_list(list(trace_ids)), after, limit))
    ids = [row[0] for row in selected]
    kept: list[StoredSpan] = []
    size = 0
    for start in range(0, len(ids), _STEP):
        rows = driver(connection).execute(_SELECT, (json_list(ids[start : start + _STEP]),)).fetchall()
        named = [(trace_id, Row._make(values)) for trace_id, *values in rows]
        for stored, its_size in stored_spans(connection, named):
            size += its_size
            if kept and size > most_bytes:
                return tuple(kept)
            kept.append(stored)
    return tuple(kept)


def stored_spans(connection: Connection, named: Sequence[tuple[str, Row]]) -> list[tuple[StoredSpan, int]]:
    """Return the spans of rows, each given with its trace id, and the sizes of what is large in them."""
    texts = messages(connection, content_ids(row.shared for _, row in named))
    stored: list[tuple[StoredSpan, int]] = []
    for trace_id, row in named:
        own = (row.input_key, row.output_key, row.shared, row.attributes, row.events, row.links)
        _, _, attributes, events, links = (bytes(value or b"") for value in large_values(own, texts, raw=True))
        size = len(attributes) + len(events) + len(links)
        stored.append((StoredSpan(row.id, span_of(row, trace_id, (attributes, events, links))), size))
    return stored
