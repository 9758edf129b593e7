"""Python functions as tools."""

from toolkit.functions.discovery import definitions, tools_of
from toolkit.functions.function_tool import FunctionTool, tool
from toolkit.functions.inject import Inject
from toolkit.functions.routes import mcp_route

__all__ = ["FunctionTool", "Inject", "definitions", "mcp_route", "tool", "tools_of"]
