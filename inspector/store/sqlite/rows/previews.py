"""Previews of calls, for the rows of a tree."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from inspector.model import Preview
from inspector.store.sqlite.rows.contents import messages, with_strings
from inspector.store.sqlite.sql.functions import attribute_text
from inspector.store.sqlite.tables import spans, traces
from inspector.store.values.codes import KEYS
from inspector.store.values.contents import StoredShared, ids_of, last_of, read_shared, strings_of, text_of
from inspector.store.values.newest import MOST_LOOKED_AT
from inspector.store.values.previews import preview_of

_c, _t = spans.c, traces.c
_COLUMNS = (
    *(_t.trace_id, _c.span_id, _c.kind, _c.input_key, _c.output_key, _c.shared, _c.attributes),
    *(_c.error_type, _c.error_message),
)


def read_previews(
    connection: Connection, run_id: str | None, trace_ids: Sequence[str], span_ids: Sequence[str]
) -> tuple[Preview, ...]:
    """Return the previews of some spans of a run, or of some traces, in no particular order."""
    where: list[ColumnElement[bool]] = [_c.span_id.in_(span_ids)]
    if run_id is not None:
        where.append(_t.run_id == run_id)
    if trace_ids or run_id is None:
        where.append(_t.trace_id.in_(trace_ids))
    rows = connection.execute(select(*_COLUMNS).join(traces, _t.id == _c.trace_id).where(*where)).all()
    return tuple(_preview(connection, row) for row in rows)


def _preview(connection: Connection, row: Sequence[Any]) -> Preview:
    trace_id, span_id, kind, input_key, output_key, shared, attributes, *error = row
    call_input = output = None
    input_key, output_key = KEYS.name(input_key), KEYS.name(output_key)
    if input_key is not None:
        call_input = attribute_text(attributes, shared, input_key)
        if kind == "llm":
            call_input = call_input or _newest_messages(connection, shared, input_key)
        elif call_input is None:
            call_input = _stored_separately(connection, shared, input_key)
    if output_key is not None:
        output = attribute_text(attributes, shared, output_key) or _stored_separately(connection, shared, output_key)
    return preview_of((trace_id, span_id), kind, (call_input, output), error)


def _newest_messages(connection: Connection, shared: StoredShared, key: str) -> str | None:
    """Return a prompt with its last messages, and null for those before them: it may be very long."""
    refers = read_shared(shared).get(key)
    if refers is None or isinstance(refers, str):
        return None
    ids = list(ids_of(refers))
    last = last_of(refers)
    # Tools and instructions may come after the messages.
    end = len(ids) - ids[::-1].index(last) if last in ids else len(ids)
    newest = set(ids[max(end - MOST_LOOKED_AT, 0) : end])
    return text_of(refers, with_strings(connection, messages(connection, newest))).decode()


def _stored_separately(connection: Connection, shared: StoredShared, key: str) -> str | None:
    """Return an attribute with the texts that are stored once."""
    refers = read_shared(shared).get(key)
    if refers is None or isinstance(refers, str):
        return None
    ids = {*ids_of(refers), *strings_of(refers)}
    return text_of(refers, with_strings(connection, messages(connection, ids))).decode()
