"""OpenAI's chat completions, and whoever speaks them."""

from typing import Any

from toolkit.call import ToolCall, new_id, read_arguments
from toolkit.definition import ToolDefinition
from toolkit.formats.format import Answered, Format, Message, has_name, image_url, images_of
from toolkit.plain import member
from toolkit.result import ToolResult


def read(call: Any) -> ToolCall:
    """Return an entry of a message's ``tool_calls``, which is known to be one: a model of ours wrote it."""
    arguments, problem = read_arguments(call["function"]["arguments"])
    return ToolCall(call["function"]["name"], arguments, call["id"] or new_id(), problem, has_own_id=bool(call["id"]))


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


CHAT = Format("chat", opened, answer, offer, turn)
