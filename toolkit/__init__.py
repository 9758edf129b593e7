"""Tools for agents: one runtime for functions, MCP servers, OpenAPI services and other agents.

Names are looked up when they are first used: ``import toolkit`` costs next to nothing, and a part whose extra is not
installed is in nobody's way.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What a type checker and an editor see; at run time the names are looked up when they are first used.
    from toolkit.adapters import as_tool
    from toolkit.adapters.composio import ComposioTools, to_composio
    from toolkit.adapters.langchain import from_langchain, to_langchain
    from toolkit.agents import (
        Agent,
        AgentResult,
        AgentTool,
        History,
        StructuredLLMHost,
        Thread,
        UnifiedRequest,
        handle,
    )
    from toolkit.call import ToolCall
    from toolkit.compose import chain, together
    from toolkit.content import Content, ImageContent, ResourceContent, TextContent, text_content
    from toolkit.context import Progress, ToolContext
    from toolkit.declare import FastAgent, load_cards
    from toolkit.definition import ToolDefinition, ToolSource
    from toolkit.errors import (
        ArgumentsInvalid,
        CardInvalid,
        DefinitionInvalid,
        ExtraMissing,
        ModelFailed,
        NoAnswer,
        QuotaExceeded,
        ResultInvalid,
        ScriptInvalid,
        ServerFailed,
        SpecInvalid,
        ToolkitError,
        ToolRefused,
        ToolTimedOut,
        ToolUnknown,
    )
    from toolkit.formats import answer, calls_of
    from toolkit.functions import FunctionTool, Inject, Injected, definitions, mcp_route, tool, tools_of
    from toolkit.guardrails import Allow, InputGuardrail, OutputGuardrail, Refuse, Rewrite
    from toolkit.mcp import HttpServer, McpServers, McpTool, Replies, StdioServer
    from toolkit.middleware.cache import Cache, MemoryStore, RedisStore
    from toolkit.middleware.commands import AllowCommands
    from toolkit.middleware.contexts import ModelHook, ModelHookContext, ToolHook, ToolHookContext
    from toolkit.middleware.paths import PathRoots
    from toolkit.middleware.rates import Quota, RateLimit
    from toolkit.middleware.redact import Redact
    from toolkit.middleware.retry import Retry
    from toolkit.middleware.selection import ToolMiddleware, only
    from toolkit.middleware.timeout import Timeout
    from toolkit.model import Message, Model, ModelRequest, ModelResponse
    from toolkit.models.openai import OpenAIModel
    from toolkit.models.scripted import ScriptedModel, Turn
    from toolkit.node import Registry, ToolNode
    from toolkit.people.approve import Approve
    from toolkit.people.approver import ApprovalRequest, Approver
    from toolkit.people.human import HumanInputTool
    from toolkit.result import ToolResult
    from toolkit.serving import ToolServer
    from toolkit.tool_class import Tool
    from toolkit.tools.azure_search import AzureAISearchTool
    from toolkit.tools.filesystem import filesystem_tools
    from toolkit.tools.openapi import OpenAPITool, openapi_tools
    from toolkit.tools.shell import ShellTool
    from toolkit.tools.skills import SkillReaderTool
    from toolkit.workflows import Workflow, parallel, sequence

_HOMES = {
    "Agent": "toolkit.agents",
    "AgentResult": "toolkit.agents",
    "AgentTool": "toolkit.agents",
    "Allow": "toolkit.guardrails",
    "AllowCommands": "toolkit.middleware.commands",
    "ApprovalRequest": "toolkit.people.approver",
    "Approve": "toolkit.people.approve",
    "Approver": "toolkit.people.approver",
    "ArgumentsInvalid": "toolkit.errors",
    "AzureAISearchTool": "toolkit.tools.azure_search",
    "Cache": "toolkit.middleware.cache",
    "CardInvalid": "toolkit.errors",
    "ComposioTools": "toolkit.adapters.composio",
    "Content": "toolkit.content",
    "DefinitionInvalid": "toolkit.errors",
    "ExtraMissing": "toolkit.errors",
    "FastAgent": "toolkit.declare",
    "FunctionTool": "toolkit.functions",
    "History": "toolkit.agents",
    "HttpServer": "toolkit.mcp",
    "HumanInputTool": "toolkit.people.human",
    "ImageContent": "toolkit.content",
    "Inject": "toolkit.functions",
    "Injected": "toolkit.functions",
    "InputGuardrail": "toolkit.guardrails",
    "McpServers": "toolkit.mcp",
    "McpTool": "toolkit.mcp",
    "MemoryStore": "toolkit.middleware.cache",
    "Message": "toolkit.model",
    "Model": "toolkit.model",
    "ModelFailed": "toolkit.errors",
    "ModelHook": "toolkit.middleware.contexts",
    "ModelHookContext": "toolkit.middleware.contexts",
    "ModelRequest": "toolkit.model",
    "ModelResponse": "toolkit.model",
    "NoAnswer": "toolkit.errors",
    "OpenAIModel": "toolkit.models.openai",
    "OpenAPITool": "toolkit.tools.openapi",
    "OutputGuardrail": "toolkit.guardrails",
    "PathRoots": "toolkit.middleware.paths",
    "Progress": "toolkit.context",
    "Quota": "toolkit.middleware.rates",
    "QuotaExceeded": "toolkit.errors",
    "RateLimit": "toolkit.middleware.rates",
    "Redact": "toolkit.middleware.redact",
    "RedisStore": "toolkit.middleware.cache",
    "Refuse": "toolkit.guardrails",
    "Registry": "toolkit.node",
    "Replies": "toolkit.mcp",
    "ResourceContent": "toolkit.content",
    "ResultInvalid": "toolkit.errors",
    "Retry": "toolkit.middleware.retry",
    "Rewrite": "toolkit.guardrails",
    "ScriptInvalid": "toolkit.errors",
    "ScriptedModel": "toolkit.models.scripted",
    "ServerFailed": "toolkit.errors",
    "ShellTool": "toolkit.tools.shell",
    "SkillReaderTool": "toolkit.tools.skills",
    "SpecInvalid": "toolkit.errors",
    "StdioServer": "toolkit.mcp",
    "StructuredLLMHost": "toolkit.agents",
    "TextContent": "toolkit.content",
    "Thread": "toolkit.agents",
    "Timeout": "toolkit.middleware.timeout",
    "Tool": "toolkit.tool_class",
    "ToolCall": "toolkit.call",
    "ToolContext": "toolkit.context",
    "ToolDefinition": "toolkit.definition",
    "ToolHook": "toolkit.middleware.contexts",
    "ToolHookContext": "toolkit.middleware.contexts",
    "ToolMiddleware": "toolkit.middleware.selection",
    "ToolNode": "toolkit.node",
    "ToolRefused": "toolkit.errors",
    "ToolResult": "toolkit.result",
    "ToolServer": "toolkit.serving",
    "ToolSource": "toolkit.definition",
    "ToolTimedOut": "toolkit.errors",
    "ToolUnknown": "toolkit.errors",
    "ToolkitError": "toolkit.errors",
    "Turn": "toolkit.models.scripted",
    "UnifiedRequest": "toolkit.agents",
    "Workflow": "toolkit.workflows",
    "answer": "toolkit.formats",
    "as_tool": "toolkit.adapters",
    "calls_of": "toolkit.formats",
    "chain": "toolkit.compose",
    "definitions": "toolkit.functions",
    "filesystem_tools": "toolkit.tools.filesystem",
    "from_langchain": "toolkit.adapters.langchain",
    "handle": "toolkit.agents",
    "load_cards": "toolkit.declare",
    "mcp_route": "toolkit.functions",
    "only": "toolkit.middleware.selection",
    "openapi_tools": "toolkit.tools.openapi",
    "parallel": "toolkit.workflows",
    "sequence": "toolkit.workflows",
    "text_content": "toolkit.content",
    "to_composio": "toolkit.adapters.composio",
    "to_langchain": "toolkit.adapters.langchain",
    "together": "toolkit.compose",
    "tool": "toolkit.functions",
    "tools_of": "toolkit.functions",
}

__all__ = [
    "Agent",
    "AgentResult",
    "AgentTool",
    "Allow",
    "AllowCommands",
    "ApprovalRequest",
    "Approve",
    "Approver",
    "ArgumentsInvalid",
    "AzureAISearchTool",
    "Cache",
    "CardInvalid",
    "ComposioTools",
    "Content",
    "DefinitionInvalid",
    "ExtraMissing",
    "FastAgent",
    "FunctionTool",
    "History",
    "HttpServer",
    "HumanInputTool",
    "ImageContent",
    "Inject",
    "Injected",
    "InputGuardrail",
    "McpServers",
    "McpTool",
    "MemoryStore",
    "Message",
    "Model",
    "ModelFailed",
    "ModelHook",
    "ModelHookContext",
    "ModelRequest",
    "ModelResponse",
    "NoAnswer",
    "OpenAIModel",
    "OpenAPITool",
    "OutputGuardrail",
    "PathRoots",
    "Progress",
    "Quota",
    "QuotaExceeded",
    "RateLimit",
    "Redact",
    "RedisStore",
    "Refuse",
    "Registry",
    "Replies",
    "ResourceContent",
    "ResultInvalid",
    "Retry",
    "Rewrite",
    "ScriptInvalid",
    "ScriptedModel",
    "ServerFailed",
    "ShellTool",
    "SkillReaderTool",
    "SpecInvalid",
    "StdioServer",
    "StructuredLLMHost",
    "TextContent",
    "Thread",
    "Timeout",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolDefinition",
    "ToolHook",
    "ToolHookContext",
    "ToolMiddleware",
    "ToolNode",
    "ToolRefused",
    "ToolResult",
    "ToolServer",
    "ToolSource",
    "ToolTimedOut",
    "ToolUnknown",
    "ToolkitError",
    "Turn",
    "UnifiedRequest",
    "Workflow",
    "answer",
    "as_tool",
    "calls_of",
    "chain",
    "definitions",
    "filesystem_tools",
    "from_langchain",
    "handle",
    "load_cards",
    "mcp_route",
    "only",
    "openapi_tools",
    "parallel",
    "sequence",
    "text_content",
    "to_composio",
    "to_langchain",
    "together",
    "tool",
    "tools_of",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'toolkit' has no attribute {name!r}")
    found = getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
