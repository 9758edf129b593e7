"""LangChain's messages, as dictionaries that its models take."""

from typing import Any

from toolkit.call import ToolCall
from toolkit.content import ImageContent, as_content, as_text
from toolkit.formats import chat
from toolkit.result import ToolResult


def answer(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    """Return a ``tool`` message that says whether the call failed; in blocks where there is more than text."""
    contents = [as_content(content) for content in result.content]
    blocks = [
        chat.part(content) if isinstance(content, ImageContent) else {"type": "text", "text": as_text(content)}
        for content in contents
    ]
    has_images = any(isinstance(content, ImageContent) for content in contents)
    return result.message(call.id) | {
        "content": blocks if has_images else result.text,
        "name": call.name,
        "status": "error" if result.is_error else "success",
    }
