"""LangChain's messages, as dictionaries that its models take."""

from typing import Any

from toolkit.call import ToolCall
from toolkit.content import ImageContent, as_text
from toolkit.definition import ToolDefinition
from toolkit.formats.chat import offer as chat_offer
from toolkit.formats.format import Format, Message, content_of, image_url, images_of
from toolkit.result import ToolResult


def opened(part: object) -> object:
    """Return a ``tool_call``, also one that LangChain could not read."""
    return part


def answer(call: ToolCall, result: ToolResult) -> Message:
    """Return a ``tool`` message that says whether the call failed."""
    status = "error" if result.is_error else "success"
    return result.message(call.id) | {"content": spoken(result), "name": call.name, "status": status}


def spoken(result: ToolResult) -> Any:
    """Return the content of a ``ToolMessage``: text, or blocks where there is more than text."""
    if not images_of(result):
        return result.text
    return [
        {"type": "image_url", "image_url": {"url": image_url(each)}}
        if isinstance(each, ImageContent)
        else {"type": "text", "text": as_text(each)}
        for each in content_of(result)
    ]


def offer(definition: ToolDefinition) -> Message:
    """Return what ``bind_tools`` takes."""
    return chat_offer(definition)


LANGCHAIN = Format("langchain", ("tool_call", "invalid_tool_call"), opened, answer, offer)
