"""OpenAI's responses."""

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, as_text
from toolkit.definition import ToolDefinition
from toolkit.formats.chat import offer as chat_offer
from toolkit.formats.format import Format, Message, content_of, image_url, images_of
from toolkit.result import ToolResult


def opened(part: object) -> object:
    """Return a ``function_call`` item."""
    return part


def answer(call: ToolCall, result: ToolResult) -> Message:
    """Return a ``function_call_output`` item, in parts where there are pictures."""
    output: object = [_part(each) for each in content_of(result)] if images_of(result) else result.text
    return {"type": "function_call_output", "call_id": call.id, "output": output}


def offer(definition: ToolDefinition) -> Message:
    """Return an entry of ``tools``."""
    return {"type": "function", **chat_offer(definition)["function"]}


def _part(content: Content) -> Message:
    if isinstance(content, ImageContent):
        return {"type": "input_image", "image_url": image_url(content)}
    return {"type": "input_text", "text": as_text(content)}


RESPONSES = Format("responses", ("function_call",), opened, answer, offer)
