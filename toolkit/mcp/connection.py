"""The way to one MCP server, opened when it is first needed and again after it was lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

from mcp import ClientSession
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
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
from toolkit.mcp.wire import Wire, is_late, is_too_large
from toolkit.people.asking import PATIENCE_S, ApprovalRequest, Approver, answered

T = TypeVar("T")

_log = logging.getLogger("mcp.toolkit")


class Connection:
    """Sends requests to one server, and answers what it asks.

    A request that the server may have taken is sent again only where the caller says that it may be. All of it is done
    on the event loop on which the connection was made; other loops' requests are handed over to that one.

    Args:
        name: What the server is called here.
        place: Where it is.
        approver: Answers the questions to the user that a yes can answer: those that ask for nothing, or for booleans
            alone; nobody answering in five minutes is a no. None has the server told that nobody can be asked.
        on_change: Called when the server's tools may be others than they were.
    """

    def __init__(self, name: str, place: Place, approver: Approver | None, on_change: Callable[[], None]) -> None:
        self._name = name
        self._place = place
        self._approver = approver
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
        return ClientSession(
            dispatcher=wire,
            client_info=Implementation(name="mcp-agent-inspector-toolkit", version="0.1.0"),
            message_handler=self._heard,
            elicitation_callback=self._elicit if self._approver is not None else None,
        )

    async def _heard(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._on_change()

    async def _elicit(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002 - the SDK passes it by name
        yes = _yes(params.requested_schema) if isinstance(params, ElicitRequestFormParams) else None
        if self._approver is None or yes is None:
            return ElicitResult(action="decline")
        request = ApprovalRequest(self._name, None, params.message)
        answer = await answered(request, self._approver, timeout_s=PATIENCE_S, changes=None)
        return ElicitResult(action="accept", content=yes) if answer else ElicitResult(action="decline")


def _yes(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a yes is as an answer of this schema; None where it asks for more than booleans."""
    properties = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties") or {})
    required = cast("list[str]", schema.get("required") or [])
    if any(properties.get(name, {}).get("type") != "boolean" for name in required):
        return None
    return dict.fromkeys(required, True)
