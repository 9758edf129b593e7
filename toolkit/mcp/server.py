"""One MCP server as an agent sees it: its tools."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from toolkit.context import ToolContext
from toolkit.errors import ServerFailed, ToolRefused
from toolkit.mcp.places import Place
from toolkit.mcp.tools import McpTool, make_tool
from toolkit.people.asking import Approver
from toolkit.plain import plain


class McpServer:
    """A server with a name; ``McpServers`` has them."""

    def __init__(
        self,
        name: str,
        place: Place,
        approver: Approver | None,
        *,
        namespaced: bool,
        timeout_s: float | None,
    ) -> None:
        from toolkit.mcp.connection import Connection  # its module needs the SDK

        self.name = name
        self._connection = Connection(name, place, approver, self._note_change, timeout_s=timeout_s)
        self._namespaced = namespaced
        self._tools: list[McpTool] | None = None
        self._changes = 0
        self._listed_after = -1
        """How many changes there had been when the tools were listed last."""
        self._listing = asyncio.Lock()

    def _note_change(self) -> None:
        self._changes += 1

    async def open(self) -> None:
        """Connect, if it is not."""
        await self._connection.open()

    async def close(self) -> None:
        """End the connection for good."""
        await self._connection.close()

    async def tools(self) -> list[McpTool]:
        """Return its tools; they are listed once, and again after the server said that they changed or was lost."""
        await self._connection.open()
        async with self._listing:
            if self._tools is None or self._listed_after != self._changes:
                # What changes while they are listed is asked for again.
                changes, listed = self._changes, await self._list()
                self._tools = [make_tool(self, entry, namespaced=self._namespaced) for entry in listed]
                self._listed_after = changes
            return list(self._tools)

    async def call_tool(self, tool: McpTool, arguments: dict[str, Any], context: ToolContext) -> object:
        """Call a tool and pass on how far it is.

        Raises:
            ServerFailed: There is no answer, or a JSON-RPC error instead of a result.
            ToolRefused: The server wants an answer of its own first, as it may in the revision of 2026-07-28.
            ToolTimedOut: It took longer than it may; the server was told to stop.
        """
        from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, InputRequiredResult
        from pydantic import TypeAdapter

        request = CallToolRequest(params=CallToolRequestParams(name=tool.remote_name, arguments=arguments))

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            await context.progress(progress, total, message)

        answers: TypeAdapter[Any] = TypeAdapter(CallToolResult | InputRequiredResult)

        # Not by the session's own `call_tool`, which holds the result against the output schema as `Tool` does.
        def send(session: Any) -> Awaitable[object]:
            return session.send_request(request, answers, progress_callback=progressed)

        answer = await self._connection.ask(send, what=tool.name, repeatable=tool.repeatable)
        if isinstance(answer, InputRequiredResult):
            raise ToolRefused(f"MCP server {self.name!r} asks something before it answers {tool.name}; nobody is asked")
        return answer

    async def _list(self) -> list[dict[str, Any]]:
        from mcp.types import PaginatedRequestParams

        what = "its list of tools"
        entries: list[dict[str, Any]] = []
        seen: set[str | None] = set()
        cursor: str | None = None
        while cursor not in seen:
            seen.add(cursor)
            params = PaginatedRequestParams(cursor=cursor)

            def send(session: Any, params: PaginatedRequestParams = params) -> Awaitable[Any]:
                return session.list_tools(params=params)

            page = await self._connection.ask(send, what=what, repeatable=True)
            entries += [plain(entry) for entry in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return entries
        raise ServerFailed(f"MCP server {self.name!r} answers {what} with the same page again and again")
