"""Tools for agents: one runtime for functions, MCP servers, OpenAPI services and other agents.

Here are the names that most programs need; everything else is in the package that its name says, such as
``toolkit.middleware``. Names are looked up when they are first used: ``import toolkit`` costs next to nothing, and a
part whose extra is not installed is in nobody's way.
"""

from typing import TYPE_CHECKING

from toolkit.extras import lazily

if TYPE_CHECKING:
    from toolkit.agents import Agent, AgentTool, Limits, StructuredLLMHost, Thread, UnifiedRequest, Workflow
    from toolkit.call import ToolCall
    from toolkit.context import ToolContext
    from toolkit.declare import FastAgent
    from toolkit.errors import EndRun, ToolkitError
    from toolkit.functions import FunctionTool, Inject, mcp_route, tool
    from toolkit.mcp import HttpServer, McpServers, StdioServer
    from toolkit.models import Model, OpenAIModel, ScriptedModel, Turn
    from toolkit.node import ToolNode
    from toolkit.result import ToolResult
    from toolkit.serving import ToolServer
    from toolkit.tool_class import Tool

__all__ = [
    "Agent",
    "AgentTool",
    "EndRun",
    "FastAgent",
    "FunctionTool",
    "HttpServer",
    "Inject",
    "Limits",
    "McpServers",
    "Model",
    "OpenAIModel",
    "ScriptedModel",
    "StdioServer",
    "StructuredLLMHost",
    "Thread",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolNode",
    "ToolResult",
    "ToolServer",
    "ToolkitError",
    "Turn",
    "UnifiedRequest",
    "Workflow",
    "mcp_route",
    "tool",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "toolkit.agents": ("Agent", "AgentTool", "Limits", "StructuredLLMHost", "Thread", "UnifiedRequest", "Workflow"),
        "toolkit.call": ("ToolCall",),
        "toolkit.context": ("ToolContext",),
        "toolkit.declare": ("FastAgent",),
        "toolkit.errors": ("EndRun", "ToolkitError"),
        "toolkit.functions": ("FunctionTool", "Inject", "mcp_route", "tool"),
        "toolkit.mcp": ("HttpServer", "McpServers", "StdioServer"),
        "toolkit.models": ("Model", "OpenAIModel", "ScriptedModel", "Turn"),
        "toolkit.node": ("ToolNode",),
        "toolkit.result": ("ToolResult",),
        "toolkit.serving": ("ToolServer",),
        "toolkit.tool_class": ("Tool",),
    },
)
