"""OpenAI's chat completions, and whoever speaks them."""

from collections.abc import Iterable
from typing import Any, cast

from toolkit.call import ToolCall, new_id, read_arguments
from toolkit.content import ImageContent, as_content
from toolkit.definition import ToolDefinition
from toolkit.result import ToolResult

_NAMELESS = "no tool's name in a tool call of type dict; expected 'name' or 'function.name'"


def is_written(part: Any) -> bool:
    """Return whether ``part`` is beyond doubt an entry of a message's ``tool_calls``."""
    if type(part) is not dict:
        return False
    known = cast("dict[str, Any]", part)
    return known.get("type") == "function" and type(known.get("function")) is dict


def read(call: Any) -> ToolCall:
    """Return an entry of a message's ``tool_calls``, in which nothing has to be looked for.

    A call without a tool's name has the name ``""`` and a ``problem``.
    """
    function, own_id = call["function"], call.get("id")
    name = function.get("name")
    arguments, problem = read_arguments(function.get("arguments"))
    if not isinstance(name, str) or not name:
        name, arguments, problem = "", None, _NAMELESS
    return ToolCall(name, arguments, str(own_id) if own_id else new_id(), problem)


def answer(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    """Return the ``tool`` message that answers one call, which has text alone."""
    return result.message(call.id)


def pictures(answered: Iterable[tuple[ToolCall, ToolResult]]) -> list[dict[str, Any]]:
    """Return one message of the user with the pictures of the results, which no tool message takes; none without."""
    parts: list[dict[str, Any]] = []
    for call, result in answered:
        images = [content for content in map(as_content, result.content) if isinstance(content, ImageContent)]
        urls = [f"data:{image.mime_type};base64,{image.data}" for image in images]
        if urls:
            parts += [{"type": "text", "text": f"Pictures that {call.name} returned (tool call {call.id}):"}]
            parts += [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"role": "user", "content": parts}] if parts else []


def offer(definition: ToolDefinition) -> dict[str, Any]:
    """Return an entry of ``tools``."""
    function = {
        "name": definition.model_name,
        "description": definition.description,
        "parameters": dict(definition.input_schema),
    }
    return {"type": "function", "function": function | ({"strict": True} if definition.strict else {})}
