"""The Model Context Protocol's requests and results."""

from typing import Any

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, ResourceContent, TextContent
from toolkit.definition import ToolDefinition
from toolkit.formats.format import Format, Message, content_of, has_name
from toolkit.plain import member, plain
from toolkit.result import ToolResult


def opened(part: object) -> object:
    """Return the ``params`` of a ``tools/call``."""
    # The protocol has other requests with a name and arguments, as for a prompt.
    if member(part, "method") not in (None, "tools/call"):
        return None
    params = member(part, "params")
    return params if has_name(params) else None


def answer(_: ToolCall, result: ToolResult) -> Message:
    """Return a ``CallToolResult``."""
    return mcp_result(result)


def offer(definition: ToolDefinition) -> Message:
    """Return an entry of the result of ``tools/list``."""
    entry: Message = {"name": definition.name, "description": definition.description}
    entry["inputSchema"] = dict(definition.input_schema)
    if definition.annotations:
        entry["annotations"] = dict(definition.annotations)
    return entry if definition.output_schema is None else entry | {"outputSchema": dict(definition.output_schema)}


def mcp_result(result: ToolResult) -> Message:
    """Return a result as the Model Context Protocol's ``CallToolResult``."""
    answer: Message = {"content": [_block(each) for each in content_of(result)], "isError": result.is_error}
    structured: Any = plain(result.structured)
    # The protocol has objects there and nothing else.
    return answer | ({"structuredContent": structured} if isinstance(structured, dict) else {})


def _block(content: Content) -> Message:
    match content:
        case TextContent(text=text):
            return {"type": "text", "text": text}
        case ImageContent(data=data, mime_type=mime_type):
            return {"type": "image", "data": data, "mimeType": mime_type}
        case ResourceContent():
            return _resource(content)


def _resource(content: ResourceContent) -> Message:
    resource = {"uri": content.uri, "mimeType": content.mime_type, "text": content.text, "blob": content.blob}
    fields = {key: value for key, value in resource.items() if value is not None}
    if content.text is None and content.blob is None:
        return {"type": "resource_link", "name": content.uri.rpartition("/")[2] or content.uri, **fields}
    return {"type": "resource", "resource": fields}


MCP = Format("mcp", (), opened, answer, offer)
