"""The beginnings of what calls were given and of what they gave, one line each, for rows of a tree."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, cast

import msgspec
from sqlalchemy import Connection, select

from inspector.model import Preview
from inspector.store.sqlite.contents import messages, with_strings
from inspector.store.sqlite.events import attribute_text
from inspector.store.sqlite.tables import spans, traces
from inspector.store.values.contents import StoredShared, content_ids, ids_of, read_shared, text_of
from inspector.store.values.gist import answer_in, question_in
from inspector.store.values.rows import clean

LONGEST = 100
"""Characters of a preview."""
_FIRST_MESSAGES = 8
"""So many messages of a prompt are looked through for its question."""
_MOST_CHARS = 200_000
"""A longer value is shown as it begins, without being read."""
_c, _t = spans.c, traces.c
_COLUMNS = (
    *(_t.trace_id, _c.span_id, _c.kind, _c.input_key, _c.output_key, _c.shared, _c.attributes),
    *(_c.error_type, _c.error_message),
)
_HOLD_RESULT = ("structuredContent", "structured_content", "content", "result")


def read_previews(
    connection: Connection, run_id: str, trace_id: str | None, span_ids: Sequence[str]
) -> tuple[Preview, ...]:
    """Returns the previews of some spans of a run, or of one trace of it, in no order."""
    where = [_t.run_id == run_id, _c.span_id.in_(span_ids)]
    if trace_id is not None:
        where.append(_t.trace_id == trace_id)
    rows = connection.execute(select(*_COLUMNS).join(traces, _t.id == _c.trace_id).where(*where)).all()
    return tuple(_preview(connection, row) for row in rows)


def _preview(connection: Connection, row: Sequence[Any]) -> Preview:
    trace_id, span_id, kind, input_key, output_key, shared, attributes, error_type, error_message = row
    given = None
    if input_key is not None:
        text = attribute_text(attributes, shared, input_key)
        if text is None and kind != "llm":
            text = _kept_apart(connection, shared, input_key)
        # What a model was given is a whole conversation: it is told by what it began with.
        given = _question(text or _begun(connection, shared, input_key)) if kind == "llm" else _line(text)
    error = None
    if error_type is not None or error_message is not None:
        error = _cut(": ".join(part for part in ((error_type or "").rpartition(".")[2], error_message) if part))
    gave = None
    if output_key is not None:
        text = attribute_text(attributes, shared, output_key) or _kept_apart(connection, shared, output_key)
        gave = _answer(text) if kind in ("llm", "agent", "workflow") else _line(text, result=True)
    return Preview(trace_id, span_id, given, gave, error)


def _begun(connection: Connection, shared: StoredShared, key: str) -> str | None:
    """Returns a prompt of which the first messages alone are read: it may be very long."""
    refers = read_shared(shared).get(key)
    if refers is None or isinstance(refers, str):
        return None
    first = set(islice(ids_of(refers), _FIRST_MESSAGES))
    return text_of(refers, with_strings(connection, messages(connection, first))).decode()


def _question(text: str | None) -> str | None:
    said = question_in(text)
    return None if said is None or said[:1] in ("{", "[") else _cut(said)


def _kept_apart(connection: Connection, shared: StoredShared, key: str) -> str | None:
    refers = read_shared(shared).get(key)
    if refers is None or isinstance(refers, str):
        return None
    only = msgspec.json.encode({key: refers}).decode()
    return text_of(refers, with_strings(connection, messages(connection, content_ids((only,))))).decode()


def _answer(text: str | None) -> str | None:
    """Returns what an answer says, else the tools that it asks for."""
    said = answer_in(text)
    if said is not None and said[:1] not in ("{", "["):
        return _cut(said)
    asked = _asked_for(_decoded(text), 6)
    return _cut(f"calls {', '.join(asked)}") if asked else _line(text)


def _asked_for(value: Any, depth: int) -> list[str]:
    if depth == 0:
        return []
    if isinstance(value, list):
        return [name for each in cast("list[Any]", value) for name in _asked_for(each, depth - 1)]
    if not isinstance(value, dict):
        return []
    members = cast("dict[str, Any]", value)
    name = members.get("name")
    if members.get("type") in ("tool_call", "tool_use", "function_call") and isinstance(name, str):
        return [name]
    return [
        name
        for key in ("parts", "content", "tool_calls", "message")
        for name in _asked_for(members.get(key), depth - 1)
    ]


def _line(text: str | None, *, result: bool = False) -> str | None:
    """Returns a value on one line: the members of an object one by one, a text as it is."""
    if text is None:
        return None
    value = _decoded(text)
    if isinstance(value, dict) and "jsonrpc" in value:
        message = cast("dict[str, Any]", value)
        value = message.get("params", message.get("result"))
    if value is None:
        return None
    if result and isinstance(value, dict):
        value = _unwrapped(cast("dict[str, Any]", value))
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return _cut(", ".join(f"{key}: {_short(each)}" for key, each in list(members.items())[:12])) or None
    return _cut(_short(value)) or None


def _unwrapped(result: Mapping[str, Any]) -> Any:
    """Returns what the envelope of a tool's result holds (MCP's ``content``, of one text the text)."""
    for key in _HOLD_RESULT:
        held = result.get(key)
        if held is None:
            continue
        items = cast("list[Any]", held) if isinstance(held, list) else []
        only: Any = items[0] if len(items) == 1 else None
        if only is None:
            return cast("Any", held)
        text = cast("dict[str, Any]", only).get("text") if isinstance(only, dict) else None
        return _decoded(text) if isinstance(text, str) else cast("Any", only)
    return result


def _decoded(text: str | None) -> Any:
    if text is None or len(text) > _MOST_CHARS:
        return None if text is None else text[: 4 * LONGEST]
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return text


def _short(value: Any) -> str:
    return value[: 4 * LONGEST] if isinstance(value, str) else msgspec.json.encode(value).decode()[: 4 * LONGEST]


def _cut(text: str) -> str:
    line = " ".join(clean(text[: 4 * LONGEST]).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
