"""OpenAI's chat completions, and whoever speaks them."""

from typing import Any, cast

from toolkit.call import ToolCall, new_id, read_arguments
from toolkit.definition import ToolDefinition
from toolkit.formats.format import Answered, Format, Message, has_name, image_url, images_of
from toolkit.plain import member
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
    return ToolCall(name, arguments, str(own_id) if own_id else new_id(), problem, "chat", bool(own_id))


def opened(part: object) -> object:
    """Return the ``function`` of a call."""
    function = member(part, "function")
    if has_name(function):
        return function
    return part if member(part, "type") == "function" else None


def answer(call: ToolCall, result: ToolResult) -> Message:
    """Return a ``tool`` message, which has text alone."""
    return result.message(call.id)


def turn(answered: Answered) -> list[Message]:
    """Return the ``tool`` messages, and behind them one of the user with the pictures, which no tool message takes."""
    messages = [answer(call, result) for call, result in answered]
    parts: list[Message] = []
    for call, result in answered:
        if images := images_of(result):
            parts.append({"type": "text", "text": f"Pictures that {call.name} returned (tool call {call.id}):"})
            parts += [{"type": "image_url", "image_url": {"url": image_url(each)}} for each in images]
    return [*messages, {"role": "user", "content": parts}] if parts else messages


def offer(definition: ToolDefinition) -> Message:
    """Return an entry of ``tools``."""
    function = {
        "name": definition.model_name,
        "description": definition.description,
        "parameters": dict(definition.input_schema),
    }
    return {"type": "function", "function": function | ({"strict": True} if definition.strict else {})}


CHAT = Format("chat", ("function",), opened, answer, offer, turn)
