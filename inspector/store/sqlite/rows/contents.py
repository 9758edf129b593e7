"""Reads the texts that are stored once."""

from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from inspector.frames import Frame, numbers
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.contents import StoredMessage, read_body


def messages(connection: Connection, ids: set[int]) -> dict[int, StoredMessage]:
    """Return messages and long strings by id."""
    if not ids:
        return {}
    sql = "SELECT id, span, body FROM contents WHERE id IN (SELECT value FROM json_each(?))"
    return _read(connection, sql, sorted(ids))


def with_strings(connection: Connection, known: dict[int, StoredMessage]) -> dict[int, StoredMessage]:
    """Return messages with the long strings in them."""
    frames = [message.body for message in known.values() if isinstance(message.body, Frame)]
    strings = {number for frame in frames for number in numbers(frame)}
    return known | messages(connection, strings - known.keys())


def owned_by(connection: Connection, row_ids: Collection[int]) -> dict[int, StoredMessage]:
    """Return the messages that belong to these spans, by id."""
    sql = "SELECT id, span, body FROM contents WHERE span IN (SELECT value FROM json_each(?))"
    return _read(connection, sql, list(row_ids))


def _read(connection: Connection, sql: str, ids: Sequence[int]) -> dict[int, StoredMessage]:
    # All rows are fetched before any is unpacked, so that each step has the processor's caches to itself.
    rows = connection.exec_driver_sql(sql, (json_list(ids),)).all()
    return {content_id: StoredMessage(span, read_body(body)) for content_id, span, body in rows}
