"""Tools, resources and prompts of MCP servers, over the official SDK."""

from toolkit.mcp.places import HttpServer, StdioServer
from toolkit.mcp.servers import McpServers
from toolkit.mcp.tools import McpTool

__all__ = ["HttpServer", "McpServers", "McpTool", "StdioServer"]
