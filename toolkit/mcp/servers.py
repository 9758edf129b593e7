"""Several MCP servers at once, as one source of tools."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Self, TypeVar, cast

from toolkit.errors import DefinitionInvalid, ServerFailed, did_you_mean
from toolkit.extras import need_mcp
from toolkit.keywords import checks_keywords
from toolkit.mcp.places import HttpServer, Place
from toolkit.mcp.server import McpServer
from toolkit.mcp.tools import McpTool, wanted_of
from toolkit.people.asking import Approver
from toolkit.plain import texts_of

T = TypeVar("T")


@checks_keywords
class McpServers(Mapping[str, McpServer]):
    """MCP servers by name, connected for as long as the block lasts. Entering and leaving may be in different tasks.

    Args:
        servers: Where each is; an address stands for an ``HttpServer``.
        tools: Which tools of a server are wanted, by its name; all of those that are not in it.
        namespaced: Whether models see ``time__get_time`` rather than ``get_time``.
        timeout_s: How long one tool call, or another request, may take; None for as long as it likes.
        approver: Answers the questions of servers to their user that a yes can answer; None has them declined.
    """

    def __init__(
        self,
        servers: Mapping[str, Place | str],
        *,
        tools: Mapping[str, Iterable[str]] | None = None,
        namespaced: bool = True,
        timeout_s: float | None = 60.0,
        approver: Approver | None = None,
    ) -> None:
        if not isinstance(servers, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            kind = type(servers).__name__
            raise DefinitionInvalid(f"McpServers takes servers by name, as in {{'time': StdioServer(…)}}, not {kind}")
        self._places = {name: HttpServer(at) if isinstance(at, str) else at for name, at in servers.items()}
        for name, at in self._places.items():
            if not isinstance(at, Place):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
                expected = f"expected StdioServer(…), HttpServer(…) or an address, not {type(at).__name__}"
                raise DefinitionInvalid(f"MCP server {name!r}: {expected}")
        self._wanted = {
            name: texts_of(wanted, f"McpServers(tools={{{name!r}: …}})") for name, wanted in (tools or {}).items()
        }
        if unknown := sorted(self._wanted.keys() - self._places.keys()):
            known = ", ".join(self._places) or "none"
            raise DefinitionInvalid(f"tools are wanted of the unknown MCP server {unknown[0]!r}; known: {known}")
        self._namespaced = namespaced
        self._timeout_s = timeout_s
        self._approver = approver
        self._servers: dict[str, McpServer] = {}

    async def __aenter__(self) -> Self:
        """Connect to all servers at once.

        Raises:
            ServerFailed: A server cannot be started or reached; no other is left running.
            DefinitionInvalid: ``tools`` names a tool that its server does not have.
            ExtraMissing: The SDK is not installed, or is too old.
        """
        need_mcp("a connection to MCP servers")
        self._servers = {
            name: McpServer(name, place, self._approver, namespaced=self._namespaced, timeout_s=self._timeout_s)
            for name, place in self._places.items()
        }
        try:
            await _at_all(McpServer.open, self._servers.values())
            # What a filter names and a server lacks is told now, not when a model is first asked.
            if self._wanted:
                await self.require(self._wanted)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __getitem__(self, name: str) -> McpServer:
        if name not in self._places:
            raise KeyError(f"no MCP server {name!r}; known: {', '.join(self._places) or 'none'}")
        if name not in self._servers:
            raise ServerFailed(f"MCP server {name!r} is not connected; use 'async with McpServers(…)'")
        return self._servers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    async def require(self, wanted: Mapping[str, Iterable[str]]) -> None:
        """Check that servers have the selected tools, under their own names for them."""
        tools = await self._listed()
        for server, names in wanted.items():
            offered = [tool.remote_name for tool in tools if tool.server_name == server]
            for name in names:
                if name not in offered:
                    near, listed = did_you_mean(name, offered), ", ".join(offered)
                    raise DefinitionInvalid(f"MCP server {server!r} has no tool {name!r}{near}; it has {listed}")

    async def tools(self) -> list[McpTool]:
        """Return the tools of all servers, in the order of the servers. Cheap while none has changed."""
        offered = wanted_of(await self._listed(), self._wanted)
        twice = [name for name, times in Counter(tool.name for tool in offered).items() if times > 1]
        if twice:
            owners = " and ".join(repr(tool.server_name) for tool in offered if tool.name == twice[0])
            raise DefinitionInvalid(f"the MCP servers {owners} both have a tool {twice[0]!r}; use namespaced=True")
        return offered

    async def _listed(self) -> list[McpTool]:
        if self._places and not self._servers:
            raise ServerFailed("the MCP servers are not connected; use 'async with McpServers(…)'")
        return [tool for tools in await _at_all(McpServer.tools, self._servers.values()) for tool in tools]

    async def close(self) -> None:
        """End all connections; returns when every server's process is gone."""
        servers, self._servers = self._servers, {}
        await asyncio.gather(*(server.close() for server in servers.values()))


async def _at_all(do: Callable[[McpServer], Awaitable[T]], servers: Iterable[McpServer]) -> list[T]:
    """Do something with all these servers at once, and raise the first failure when all are done."""
    results = await asyncio.gather(*map(do, servers), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return cast("list[T]", results)
