"""A tool of an MCP server."""

import logging
import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition, ToolSource
from toolkit.errors import DefinitionInvalid
from toolkit.plain import member
from toolkit.result import ToolResult
from toolkit.tool_class import Tool

if TYPE_CHECKING:
    # It makes these tools.
    from toolkit.mcp.server import McpServer

_log = logging.getLogger("mcp.toolkit")

SEPARATOR = "__"
"""Between a server's name and its tool's."""

BOXED = "x-fastmcp-wrap-result"
"""Marks an output schema that only puts an object around what the tool returns, as FastMCP's servers do."""

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_./-]")


class McpTool(Tool):
    """A tool that an MCP server offers; ``McpServers.tools`` makes them."""

    source: ClassVar[ToolSource] = "mcp"

    def __init__(self, server: "McpServer", listed: Mapping[str, Any], *, namespaced: bool) -> None:
        self.remote_name = str(listed["name"])
        self._server = server
        output_schema = _unboxed(listed.get("outputSchema"))
        self._is_boxed = output_schema is not listed.get("outputSchema")
        """Whether the server puts the output into an object, as its ``result``."""
        name = f"{server.name}{SEPARATOR}{self.remote_name}" if namespaced else self.remote_name
        definition = ToolDefinition(
            name=_FORBIDDEN.sub("_", name),
            description=listed.get("description") or listed.get("title") or "",
            input_schema=listed["inputSchema"],
            output_schema=output_schema,
            annotations=listed.get("annotations") or {},
        )
        try:
            super().__init__(definition)
        except DefinitionInvalid as error:
            # The server looks at arguments too; a schema of no use to us is no reason to do without its tools.
            _log.warning("arguments of %s are not looked at before they are sent: %s", definition.name, error)
            super().__init__(definition, validate=False)

    @property
    def server_name(self) -> str:
        """The name of the server, as it was given to ``McpServers``."""
        return self._server.name

    @property
    def repeatable(self) -> bool:
        """Whether the server says that a second call does nothing that the first did not."""
        hints = self.definition.annotations
        return hints.get("idempotentHint") is True or hints.get("readOnlyHint") is True

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        """Have the server do it."""
        result = ToolResult.of(await self._server.call_tool(self, call.arguments or {}, context))
        if self._is_boxed:
            result.structured = member(cast("object", result.structured), "result")
        return result


def wanted_of(tools: Iterable[McpTool], wanted: Mapping[str, Collection[str]]) -> list[McpTool]:
    """Return the tools that are wanted of their servers, by the names those have for them; without ``wanted``, all."""
    return [tool for tool in tools if tool.remote_name in wanted.get(tool.server_name, (tool.remote_name,))]


def _unboxed(schema: Any) -> Any:
    """Return the schema of what a tool returns, whether or not the server puts it into an object."""
    inner = member(member(schema, "properties"), "result")
    if member(schema, BOXED) is not True or not isinstance(inner, Mapping):
        return schema
    definitions = member(schema, "$defs")
    return dict(cast("Mapping[str, Any]", inner)) | ({"$defs": definitions} if definitions else {})
