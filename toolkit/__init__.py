"""Tools for agents: one runtime for functions, MCP servers, OpenAPI services and other agents."""

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, JsonContent, ResourceContent, TextContent, text_content
from toolkit.context import ApprovalRequest, Approver, ToolContext
from toolkit.definition import ToolDefinition, ToolSource
from toolkit.errors import ToolkitError
from toolkit.guardrails import Allow, Refuse, Rewrite
from toolkit.middleware.contexts import ModelHookContext, ToolHookContext
from toolkit.model import Message, Model, ModelRequest, ModelResponse
from toolkit.result import ToolResult
from toolkit.tool import Tool

__all__ = [
    "Allow",
    "ApprovalRequest",
    "Approver",
    "Content",
    "ImageContent",
    "JsonContent",
    "Message",
    "Model",
    "ModelHookContext",
    "ModelRequest",
    "ModelResponse",
    "Refuse",
    "ResourceContent",
    "Rewrite",
    "TextContent",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolDefinition",
    "ToolHookContext",
    "ToolResult",
    "ToolSource",
    "ToolkitError",
    "text_content",
]
