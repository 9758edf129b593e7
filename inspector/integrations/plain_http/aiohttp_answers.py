"""Responses of aiohttp without a server: only the far end of the connection is simulated.

So middlewares, trace configurations, response classes and ``raise_for_status`` of a session work as usual.
"""

# Its classes are those of the program's aiohttp, which pyright cannot know:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sized
from copy import copy
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final, TypeAlias

from inspector.integrations.calls import safely
from inspector.integrations.tracebacks import unseen
from instrument.control import HttpAnswer

Answered: TypeAlias = Callable[..., Awaitable[Any]]
"""Sends a request, given the session's method, the session, the answer, and the method's arguments."""

_LONGEST: Final = 1 << 30
"""Of a line: what was too long for the program's buffer was none that came."""
_FRAMING: Final = frozenset(("connection", "content-length", "transfer-encoding"))
"""Headers of how a body is sent, which here comes in pieces until there are no more."""


def answering() -> Answered:
    """Return a function that answers a request of aiohttp without sending it."""
    connector = _connector_class(import_module("aiohttp"), import_module("aiohttp.client_proto").ResponseHandler)

    async def answered(original: Callable[..., Any], session: Any, answer: HttpAnswer, *args: Any, **kw: Any) -> Any:
        # All of the program's session but for its connections.
        instead = copy(session)
        instead._connector = connector(answer)  # noqa: SLF001 - a session takes one as it is made alone
        try:
            return await original(instead, *args, **kw)
        finally:
            # A session that still has a connector warns that it was not closed.
            instead._connector = None  # noqa: SLF001 - as above

    return answered


def _connector_class(aiohttp: Any, handler: Any) -> Any:
    content = _content_class(aiohttp.StreamReader)

    class Protocol(handler):
        def __init__(self, answer: HttpAnswer, loop: asyncio.AbstractEventLoop) -> None:
            super().__init__(loop)
            self.answer = answer
            self.loop = loop

        async def read(self) -> tuple[Any, Any]:
            self.data_received(_head(self.answer))
            message, _ = await super().read()
            return message, content(self, self.answer, self.loop)

    class Connector(aiohttp.BaseConnector):
        def __init__(self, answer: HttpAnswer) -> None:
            super().__init__(force_close=True)
            self.answer = answer

        async def _create_connection(self, *_: Any) -> Any:
            loop = asyncio.get_running_loop()
            protocol: Any = Protocol(self.answer, loop)
            protocol.connection_made(_Nowhere(protocol, loop))
            return protocol

    return Connector


def _content_class(reader: Any) -> Any:
    class Content(reader):
        """A body of which each piece comes when the one before it has been read."""

        def __init__(self, protocol: Any, answer: HttpAnswer, loop: asyncio.AbstractEventLoop) -> None:
            super().__init__(protocol, _LONGEST, loop=loop)
            pieces = answer.pieces
            self.pieces: Iterator[bytes] = iter(pieces)
            # The end of one that broke off is not to be asked for before its pieces are read.
            self.more = len(pieces) if isinstance(pieces, Sized) else None
            self.begin_http_chunk_receiving()
            self.end_with_the_last()

        async def _wait(self, func_name: str) -> None:
            del func_name
            with unseen:
                try:
                    piece = next(self.pieces, None)
                except BaseException as exc:
                    self.set_exception(exc)
                    raise
            if piece is None:
                self.feed_eof()
                return
            self.feed_data(piece, len(piece))
            self.end_http_chunk_receiving()
            if self.more is not None:
                self.more -= 1
                self.end_with_the_last()

        def end_with_the_last(self) -> None:
            if self.more == 0:
                self.feed_eof()

    return Content


def _head(answer: HttpAnswer) -> bytes:
    phrase = safely(lambda: HTTPStatus(answer.status).phrase, "")
    headers = {name: value for name, value in answer.headers.items() if name.lower() not in _FRAMING}
    lines = [f"HTTP/1.1 {answer.status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode(errors="surrogateescape")


class _Nowhere(asyncio.Transport):
    """The way to a server that is not there."""

    def __init__(self, protocol: asyncio.BaseProtocol, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._protocol = protocol
        self._loop = loop
        self._is_closing = False

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            self._loop.call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        self.close()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Drop sent data."""

    def pause_reading(self) -> None:
        """Nothing comes by itself."""

    def resume_reading(self) -> None:
        """As above."""
