"""The Model Context Protocol's lists of tools and its results."""

from typing import Any

from toolkit.content import Content, ImageContent, ResourceContent, TextContent, as_content
from toolkit.definition import ToolDefinition
from toolkit.plain import plain
from toolkit.result import ToolResult


def mcp_tool(definition: ToolDefinition) -> dict[str, Any]:
    """Return an entry of the result of ``tools/list``."""
    entry: dict[str, Any] = {"name": definition.name, "description": definition.description}
    entry["inputSchema"] = dict(definition.input_schema)
    if definition.annotations:
        entry["annotations"] = dict(definition.annotations)
    return entry if definition.output_schema is None else entry | {"outputSchema": dict(definition.output_schema)}


def mcp_result(result: ToolResult) -> dict[str, Any]:
    """Return a result as the protocol's ``CallToolResult``."""
    blocks = [_block(as_content(content)) for content in result.content]
    structured: Any = plain(result.structured)
    # The protocol has objects there and nothing else.
    return {"content": blocks, "isError": result.is_error} | (
        {"structuredContent": structured} if isinstance(structured, dict) else {}
    )


def _block(content: Content) -> dict[str, Any]:
    match content:
        case TextContent(text=text):
            return {"type": "text", "text": text}
        case ImageContent(data=data, mime_type=mime_type):
            return {"type": "image", "data": data, "mimeType": mime_type}
        case ResourceContent():
            return _resource(content)


def _resource(content: ResourceContent) -> dict[str, Any]:
    resource = {"uri": content.uri, "mimeType": content.mime_type, "text": content.text, "blob": content.blob}
    fields = {key: value for key, value in resource.items() if value is not None}
    if content.text is None and content.blob is None:
        return {"type": "resource_link", "name": content.uri.rpartition("/")[2] or content.uri, **fields}
    return {"type": "resource", "resource": fields}
