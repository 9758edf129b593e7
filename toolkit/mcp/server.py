"""One MCP server as an agent sees it: its tools, resources and prompts."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from instrument import around
from toolkit.content import Content, ResourceContent, as_content, as_text
from toolkit.context import ToolContext
from toolkit.errors import ServerFailed, ToolRefused
from toolkit.mcp.places import Place
from toolkit.mcp.tools import McpTool
from toolkit.models.model import Message
from toolkit.people.asking import Approver
from toolkit.plain import member, plain


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
                self._tools = [McpTool(self, entry, namespaced=self._namespaced) for entry in listed]
                self._listed_after = changes
            return list(self._tools)

    async def read(self, uri: str) -> list[Content]:
        """Read a resource, in as many parts as the server makes of it; ``ServerFailed`` says why it cannot be read."""
        async with around("resource_fetch", emitter="toolkit", uri=uri, context={"server_name": self.name}) as call:
            result = await self._ask(lambda session: session.read_resource(uri), f"the resource {uri}")
            parts: list[Content] = [as_content({"type": "resource", "resource": part}) for part in result.contents]
            texts = [part.text for part in parts if isinstance(part, ResourceContent) and part.text is not None]
            content = "\n".join(texts) if len(texts) == len(parts) else [plain(part) for part in parts]
            call.set(content=content, mime_type=member(next(iter(parts), None), "mime_type"))
            return parts

    async def prompt(self, name: str, arguments: Mapping[str, str] | None = None) -> list[Message]:
        """Have a template filled in; what is no text in it becomes a note of what it is.

        Raises:
            ServerFailed: There is none of the name, or an argument is missing.
            ToolTimedOut: It took longer than a request may.
        """
        texts = dict(arguments or {})
        origin = {"server_name": self.name}
        async with around(
            "prompt_apply", emitter="toolkit", template_id=name, parameters=texts, context=origin
        ) as call:
            result = await self._ask(lambda session: session.get_prompt(name, texts), f"the prompt {name}")
            call.set(rendered=[plain(message) for message in result.messages])
            return [
                Message(role=message.role, content=as_text(as_content(message.content))) for message in result.messages
            ]

    async def call_tool(self, tool: McpTool, arguments: dict[str, Any], context: ToolContext) -> object:
        """Call a tool and pass on how far it is."""
        from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, InputRequiredResult
        from pydantic import TypeAdapter

        request = CallToolRequest(params=CallToolRequestParams(name=tool.remote_name, arguments=arguments))
        answers: TypeAdapter[Any] = TypeAdapter(CallToolResult | InputRequiredResult)

        # Not by the session's own `call_tool`, which holds the result against the output schema as `Tool` does.
        def send(session: Any) -> Awaitable[object]:
            return session.send_request(request, answers, progress_callback=context.progress)

        answer = await self._connection.ask(send, what=tool.name, repeatable=tool.repeatable)
        if isinstance(answer, InputRequiredResult):  # as it may be since the revision of 2026-07-28
            raise ToolRefused(
                f"MCP server {self.name!r} asks for input before it answers {tool.name}; nobody can be asked"
            )
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
            page = await self._ask(lambda session, params=params: session.list_tools(params=params), what)
            entries += [plain(entry) for entry in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return entries
        raise ServerFailed(f"MCP server {self.name!r} answers {what} with the same page again and again")

    async def _ask(self, send: Callable[[Any], Awaitable[Any]], what: str) -> Any:
        return await self._connection.ask(send, what=what, repeatable=True)
