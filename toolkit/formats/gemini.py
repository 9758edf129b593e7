"""Gemini's contents."""

from toolkit.call import ToolCall
from toolkit.definition import ToolDefinition
from toolkit.formats.format import Answered, Format, Message, has_name, images_of
from toolkit.plain import member
from toolkit.result import ToolResult


def opened(part: object) -> object:
    """Return the ``functionCall`` of a part."""
    # OpenAI's oldest answers had a text of this name.
    call = member(part, "function_call", "functionCall")
    return call if has_name(call) else None


def answer(call: ToolCall, result: ToolResult) -> Message:
    """Return a ``functionResponse`` part."""
    output = result.text if result.structured is None else result.structured
    response = {"name": call.name, "response": {"error" if result.is_error else "output": output}}
    # Not every service of Gemini's has ids, and those that have none refuse them.
    return {"functionResponse": ({"id": call.id} if call.has_own_id else {}) | response}


def turn(answered: Answered) -> list[Message]:
    """Return one message of the user with all parts, the pictures last."""
    images = [each for _, result in answered for each in images_of(result)]
    parts = [answer(call, result) for call, result in answered]
    parts += [{"inlineData": {"mimeType": each.mime_type, "data": each.data}} for each in images]
    return [{"role": "user", "parts": parts}]


def offer(definition: ToolDefinition) -> Message:
    """Return an entry of ``functionDeclarations``."""
    schema = dict(definition.input_schema)
    return {"name": definition.model_name, "description": definition.description, "parametersJsonSchema": schema}


GEMINI = Format("gemini", (), opened, answer, offer, turn)
