"""The way to one MCP server, opened when it is first needed and again after it was lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mcp import ClientSession
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    Implementation,
    ToolListChangedNotification,
)

from toolkit.errors import ServerFailed
from toolkit.mcp.held import Held
from toolkit.mcp.loops import on_loop
from toolkit.mcp.places import HttpServer, Place
from toolkit.mcp.replies import Replies
from toolkit.mcp.wire import Wire, is_late, is_too_large

T = TypeVar("T")

_log = logging.getLogger("mcp.toolkit")


class Connection:
    """Sends requests to one server, and answers what it asks.

    A request that the server may have taken is sent again only where the caller says that it may be. All of it is done
    on the event loop on which the connection was made; other loops' requests are handed over to that one.

    Args:
        name: What the server is called here.
        place: Where it is.
        replies: What it is answered when it asks.
        on_change: Called when the server's tools may be others than they were.
    """

    def __init__(self, name: str, place: Place, replies: Replies, on_change: Callable[[], None]) -> None:
        self._name = name
        self._place = place
        self._replies = replies
        self._on_change = on_change
        self._loop = asyncio.get_running_loop()
        self._opening = asyncio.Lock()
        self._held: Held | None = None
        self._is_over = False

    async def open(self) -> Held:
        """Return the connection, made first where there is none.

        Raises:
            ServerFailed: The server cannot be started or reached, or the connection was closed for good.
        """
        return await on_loop(self._loop, self._open, what=f"MCP server {self._name!r}")

    async def _open(self) -> Held:
        if self._held is not None and self._held.is_usable:
            return self._held
        async with self._opening:
            if self._is_over:
                raise ServerFailed(f"the connection to MCP server {self._name!r} is closed")
            if self._held is not None:
                if self._held.is_usable:
                    return self._held
                _log.info("connecting to MCP server %s again", self._name)
                await self._held.close()
                self._held = None
                self._on_change()
            self._held = await Held.open(self._name, self._place, self._session)
            return self._held

    async def ask(self, request: Callable[[ClientSession], Awaitable[T]], *, what: str, repeatable: bool) -> T:
        """Have a request sent, over a new connection if need be.

        Args:
            request: Sends it; may be called a second time.
            what: What it is, for errors.
            repeatable: Whether it may be sent again when it is not known whether the server has taken it.

        Raises:
            ServerFailed: The server cannot be reached, was lost meanwhile, or refused.
            TimeoutError: There was no answer in the request's time.
        """
        return await on_loop(
            self._loop,
            lambda: self._ask(request, what=what, repeatable=repeatable),
            what=f"MCP server {self._name!r}",
        )

    async def _ask(self, request: Callable[[ClientSession], Awaitable[T]], *, what: str, repeatable: bool) -> T:
        is_second = False
        while True:
            held = await self._open()
            try:
                return await request(held.session)
            except MCPError as error:
                if is_late(error):
                    raise TimeoutError from error
                if is_too_large(error) and isinstance(self._place, HttpServer):
                    raise ServerFailed(
                        f"MCP server {self._name!r} answered {what} with more than {self._place.max_bytes:,} bytes; "
                        "ask for less, or pass HttpServer(max_bytes=…)"
                    ) from error
                if not held.is_lost_by(error):
                    raise ServerFailed(f"MCP server {self._name!r} refused {what}: {error.message}") from error
                never_taken = await held.never_took(error)
                if is_second or not (never_taken or repeatable):
                    doubt = "" if never_taken else f"; whether {what} was done is not known"
                    raise ServerFailed(f"the connection to MCP server {self._name!r} was lost{doubt}") from error
                is_second = True

    async def close(self) -> None:
        """End it for good, and with it the server's process where there is one."""
        async with self._opening:
            self._is_over = True
            if self._held is not None:
                await self._held.close()

    def _session(self, wire: Wire) -> ClientSession:
        replies = self._replies
        can_ask_people = replies.elicit is not None or replies.approver is not None
        return ClientSession(
            dispatcher=wire,
            client_info=Implementation(name="mcp-agent-inspector-toolkit", version="0.1.0"),
            message_handler=self._heard,
            elicitation_callback=self._elicit if can_ask_people else None,
            sampling_callback=self._sample if replies.sample is not None else None,
        )

    async def _heard(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._on_change()

    async def _elicit(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002 - the SDK passes it by name
        answer = None
        if isinstance(params, ElicitRequestFormParams):
            answer = await self._replies.asked(self._name, params.message, params.requested_schema)
        if answer is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=dict(answer))

    async def _sample(self, context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:  # noqa: ARG002 - as above
        assert self._replies.sample is not None
        request = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        return CreateMessageResult.model_validate(await self._replies.sample(self._name, request))
