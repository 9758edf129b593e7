"""Servers at work: one that reads standard input, and one that listens."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Generator
from typing import Any

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


class Running:
    """A server at work."""

    def __init__(self, task: "asyncio.Task[None]", end: Callable[[], object], url: str | None = None) -> None:
        self._task = task
        self._end = end
        self.url = url

    async def finished(self) -> None:
        """Wait until standard input ends, or over HTTP until SIGINT or SIGTERM."""
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            for number in (signal.SIGINT, signal.SIGTERM) if self.url is not None else ():
                # Only the main thread of a system with signals takes any.
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, self._end)
                    stack.callback(loop.remove_signal_handler, number)
            await asyncio.wait((self._task,))
        if not self._task.cancelled():
            self._task.result()

    async def stop(self) -> None:
        """End it, and wait until it has."""
        self._end()
        await asyncio.wait((self._task,))


async def over_stdio(offers: Offers, context: ToolContext) -> Running:
    """Answer the program that started this process. What tools print goes to standard error meanwhile."""
    server = ProtocolServer(offers, lambda _: context, "stdio")
    ready = asyncio.Event()

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            ready.set()
            try:
                await server.run(incoming, outgoing, server.create_initialization_options())
            finally:
                # What tools printed, while it still goes to standard error: after this it would be the protocol's.
                with contextlib.suppress(OSError, ValueError):
                    sys.stdout.flush()

    task = await _begun(run(), ready, offers.name)
    if task.done():
        task.result()
    return Running(task, task.cancel)


async def over_http(offers: Offers, access: Access, *, address: tuple[str, int], has_tokens: bool) -> Running:
    """Listen; once told to stop, take no more requests, and cancel those that are still there after a while."""
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
    server = _Uvicorn(config)
    listener = _listen(*address)
    task = await _begun(server.serve(sockets=[listener]), server.is_up, offers.name)
    if task.done():
        listener.close()
        task.result()
        raise ServerFailed(f"the server {offers.name!r} did not start; its log says why")

    def end() -> None:
        server.should_exit = True

    return Running(task, end, _url(listener))


async def _begun(work: Coroutine[Any, Any, None], ready: asyncio.Event, name: str) -> "asyncio.Task[None]":
    """Return the task of a server's work once it is ready, or is over already."""
    task = asyncio.create_task(work, name=f"server {name}")
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    return task


class _Uvicorn(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.is_up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to the application, or to ``Running.finished``."""
        yield


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((str(address[0]), port), family=family, backlog=2048)
    except OSError as error:
        # What follows says the address a second time.
        reason = str(error.strerror).partition(" (while ")[0]
        raise ServerFailed(
            f"cannot listen on {host} port {port}: {reason}; choose another port, or 0 for any free one"
        ) from error


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
