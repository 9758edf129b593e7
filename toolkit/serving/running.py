"""Servers at work: one that reads standard input, and one that listens."""

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Generator

import uvicorn
from mcp.server.stdio import stdio_server

from toolkit.context import ToolContext
from toolkit.errors import ServerFailed
from toolkit.serving.access import Access
from toolkit.serving.offers import Offers
from toolkit.serving.protocol import ProtocolServer
from toolkit.serving.web import context_of, make_app

_GRACE_S = 1
"""How long requests may go on once the server is told to stop."""


class OverStdio:
    """A server on standard input and output, for as long as the other side keeps them open."""

    url: str | None = None

    def __init__(self, task: "asyncio.Task[None]") -> None:
        self._task = task

    async def finished(self) -> None:
        """Wait for the end of standard input."""
        await asyncio.wait((self._task,))
        if not self._task.cancelled():
            self._task.result()

    async def stop(self) -> None:
        """Stop reading."""
        self._task.cancel()
        await asyncio.wait((self._task,))


async def over_stdio(offers: Offers, context: ToolContext) -> OverStdio:
    """Answer the program that started this process. What tools print goes to standard error meanwhile."""
    server = ProtocolServer(offers, lambda _: context, "stdio")
    ready = asyncio.Event()

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            ready.set()
            await server.run(incoming, outgoing, server.create_initialization_options())

    task = asyncio.create_task(run(), name=f"server {offers.name}")
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if task.done():
        task.result()
    return OverStdio(task)


class OverHttp:
    """A server that listens."""

    def __init__(self, server: "_Uvicorn", task: "asyncio.Task[None]", url: str) -> None:
        self._server = server
        self._task = task
        self.url = url

    async def finished(self) -> None:
        """Wait for a signal."""
        await asyncio.wait((self._task,))
        self._task.result()

    async def stop(self) -> None:
        """Take no more requests, and cancel those that are still there after a while."""
        self._server.should_exit = True
        await asyncio.wait((self._task,))


async def over_http(
    offers: Offers, access: Access, *, address: tuple[str, int], has_tokens: bool, takes_signals: bool
) -> OverHttp:
    """Listen.

    Raises:
        ServerFailed: The address cannot be had.
    """
    protocol = ProtocolServer(offers, context_of, "http")
    app = make_app(protocol, offers, access, host=address[0], has_tokens=has_tokens)
    config = uvicorn.Config(
        app,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # no header grants anything
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = _Uvicorn(config, takes_signals=takes_signals)
    listener = _listen(*address)
    task = asyncio.create_task(server.serve(sockets=[listener]), name=f"server {offers.name}")
    waiting = asyncio.create_task(server.is_up.wait())
    await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if task.done():
        listener.close()
        task.result()
        raise ServerFailed(f"the server {offers.name!r} did not start; its log says why")
    return OverHttp(server, task, _url(listener))


class _Uvicorn(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, *, takes_signals: bool) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()
        self._takes_signals = takes_signals

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.is_up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to the application, unless it does nothing but serve; then it ends as if it were told to stop.

        They are not raised again afterwards, so that what the application has open is closed too.
        """
        if not self._takes_signals or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, number)
    except OSError as error:
        raise ServerFailed(f"cannot listen on {host!r}: {error.strerror}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise ServerFailed(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another port, or 0 for any free one"
        ) from error
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
