"""Tools for agents: one runtime for functions, MCP servers, OpenAPI services and other agents.

This package has the names that most programs need; the rest is in packages such as ``toolkit.middleware``. Names are
imported when they are first used, so ``import toolkit`` costs almost nothing, and a part whose extra is not installed
causes no error until it is used.
"""

from typing import TYPE_CHECKING

from toolkit.extras import lazily

if TYPE_CHECKING:
    from toolkit.agents import Agent as Agent
    from toolkit.agents import AgentTool as AgentTool
    from toolkit.agents import Limits as Limits
    from toolkit.agents import StructuredLLMHost as StructuredLLMHost
    from toolkit.agents import Thread as Thread
    from toolkit.agents import UnifiedRequest as UnifiedRequest
    from toolkit.agents import Workflow as Workflow
    from toolkit.call import ToolCall as ToolCall
    from toolkit.context import ToolContext as ToolContext
    from toolkit.declare import FastAgent as FastAgent
    from toolkit.errors import EndRun as EndRun
    from toolkit.errors import ToolkitError as ToolkitError
    from toolkit.functions import FunctionTool as FunctionTool
    from toolkit.functions import Inject as Inject
    from toolkit.functions import mcp_route as mcp_route
    from toolkit.functions import tool as tool
    from toolkit.mcp import HttpServer as HttpServer
    from toolkit.mcp import McpServers as McpServers
    from toolkit.mcp import StdioServer as StdioServer
    from toolkit.models import Model as Model
    from toolkit.models import OpenAIModel as OpenAIModel
    from toolkit.models import ScriptedModel as ScriptedModel
    from toolkit.models import Turn as Turn
    from toolkit.node import ToolNode as ToolNode
    from toolkit.result import ToolResult as ToolResult
    from toolkit.serving import ToolServer as ToolServer
    from toolkit.tool_class import Tool as Tool

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
