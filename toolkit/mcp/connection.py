"""The connection to one MCP server, opened when it is first needed and again after it was lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from shutil import which
from typing import Any, TypeVar, cast

from mcp import ClientSession
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    Implementation,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from toolkit.errors import ServerFailed
from toolkit.mcp.places import HttpServer, Place, StdioServer
from toolkit.mcp.transports import Answers, open_streams
from toolkit.mcp.wire import Wire
from toolkit.outcomes import time_limit
from toolkit.people.asking import PATIENCE_S, ApprovalRequest, Approver, answered
from toolkit.schemas.problems import path_text

T = TypeVar("T")

_CLOSE_TIMEOUT_S = 15.0
"""The SDK ends a process within seven seconds; past this, it hangs."""

_log = logging.getLogger("mcp.toolkit")


class Connection:
    """Sends requests to one server, and answers what it asks; all of it on one event loop.

    The approver answers the questions to the user that a yes can answer: those that ask for nothing, or for booleans
    alone; nobody answering in five minutes is a no. ``on_change`` is called when its tools may have changed.
    """

    def __init__(
        self,
        name: str,
        place: Place,
        approver: Approver | None,
        on_change: Callable[[], None],
        *,
        timeout_s: float | None,
    ) -> None:
        self._name = name
        self._place = place
        self._approver = approver
        self._on_change = on_change
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._opening = asyncio.Lock()
        self._line: _Line | None = None
        self._is_over = False

    async def open(self) -> "_Line":
        """Return the open connection to the server; connect if there is none."""
        if asyncio.get_running_loop() is not self._loop:
            raise ServerFailed(f"MCP server {self._name!r} belongs to the event loop on which it was connected")
        if self._line is not None and self._line.is_usable:
            return self._line
        async with self._opening:
            if self._is_over:
                raise ServerFailed(f"the connection to MCP server {self._name!r} is closed")
            if self._line is not None:
                if self._line.is_usable:
                    return self._line
                _log.info("connecting to MCP server %s again", self._name)
                await self._line.close()
                self._line = None
                self._on_change()
            self._line = await _Line.open(self._name, self._place, self._session)
            return self._line

    async def ask(self, request: Callable[[ClientSession], Awaitable[T]], *, what: str, repeatable: bool) -> T:
        """Send a request, over a new connection if necessary.

        One that is repeatable is sent again also when it is not known whether the server has taken it. ``what`` is what
        errors call it.
        """
        is_second = False
        while True:
            line = await self.open()
            try:
                async with time_limit(self._timeout_s, f"{what} took longer than"):
                    return await request(line.session)
            except MCPError as error:
                is_too_large = error.code == CONNECTION_CLOSED and "byte limit" in error.message
                if is_too_large and isinstance(self._place, HttpServer):
                    raise ServerFailed(
                        f"MCP server {self._name!r} answered {what} with more than {self._place.max_bytes:,} bytes; "
                        "ask for less, or pass HttpServer(max_bytes=…)"
                    ) from error
                if not line.is_lost_by(error):
                    raise ServerFailed(f"MCP server {self._name!r} refused {what}: {error.message}") from error
                await line.close()
                if is_second or not (repeatable or line.answers.session_gone):
                    lost = f"the connection to MCP server {self._name!r} was lost"
                    raise ServerFailed(f"{lost}; whether {what} was done is not known") from error
                is_second = True
            except ValidationError as error:
                wrong = error.errors()[0]
                problem = f"{path_text(wrong['loc'])}: {wrong['msg']}"
                raise ServerFailed(
                    f"MCP server {self._name!r} answered {what} with what is no result: {problem}"
                ) from error

    async def close(self) -> None:
        """End it for good, and the server's process if there is one."""
        async with self._opening:
            self._is_over = True
            if self._line is not None:
                await self._line.close()

    def _session(self, wire: Wire) -> ClientSession:
        return ClientSession(
            dispatcher=wire,
            client_info=Implementation(name="mcp-agent-inspector-toolkit", version="0.1.0"),
            message_handler=self._receive,
            elicitation_callback=self._elicit if self._approver is not None else None,
        )

    async def _receive(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._on_change()

    async def _elicit(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002 - the SDK passes it by name
        yes = _yes(params.requested_schema) if isinstance(params, ElicitRequestFormParams) else None
        if self._approver is None or yes is None:
            return ElicitResult(action="decline")
        request = ApprovalRequest(self._name, None, params.message)
        answer = await answered(request, self._approver, bool, timeout_s=PATIENCE_S, changes=None)
        return ElicitResult(action="accept", content=yes) if answer else ElicitResult(action="decline")


class _Line:
    """A connection while it lasts, held by one task: cancel scopes have to be left in the task that entered them."""

    session: ClientSession
    """The session that sends requests."""

    def __init__(self, name: str, place: Place, make_session: Callable[[Wire], ClientSession]) -> None:
        self.answers = Answers()
        self._place = place
        self._ended = asyncio.Event()
        self._ready = asyncio.Event()
        self._task = asyncio.create_task(self._hold(make_session), name=f"MCP server {name}")
        # How it ended is looked at where a request fails; where none does, nobody has to be told.
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    @classmethod
    async def open(cls, name: str, place: Place, make_session: Callable[[Wire], ClientSession]) -> "_Line":
        """Connect, and negotiate the protocol with the server."""
        line = cls(name, place, make_session)
        try:
            async with asyncio.timeout(place.start_timeout_s):
                await line._ready.wait()
        except BaseException as error:
            line._task.cancel()
            await line.close()
            if not isinstance(error, TimeoutError):
                raise
            raise ServerFailed(f"{_cannot(name, place)}: no answer in {place.start_timeout_s:g} s") from error
        if line._task.done() and (failure := line._task.exception()) is not None:
            raise ServerFailed(f"{_cannot(name, place)}: {line._reason(failure)}") from failure
        return line

    @property
    def is_usable(self) -> bool:
        """Whether a request can still be sent, as far as is known."""
        return not (self._ended.is_set() or self.answers.session_gone)

    def is_lost_by(self, error: MCPError) -> bool:
        """Tell whether the error means that the connection is lost, rather than a refusal by the server."""
        return error.code == CONNECTION_CLOSED or (error.code == INVALID_REQUEST and self.answers.session_gone)

    async def close(self) -> None:
        """End it, and with it the server's process where there is one; returns when that is done, even if cancelled."""
        self._ended.set()
        cancelled: asyncio.CancelledError | None = None
        while not self._task.done():
            try:
                done, _ = await asyncio.wait((self._task,), timeout=_CLOSE_TIMEOUT_S)
            except asyncio.CancelledError as error:
                cancelled = error
                continue
            if not done:
                self._task.cancel()
        if cancelled is not None:
            raise cancelled

    async def _hold(self, make_session: Callable[[Wire], ClientSession]) -> None:
        try:
            async with AsyncExitStack() as stack:
                streams = await stack.enter_async_context(open_streams(self._place, self.answers))
                transport = "stdio" if isinstance(self._place, StdioServer) else "http"
                wire = Wire(*streams, transport, self._place.found_at, ended=self._ended)
                self.session = await stack.enter_async_context(make_session(wire))
                await _greet(self.session)
                self._ready.set()
                await self._ended.wait()
        finally:
            self._ended.set()
            self._ready.set()

    def _reason(self, failure: BaseException) -> str:
        while isinstance(failure, BaseExceptionGroup):
            failure = cast("BaseExceptionGroup[BaseException]", failure).exceptions[0]
        if self.answers.refusal:
            return f"it answered {self.answers.refusal}"
        if isinstance(failure, MCPError) and failure.code == CONNECTION_CLOSED and isinstance(self._place, StdioServer):
            return "it ended before it answered; its standard error may say why"
        if isinstance(failure, FileNotFoundError) and isinstance(self._place, StdioServer):
            return _not_found(self._place.command, failure.filename)
        return f"{type(failure).__name__}: {failure}"


def _not_found(command: str, missing: object) -> str:
    """Return why a server could not be started: its program is not there, or its folder or the file for its errors."""
    if missing not in (None, command):
        return f"{missing} does not exist"
    program, *arguments = command.split()
    if arguments and which(program) is not None:
        return f"there is no such program; write it as StdioServer({program!r}, {arguments})"
    return "there is no such program; is it installed, and on the PATH?"


def _cannot(name: str, place: Place) -> str:
    """Return the beginning of the sentence that says why there is no connection; arguments may hold secrets."""
    if isinstance(place, StdioServer):
        return f"cannot start MCP server {name!r} ({place.command})"
    return f"cannot reach MCP server {name!r} at {place.url}"


async def _greet(session: ClientSession) -> None:
    try:
        await session.initialize()
    except MCPError as error:
        if error.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        # It speaks only the revisions without a handshake.
        await session.discover()


def _yes(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a yes as an answer of this schema; None if it asks for more than booleans."""
    properties = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties") or {})
    required = cast("list[str]", schema.get("required") or [])
    if any(properties.get(name, {}).get("type") != "boolean" for name in required):
        return None
    return dict.fromkeys(required, True)
