"""Anthropic's messages."""

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, as_text
from toolkit.definition import ToolDefinition
from toolkit.formats.format import Answered, Format, Message, content_of
from toolkit.result import ToolResult


def opened(part: object) -> object:
    """Return a ``tool_use`` block."""
    return part


def answer(call: ToolCall, result: ToolResult) -> Message:
    """Return a ``tool_result`` block."""
    block: Message = {"type": "tool_result", "tool_use_id": call.id}
    if blocks := [_block(each) for each in content_of(result)]:
        block["content"] = blocks
    return block | ({"is_error": True} if result.is_error else {})


def turn(answered: Answered) -> list[Message]:
    """Return one message of the user with all blocks."""
    return [{"role": "user", "content": [answer(call, result) for call, result in answered]}]


def offer(definition: ToolDefinition) -> Message:
    """Return an entry of ``tools``."""
    schema = dict(definition.input_schema)
    return {"name": definition.model_name, "description": definition.description, "input_schema": schema}


def _block(content: Content) -> Message:
    if isinstance(content, ImageContent):
        source = {"type": "base64", "media_type": content.mime_type, "data": content.data}
        return {"type": "image", "source": source}
    return {"type": "text", "text": as_text(content)}


ANTHROPIC = Format("anthropic", ("tool_use",), opened, answer, offer, turn)
