"""Results of tool calls, in the shape in which the calls were written."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from toolkit.call import Shape, ToolCall
from toolkit.content import Content, ImageContent, ResourceContent, TextContent, as_content, as_text
from toolkit.plain import plain
from toolkit.result import ToolResult

Message: TypeAlias = dict[str, Any]


def answer(call: ToolCall, result: ToolResult) -> Message:
    """Return what answers one call.

    That is a ``tool`` message for chat completions and LangChain, a ``function_call_output`` item for responses, a
    ``tool_result`` block for Anthropic, a ``functionResponse`` part for Gemini, a ``CallToolResult`` for MCP.
    """
    return _ANSWERS[call.shape](call, result)


def answers(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> list[Message]:
    """Return the messages that answer ``calls``, for the end of the conversation.

    Anthropic and Gemini want one message of the user with the answers of all calls of one turn; the others an answer a
    message.
    """
    messages: list[Message] = []
    for call, result in zip(calls, results, strict=True):
        told = answer(call, result)
        key = _TOGETHER.get(call.shape)
        if key is None:
            messages.append(told)
        elif messages and key in messages[-1] and messages[-1].get("role") == "user":
            messages[-1][key].append(told)
        else:
            messages.append({"role": "user", key: [told]})
    return messages


def image_url(image: ImageContent) -> str:
    """Return a picture as a ``data:`` URL, the way in which OpenAI and LangChain take it."""
    return f"data:{image.mime_type};base64,{image.data}"


def _chat(call: ToolCall, result: ToolResult) -> Message:
    return result.message(call.id)


def _langchain(call: ToolCall, result: ToolResult) -> Message:
    status = "error" if result.is_error else "success"
    return {**result.message(call.id), "name": call.name, "status": status}


def _responses(call: ToolCall, result: ToolResult) -> Message:
    content = [as_content(each) for each in result.content]
    output: object = result.text
    if any(isinstance(each, ImageContent) for each in content):
        output = [_responses_part(each) for each in content]
    return {"type": "function_call_output", "call_id": call.id, "output": output}


def _responses_part(content: Content) -> Message:
    if isinstance(content, ImageContent):
        return {"type": "input_image", "image_url": image_url(content)}
    return {"type": "input_text", "text": as_text(content)}


def _anthropic(call: ToolCall, result: ToolResult) -> Message:
    told: Message = {"type": "tool_result", "tool_use_id": call.id}
    if blocks := [_anthropic_block(as_content(each)) for each in result.content]:
        told["content"] = blocks
    return told | ({"is_error": True} if result.is_error else {})


def _anthropic_block(content: Content) -> Message:
    if isinstance(content, ImageContent):
        source = {"type": "base64", "media_type": content.mime_type, "data": content.data}
        return {"type": "image", "source": source}
    return {"type": "text", "text": as_text(content)}


def _gemini(call: ToolCall, result: ToolResult) -> Message:
    output = result.text if result.structured is None else result.structured
    response = {"name": call.name, "response": {"error" if result.is_error else "output": output}}
    # Not every service of Gemini's has ids, and those that have none refuse them.
    return {"functionResponse": ({"id": call.id} if call.has_own_id else {}) | response}


def _mcp(_: ToolCall, result: ToolResult) -> Message:
    return mcp_result(result)


def mcp_result(result: ToolResult) -> Message:
    """Return a result as the Model Context Protocol's ``CallToolResult``."""
    told: Message = {"content": [_mcp_block(as_content(each)) for each in result.content], "isError": result.is_error}
    structured: Any = plain(result.structured)
    # The protocol has objects there and nothing else.
    return told | ({"structuredContent": structured} if isinstance(structured, dict) else {})


def _mcp_block(content: Content) -> Message:
    match content:
        case TextContent(text=text):
            return {"type": "text", "text": text}
        case ImageContent(data=data, mime_type=mime_type):
            return {"type": "image", "data": data, "mimeType": mime_type}
        case ResourceContent():
            return _mcp_resource(content)


def _mcp_resource(content: ResourceContent) -> Message:
    resource = {"uri": content.uri, "mimeType": content.mime_type, "text": content.text, "blob": content.blob}
    told = {key: value for key, value in resource.items() if value is not None}
    if content.text is None and content.blob is None:
        return {"type": "resource_link", "name": content.uri.rpartition("/")[2] or content.uri, **told}
    return {"type": "resource", "resource": told}


_ANSWERS: dict[Shape, Callable[[ToolCall, ToolResult], Message]] = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "langchain": _langchain,
    "mcp": _mcp,
}
_TOGETHER: dict[Shape, str] = {"anthropic": "content", "gemini": "parts"}
