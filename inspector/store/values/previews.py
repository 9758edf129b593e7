"""Previews: the beginning of a call's input and output, one line each."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from inspector.model import Kind, Preview
from inspector.store.values.excerpts import answer_in, question_in
from inspector.store.values.rows import clean

LONGEST = 100
"""Characters of a preview."""
_MOST_CHARS = 200_000
"""The preview of a longer value is its first characters; it is not parsed."""
_HOLD_RESULT = ("structuredContent", "structured_content", "content", "result")


def preview_of(
    place: tuple[str, str], kind: Kind, content: tuple[str | None, str | None], error: Sequence[Any]
) -> Preview:
    """Return the preview of a call.

    Args:
        place: Its trace id and span id.
        kind: Its kind. The preview of a model call's input is the first question of the conversation, and so is that of
            an agent or a workflow whose input is a list.
        content: Its input and output.
        error: The type and the message of its error.
    """
    call_input, returned = content
    has_messages = kind == "llm" or (kind in ("agent", "workflow") and (call_input or "").startswith("["))
    question = _question(call_input) if has_messages else None
    if question is None and kind != "llm":
        question = _line(call_input)
    answered = _answer(returned) if kind in ("llm", "agent", "workflow") else _line(returned, result=True)
    return Preview(*place, question, answered, _error_line(*error))


def _error_line(error_type: str | None, message: str | None) -> str | None:
    """Return the error of a call; None if it has none."""
    if error_type is None and message is None:
        return None
    return _cut(": ".join(part for part in ((error_type or "").rpartition(".")[2], message) if part))


def _question(text: str | None) -> str | None:
    question = question_in(text)
    return None if question is None or question[:1] in ("{", "[") else _cut(question)


def _answer(text: str | None) -> str | None:
    """Return the text of an answer, or else the tools that it requests."""
    answer = answer_in(text)
    if answer is not None and answer[:1] not in ("{", "["):
        return _cut(answer)
    tools = _requested_tools(_decoded(text), 6)
    return _cut(f"calls {', '.join(tools)}") if tools else _line(text)


def _requested_tools(value: Any, depth: int) -> list[str]:
    if depth == 0:
        return []
    if isinstance(value, list):
        return [name for each in cast("list[Any]", value) for name in _requested_tools(each, depth - 1)]
    if not isinstance(value, dict):
        return []
    members = cast("dict[str, Any]", value)
    name = members.get("name")
    if members.get("type") in ("tool_call", "tool_use", "function_call") and isinstance(name, str):
        return [name]
    return [
        name
        for key in ("parts", "content", "tool_calls", "message")
        for name in _requested_tools(members.get(key), depth - 1)
    ]


def _line(text: str | None, *, result: bool = False) -> str | None:
    """Return a value on one line: an object as a list of its members, a text unchanged."""
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
    """Return a tool's result without its envelope: MCP's ``content``, or the text in it if that is all."""
    for key in _HOLD_RESULT:
        value = result.get(key)
        if value is None:
            continue
        items = cast("list[Any]", value) if isinstance(value, list) else []
        only: Any = items[0] if len(items) == 1 else None
        if only is None:
            return cast("Any", value)
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
