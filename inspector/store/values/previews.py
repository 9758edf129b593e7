"""Previews: the beginning of a call's input and output, one line each."""

from collections.abc import Sequence
from typing import Any, cast

from inspector.model import Kind, Preview
from inspector.store.values.excerpts import answer_in, question_in
from inspector.store.values.lines import decoded, line_of, line_of_result, one_line
from inspector.store.values.newest import newest_in


def preview_of(
    place: tuple[str, str], kind: Kind, content: tuple[str | None, str | None], error: Sequence[Any]
) -> Preview:
    """Return the preview of a call.

    Args:
        place: Its trace id and span id.
        kind: Its kind. The preview of a model call's input is what the user or a tool said last, and that of an agent
            or a workflow that is given messages what the user said last.
        content: Its input and output.
        error: The type and the message of its error.
    """
    call_input, returned = content
    if kind == "llm":
        newest = newest_in(call_input)
        asked = _question(call_input) if newest is None else newest or None
    else:
        has_messages = kind in ("agent", "workflow") and (call_input or "").startswith(("[", '{"messages"'))
        asked = (_question(call_input) if has_messages else None) or line_of(call_input)
    answered = _answer(returned) if kind in ("llm", "agent", "workflow") else line_of_result(returned)
    return Preview(*place, asked, answered, _error_line(*error))


def _error_line(error_type: str | None, message: str | None) -> str | None:
    """Return the error of a call; None if it has none."""
    if error_type is None and message is None:
        return None
    return one_line(": ".join(part for part in ((error_type or "").rpartition(".")[2], message) if part))


def _question(text: str | None) -> str | None:
    question = question_in(text)
    return None if question is None or question[:1] in ("{", "[") else one_line(question)


def _answer(text: str | None) -> str | None:
    """Return the text of an answer, or else the tools that it requests."""
    # Pydantic AI's DeferredToolRequests: the calls that an agent leaves to its caller.
    is_deferred = (text or "").startswith('{"calls"')
    answer = None if is_deferred else answer_in(text)
    if answer is not None and answer[:1] not in ("{", "["):
        return one_line(answer)
    tools = _requested_tools(decoded(text), 6)
    return one_line(f"calls {', '.join(tools)}") if tools else line_of(text)


def _requested_tools(value: Any, depth: int) -> list[str]:
    if depth == 0:
        return []
    if isinstance(value, list):
        return [name for each in cast("list[Any]", value) for name in _requested_tools(each, depth - 1)]
    if not isinstance(value, dict):
        return []
    members = cast("dict[str, Any]", value)
    name = members.get("name", members.get("tool_name"))
    form = members.get("type", members.get("part_kind"))
    if form in ("tool_call", "tool_use", "function_call", "tool-call") and isinstance(name, str):
        return [name]
    return [
        name
        for key in ("parts", "content", "tool_calls", "message", "calls", "approvals")
        for name in _requested_tools(members.get(key), depth - 1)
    ]
