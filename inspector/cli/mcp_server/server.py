"""The tools over standard input and output, by the SDK of the protocol."""

from typing import Any

import anyio
from anyio import to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams
from mcp.types import Tool as ListedTool

from inspector.cli.mcp_server.answering import Recordings
from inspector.cli.mcp_server.tools import INSTRUCTIONS, TOOLS
from inspector.cli.versions import DISTRIBUTION, version_of

_Request = ServerRequestContext[Any, Any]


class RecordingsServer(Server[dict[str, Any]]):
    """Lists the tools, and answers their calls in a thread, since the store is synchronous."""

    emits_hooks = True
    """Tells our recorder to leave its requests alone: reading recordings is never recorded."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings
        super().__init__(
            "inspector",
            version=version_of(DISTRIBUTION),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def _list(self, ctx: _Request, params: PaginatedRequestParams | None) -> ListToolsResult:  # noqa: ARG002 - one page
        return ListToolsResult(tools=[ListedTool.model_validate(tool.listing) for tool in TOOLS])

    async def _call(self, ctx: _Request, params: CallToolRequestParams) -> CallToolResult:  # noqa: ARG002 - the SDK's signature
        reply = await to_thread.run_sync(self._recordings.call, params.name, params.arguments or {})
        content = [{"type": "text", "text": reply.text}]
        return CallToolResult.model_validate({"content": content, "isError": reply.is_error})


def serve_over_stdio(recordings: Recordings) -> None:
    """Answer the program that started this process, until it closes standard input."""
    anyio.run(_serve, RecordingsServer(recordings))


async def _serve(server: RecordingsServer) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
