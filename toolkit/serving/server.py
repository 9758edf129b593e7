"""A server of tools that can be started and stopped."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

from toolkit.agents.requests import Named, by_name
from toolkit.context import ToolContext, context_of
from toolkit.errors import DefinitionInvalid, ServerFailed
from toolkit.extras import need_mcp
from toolkit.keywords import checks_keywords
from toolkit.middleware.checks import check_tool_hook
from toolkit.middleware.contexts import ToolHook
from toolkit.node import ToolNode
from toolkit.serving.access import Access
from toolkit.serving.offers import MCP_PATH, Offers

if TYPE_CHECKING:
    # Its module needs the SDK, which only a server that starts has to have.
    from toolkit.serving.running import Running


@checks_keywords
class ToolServer:
    """Offers tools by the Model Context Protocol, over standard input and output or over HTTP.

    Over HTTP each tool also has a route, to which its arguments are posted, and ``/openapi.json`` describes them all.
    The protocol itself is at ``/mcp``.

    Args:
        tools: Whatever ``ToolNode`` takes: functions, tools, MCP servers; their routes begin with ``/tools/``.
        name: What clients are told that it is called.
        version: What clients are told that its version is.
        agents: Agents and workflows. They offer the tools that they declare with ``@tool``, as ``<agent>__<tool>``
            under ``/tools/<agent>/``, or themselves where they declare none, as ``agent__<agent>`` at
            ``/tools/<agent>``.
        mode: ``stdio`` for the program that started this process, ``http`` for any.
        host: Where to listen; anything but this machine itself needs ``auth_required``.
        port: 0 takes a free one.
        auth_required: Refuses callers without a token.
        tokens: The permissions of each token. Where there are tokens and none is required, a caller without one may
            use the tools that need no permission.
        context: What every call may use.
        tool_hooks: Middleware around every call that comes in, outside of that of the context and of agents; the first
            one outermost.
    """

    def __init__(  # noqa: PLR0913 - each is a choice of its own, and has a default
        self,
        tools: Iterable[object] = (),
        *,
        name: str = "toolkit",
        version: str = "1",
        agents: Iterable[Named] | Mapping[str, object] = (),
        mode: Literal["stdio", "http"] = "stdio",
        host: str = "127.0.0.1",
        port: int = 8000,
        auth_required: bool = False,
        tokens: Mapping[str, Iterable[str]] | None = None,
        context: ToolContext | None = None,
        tool_hooks: Sequence[ToolHook] = (),
    ) -> None:
        if mode not in ("stdio", "http"):
            raise DefinitionInvalid(f"unknown mode {mode!r}; expected 'stdio' or 'http'")
        if mode == "stdio" and (auth_required or tokens):
            raise DefinitionInvalid("tokens are for mode='http': on standard input there is one caller, who started us")
        if not isinstance(port, int) or not 0 <= port <= 65535:  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            raise DefinitionInvalid(f"ToolServer(port=…) is {port!r}; expected a number, or 0 for a free one")
        self.name = name
        self._mode = mode
        self._address = (host, port)
        self._has_tokens = bool(tokens)
        own = context_of(context)
        self._context = replace(own, tool_hooks=(*map(check_tool_hook, tool_hooks), *own.tool_hooks))
        self._access = (
            Access(host, auth_required=auth_required, tokens=tokens or {}, context=self._context)
            if mode == "http"
            else None
        )
        self.tools = ToolNode(tools)
        """Its own tools; what is registered here is offered from then on."""
        self._offers = Offers(name, version, self.tools, by_name(agents))
        self._running: Running | None = None

    @property
    def url(self) -> str:
        """Where it listens, as in ``http://127.0.0.1:8000``."""
        if self._running is None or self._running.url is None:
            raise ServerFailed(f"the server {self.name!r} does not listen; start() it with mode='http'")
        return self._running.url

    @property
    def mcp_url(self) -> str:
        """Where MCP clients reach it."""
        return self.url + MCP_PATH

    async def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document of all its routes."""
        from toolkit.serving.openapi import document

        return document(self.name, self._offers.version, await self._offers.all(), has_tokens=self._has_tokens)

    async def start(self) -> None:
        """Begin to answer; returns when it does.

        Raises:
            ServerFailed: The address cannot be had, or it runs already.
        """
        if self._running is not None:
            raise ServerFailed(f"the server {self.name!r} runs already")
        need_mcp("a server of tools")
        from toolkit.serving.running import over_http, over_stdio

        await self._offers.learn()
        if self._access is None:
            self._running = await over_stdio(self._offers, self._context)
        else:
            self._running = await over_http(
                self._offers, self._access, address=self._address, has_tokens=self._has_tokens
            )

    async def stop(self) -> None:
        """Stop answering; calls under way are cancelled after a second."""
        running, self._running = self._running, None
        if running is not None:
            await running.stop()

    async def serve(self) -> None:
        """Answer until SIGINT or SIGTERM, or until standard input ends."""
        await self.start()
        try:
            assert self._running is not None
            await self._running.finished()
        finally:
            await self.stop()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
