"""Recognises rows by their columns, since a page does not contain the name of its table."""

import re
from typing import Any, cast

import msgspec

from inspector.model import KINDS, STATUSES
from inspector.store.sqlite.salvage.pages import Record, Value
from inspector.store.sqlite.tables import spans
from inspector.store.values.codec import unpack
from inspector.store.values.contents import read_body, read_shared
from inspector.store.values.rows import Row

_COLUMNS = [spans.columns[name] for name in Row._fields]
_TYPES: list[tuple[type, ...]] = [
    {int: (int,), float: (int, float), str: (str,), bytes: (bytes,)}[column.type.python_type] for column in _COLUMNS
]
# ``shared`` is compressed if that is shorter; ``identity`` was JSON in schema 0021 and before.
for _name in ("shared", "identity"):
    _TYPES[Row._fields.index(_name)] = (str, bytes)
_LEAST_COLUMNS = Row._fields.index("links") + 1
"""Later columns were added to the table by migrations, and are missing in older rows."""
_KIND, _STATUS = Row._fields.index("kind"), Row._fields.index("status")
_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_HASH_BYTES = range(8, 65)


def is_span(record: Record) -> bool:
    """Tell whether a record is a row of ``spans``, even one that is partly unreadable."""
    if record.row_id is None or not _LEAST_COLUMNS <= len(record.values) <= len(_COLUMNS):
        return False
    _, _, trace_id, *_ = record.values
    return isinstance(trace_id, int) and record.values[_KIND] in KINDS and record.values[_STATUS] in STATUSES


def span_of(record: Record) -> Row | None:
    """Return the row of a span; None if a value in it is invalid."""
    values = _padded(record.values)
    for value, column, types in zip(values[1:], _COLUMNS[1:], _TYPES[1:], strict=True):
        if value is None:
            if not column.nullable:
                return None
        elif not isinstance(value, types):
            return None
    row = Row._make((record.row_id, *values[1:]))
    return row if _has_readable_parts(row) else None


def content_of(record: Record) -> tuple[int, bytes, int, bytes] | None:
    """Return the row of a message; None for any other record."""
    match record:
        case Record(row_id=int(row_id), values=(None, bytes(digest), int(span), bytes(body))):
            if len(digest) in _HASH_BYTES and _is_message(body):
                return row_id, digest, span, body
        case _:
            pass
    return None


def _is_message(stored: bytes) -> bool:
    try:
        body = read_body(stored)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return not isinstance(body, bytes) or _json(body) is not None


def trace_of(record: Record) -> tuple[int, str] | None:
    """Return the row id and the id of a trace, from its row or its index entry; None for any other record."""
    match record:
        case Record(row_id=int(number), values=(None, str(trace_id), None | str(), int(), int(), int(), str(), *_)):
            return number, trace_id
        case Record(row_id=None, values=(str(trace_id), int(number))) if _TRACE_ID.fullmatch(trace_id):
            return number, trace_id
        case _:
            pass
    return None


def indexed_span(record: Record) -> int | None:
    """Return the row id of a span, from an entry of the index that has all spans; None for any other record."""
    match record:
        case Record(row_id=None, values=(int(), str(), int(row_id))):
            return row_id
        case _:
            pass
    return None


def index_root(record: Record, name: str) -> int | None:
    """Return the root page of an index, from its row in the schema table; None for any other record."""
    match record:
        case Record(row_id=int(), values=("index", str(found), str(), int(root), _)) if found == name:
            return root
        case _:
            pass
    return None


def _padded(values: tuple[Value, ...]) -> tuple[Any, ...]:
    return values + (None,) * (len(_COLUMNS) - len(values))


def _has_readable_parts(row: Row) -> bool:
    try:
        read_shared(row.shared)
    except (msgspec.MsgspecError, ValueError):
        return False
    events, links = (b"[]" if part is None else part for part in (row.events, row.links))
    return (
        isinstance(_json(row.attributes), dict)
        and _are_objects(_json(events), "name", "time_unix_nano", "attributes")
        and _are_objects(_json(links), "trace_id", "span_id", "attributes")
    )


def _are_objects(found: Any, *keys: str) -> bool:
    objects = cast("list[Any]", found) if isinstance(found, list) else [None]
    return all(isinstance(each, dict) and all(key in each for key in keys) for each in objects)


def _json(stored: bytes) -> Any:
    """Return the value of a stored text; None if it cannot be read."""
    try:
        return msgspec.json.decode(unpack(stored))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
