"""A connection while it lasts, held by one task: cancel scopes have to be left in the task that entered them."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack

import httpx2
from mcp import ClientSession
from mcp.shared.exceptions import MCPError
from mcp.types import CONNECTION_CLOSED, INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION

from toolkit.errors import ServerFailed
from toolkit.mcp.places import Place, StdioServer
from toolkit.mcp.transports import Heard, open_streams, transport_of
from toolkit.mcp.wire import NotSent, Wire, is_closed

_SECRET = re.compile(r"key|token|secret|passw|auth|credential", re.IGNORECASE)
_CLOSE_TIMEOUT_S = 15.0
"""The SDK ends a process within seven seconds; past this, it hangs."""


class Held:
    """One open connection; ``Held.open`` makes it.

    Args:
        place: Where the server is.
        make_session: Makes the session that speaks over a wire.
    """

    def __init__(self, place: Place, make_session: Callable[[Wire], ClientSession]) -> None:
        self._place = place
        self._make_session = make_session
        self._heard = Heard()
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[tuple[ClientSession, Wire]] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, name: str, place: Place, make_session: Callable[[Wire], ClientSession]) -> "Held":
        """Connect, and agree with the server on how to speak.

        Raises:
            ServerFailed: It cannot be started or reached, or does not answer in its time.
        """
        held = cls(place, make_session)
        held._task = asyncio.create_task(held._hold(), name=f"MCP server {name}")
        # How it ended is looked at where a request fails; where none does, nobody has to be told.
        held._task.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            async with asyncio.timeout(place.start_timeout_s):
                await asyncio.wait((held._task, held._ready), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError as error:
            held._task.cancel()
            await held.close()
            raise ServerFailed(f"{cannot(name, place)}: no answer in {place.start_timeout_s:g} s") from error
        except BaseException:
            held._task.cancel()
            await held.close()
            raise
        if not held._ready.done():
            failure = held._task.exception()
            raise ServerFailed(f"{cannot(name, place)}: {held._reason(failure)}") from failure
        return held

    @property
    def session(self) -> ClientSession:
        """What requests are sent by."""
        return self._ready.result()[0]

    @property
    def is_usable(self) -> bool:
        """Whether a request can still be sent, as far as is known."""
        return not (self._wire.ended.is_set() or self._heard.session_gone or self._stop.is_set())

    def is_lost_by(self, error: MCPError) -> bool:
        """Tell whether the error says that the connection is no more, rather than that the server refused."""
        return error.code == CONNECTION_CLOSED or self._is_of_gone_session(error)

    async def never_took(self, error: MCPError) -> bool:
        """Tell whether it is certain that the server did nothing about the request that ended in this error."""
        if isinstance(error, NotSent) or self._is_of_gone_session(error):
            return True
        if not is_closed(error):
            return False
        # Other requests' answers may have been on their way when one of them found nobody there.
        await self.close()
        assert self._task is not None
        failure = None if self._task.cancelled() else self._task.exception()
        return self._wire.cut_off == 1 and failure is not None and all(map(_is_unreachable, _leaves(failure)))

    async def close(self) -> None:
        """End it, and with it the server's process where there is one; returns when that is done, even if cancelled."""
        self._stop.set()
        assert self._task is not None
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

    @property
    def _wire(self) -> Wire:
        return self._ready.result()[1]

    def _is_of_gone_session(self, error: MCPError) -> bool:
        return self._heard.session_gone and error.code == INVALID_REQUEST

    async def _hold(self) -> None:
        async with AsyncExitStack() as stack:
            streams = await stack.enter_async_context(open_streams(self._place, self._heard))
            wire = Wire(*streams, transport_of(self._place), self._place.found_at)
            session = await stack.enter_async_context(self._make_session(wire))
            await _greet(session)
            self._ready.set_result((session, wire))
            watch = asyncio.create_task(wire.ended.wait())
            stop = asyncio.create_task(self._stop.wait())
            try:
                await asyncio.wait((watch, stop), return_when=asyncio.FIRST_COMPLETED)
            finally:
                watch.cancel()
                stop.cancel()

    def _reason(self, failure: BaseException | None) -> str:
        leaf = next(iter(_leaves(failure)), None) if failure is not None else None
        if self._heard.refusal:
            return f"it answered {self._heard.refusal}"
        if isinstance(leaf, MCPError) and is_closed(leaf) and isinstance(self._place, StdioServer):
            return "it ended before it answered; its standard error may say why"
        return f"{type(leaf).__name__}: {leaf}"


def cannot(name: str, place: Place) -> str:
    """Return the beginning of the sentence that says why there is no connection."""
    if isinstance(place, StdioServer):
        return f"cannot start MCP server {name!r} ({' '.join((place.command, *_shown(place.args)))})"
    return f"cannot reach MCP server {name!r} at {place.url}"


def _shown(arguments: Sequence[str]) -> Iterator[str]:
    """Return arguments for a message, without the values of options that are named for secrets."""
    for before, argument in zip(("", *arguments), arguments, strict=False):
        name, has_value, _ = argument.partition("=")
        if has_value and _SECRET.search(name):
            yield f"{name}=…"
        else:
            yield "…" if before.startswith("-") and "=" not in before and _SECRET.search(before) else argument


async def _greet(session: ClientSession) -> None:
    try:
        await session.initialize()
    except MCPError as error:
        if error.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        # It speaks only the revisions without a handshake.
        await session.discover()


def _leaves(error: BaseException) -> list[BaseException]:
    several: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return [leaf for inner in several for leaf in _leaves(inner)] if several else [error]


def _is_unreachable(error: BaseException) -> bool:
    return isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
