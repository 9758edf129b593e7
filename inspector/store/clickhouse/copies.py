"""Reads a ClickHouse store for a copy of it."""

from collections.abc import Sequence
from typing import Any, Final

from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.slots import of_traces
from inspector.store.clickhouse.tables import OF_ROW
from inspector.store.model import Arrival, StoredSpan
from inspector.store.values.rows import Row, span_of

_LARGE: Final = ("attributes", "events", "links", "error_traceback")
_COLUMNS: Final = ("trace_id", *(name for name in OF_ROW if name not in _LARGE), *_LARGE)
_SIZE: Final = "length(attributes) + length(ifNull(events, '')) + length(ifNull(links, ''))"
_BEFORE: Final = f"sum({_SIZE}) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"


def read_arrivals(database: Database, after: int, limit: int) -> tuple[Arrival, ...]:
    """Return the traces that changed after a ``seq``, in the order of their last change."""
    values = Values()
    rows = database.rows(
        "SELECT trace_id, seq, spans, arrived_ns FROM traces FINAL "
        f"WHERE seq > {values.integer(after)} ORDER BY seq LIMIT {limit}",
        values,
    )
    return tuple(Arrival(*row) for row in rows)


def read_stored(
    database: Database, trace_ids: Sequence[str], after: int, limit: int, most_bytes: int
) -> tuple[StoredSpan, ...]:
    """Return spans of traces in the order they first arrived, fewer if they are large."""
    values = Values()
    among = f"trace_id IN {values.texts(trace_ids)} AND {of_traces(database, trace_ids)}"
    # The large columns are read afterwards, only from a few minutes, which the primary key finds.
    page = database.row(
        "SELECT min(id), max(id), min(slot), max(slot), count() FROM "
        f"(SELECT id, slot FROM spans FINAL WHERE {among} AND id > {values.integer(after)} ORDER BY id LIMIT {limit})",
        values,
    )
    if page is None or not page[4]:
        return ()
    first, last, from_slot, to_slot, _ = page
    rows = database.rows(
        f"SELECT {', '.join(_COLUMNS)} FROM (SELECT *, {_BEFORE} AS before FROM spans FINAL WHERE {among} "
        f"AND id BETWEEN {first} AND {last} AND slot BETWEEN {from_slot} AND {to_slot}) "
        f"WHERE ifNull(before, 0) < {most_bytes} ORDER BY id",
        values,
    )
    return tuple(map(_stored, rows))


def _stored(fields: Sequence[Any]) -> StoredSpan:
    values: dict[str, Any] = dict(zip(_COLUMNS, fields, strict=True))
    trace_id = values.pop("trace_id")
    for name in ("attributes", "events", "links"):
        values[name] = None if values[name] is None else values[name].encode()
    row = Row(**values, trace_id=0, shared=None)
    return StoredSpan(row.id, span_of(row, trace_id, (row.attributes, row.events or b"[]", row.links or b"[]")))
