"""``inspector serve``: own the home, listen on loopback, and answer until told to stop."""

import asyncio
import contextlib
import ctypes
import errno
import gc
import ipaddress
import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from inspector.api.access.codes import OneTimeCodes
from inspector.api.access.tokens import load_or_create
from inspector.api.app import create_app
from inspector.api.errors import AddressUnusable
from inspector.api.live import Live, LiveLimits
from inspector.api.network.connections import Connection, ConnectionLimits, Connections
from inspector.api.network.descriptors import connections_at_most
from inspector.api.network.grpc_receiver import receive_by_grpc
from inspector.api.service import Service
from inspector.ingest import LOCK_WAIT_S, Owner
from inspector.settings import Settings
from inspector.store import OwnerLock

logger = logging.getLogger("inspector.api")

GRACE_S = 1
"""How long requests may continue after the server is told to stop."""
MOST_HEAD_BYTES = 64 << 10
"""What the parser accepts before it answers 400 by itself; above the guard's own limits."""
ACCEPTED_AT_ONCE = 16
"""Connections accepted in one turn of the loop, which counts them only in a later one."""
_SWEEP_TICKS = 5
"""uvicorn's ticks, ten a second, between two sweeps over all connections; one takes a millisecond for 1,000 of them."""
QUEUED = 2048
"""Connections that the kernel keeps until they are accepted."""


_NEW_OBJECTS = 50_000
"""A batch of spans consists of many lists and dicts, none of them garbage before it is stored. Python's default of 700
would traverse them again and again, for a tenth of the time that writing them takes."""
_LARGE_BYTES = 1 << 20
_MMAP_THRESHOLD = -3
"""``M_MMAP_THRESHOLD`` of glibc's ``malloc.h``."""


@dataclass(frozen=True, slots=True)
class Listening:
    """The addresses of a server that has just started."""

    url: str
    sign_in_url: str
    """Opens the inspector in a browser, once, within ten minutes."""
    token_file: Path
    otlp_grpc: str | None = None
    """The address of OTLP over gRPC, if it is on."""


def serve(settings: Settings, *, on_ready: Callable[[Listening], None] | None = None) -> None:
    """Serve the home of ``settings`` until SIGINT, SIGTERM or SIGHUP; a second signal ends the process at once.

    Args:
        settings: Home, host and port; port 0 picks a free one.
        on_ready: Called once requests are answered.

    Raises:
        OwnedElsewhere: Another process owns the home; the message says which and where it serves.
        AddressUnusable: The server cannot listen on the host or a port.
        GrpcMissing: OTLP over gRPC is on, but its extra is not installed.
        TokenUnusable: There is no token that can be trusted.
        StoreError: The database cannot be opened.
    """
    token = load_or_create(settings)
    codes = OneTimeCodes()
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(_listen(settings))
        url = _url(listener)
        owner = stack.enter_context(Owner(settings, url=url, check_later=True, wait_s=LOCK_WAIT_S, second_process=True))
        places = connections_at_most()
        grpc_places = places // 4 if settings.otlp_grpc_port is not None else 0
        places -= grpc_places
        limits = LiveLimits.within(places)
        app = create_app(owner.store, settings=settings, owner=owner, token=token, codes=codes, limits=limits)
        stack.enter_context(_announced(settings.server_file, url))
        grpc_url = stack.enter_context(receive_by_grpc(settings, token, owner.intake, most_connections=grpc_places))
        ready = Listening(url, f"{url}/?code={codes.create()}", settings.token_file, grpc_url)
        stack.enter_context(collecting_seldom())
        return_large_blocks()
        owner.start()
        service: Service = app.state.service
        connections = Connections(ConnectionLimits(places), ended=service.requests.ended)
        behind = _behind(settings.proxies, app)
        Server(behind, connections, service.live, lambda: on_ready and on_ready(ready), settings.server_file).run(
            sockets=[listener]
        )


class Server(uvicorn.Server):
    """Limits its connections, ends the streams before it waits for requests, and exits at a second signal."""

    def __init__(
        self, app: ASGIApp, connections: Connections, live: Live, on_ready: Callable[[], object], server_file: Path
    ) -> None:
        super().__init__(_config(app))
        self.server_state = self._connections = connections
        self._live = live
        self._on_ready = on_ready
        self._server_file = server_file

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and accept few connections at a time."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._connections.on_failure)
        await super().startup(sockets)
        for listener in sockets or ():
            # asyncio uses one number for both, but few should be accepted at a time and many may wait.
            listener.listen(QUEUED)
        self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        """Check twice a second which connections have timed out."""
        if counter % _SWEEP_TICKS == 0:
            self._connections.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then wait for other answers."""
        self._live.close()
        # Before uvicorn cancels what is left, which it logs with a traceback each.
        asyncio.get_running_loop().call_later(0.8 * GRACE_S, self._connections.drop_unread)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Handle these signals, without raising them again afterwards: the home has to be closed first."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        # They stay while the home is closed, so that a second signal still ends the process at once.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # A server under nohup outlives its terminal.
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.handle_exit)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  # the signature of a handler
        """Stop; at the second signal, at once."""
        # A terminal that is closed and its shell both send it.
        if self.should_exit and sig != signal.SIGHUP:
            self._server_file.unlink(missing_ok=True)
            os._exit(128 + sig)
        self.should_exit = True


def _behind(proxies: Sequence[str], app: ASGIApp) -> ASGIApp:
    """Return the application, for which what declared proxies say of a request's scheme and client counts."""
    return cast("ASGIApp", ProxyHeadersMiddleware(cast("Any", app), list(proxies))) if proxies else app


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Connection,  # of h11, the one parser here that limits a request's head
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # only those of declared proxies count, as `_behind` has it
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
    )


def _listen(settings: Settings) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        way_out = "give --host or set INSPECTOR_HOST"
        raise AddressUnusable(f"cannot listen on {settings.host!r}: {error.strerror}; {way_out}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Head and body are two writes: without this each answer on a kept connection waits 40 ms for the client.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind(address)
        listener.listen(QUEUED)
    except OSError as error:
        listener.close()
        raise _unusable(settings, error) from error
    if not ipaddress.ip_address(listener.getsockname()[0]).is_loopback:
        logger.warning("listening on %s: everybody who reaches this machine can try the token", settings.host)
    return listener


def _unusable(settings: Settings, error: OSError) -> AddressUnusable:
    """Explain why the address cannot be used. If our own server uses it, raise instead.

    Raises:
        OwnedElsewhere: The home is already being served.
    """
    if error.errno == errno.EADDRINUSE:
        if settings.lock_file.exists():
            lock = OwnerLock(settings.lock_file)
            lock.acquire()
            lock.release()
        return AddressUnusable(
            f"port {settings.port} on {settings.host} is in use by another program; "
            "choose another one with --port or INSPECTOR_PORT, or 0 for any free one"
        )
    return AddressUnusable(
        f"cannot listen on {settings.host} port {settings.port}: {error.strerror}; "
        "choose others with --host and --port, or INSPECTOR_HOST and INSPECTOR_PORT"
    )


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    address = ipaddress.ip_address(host)
    if address.is_unspecified:
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def return_large_blocks() -> None:
    """Return each large block of memory to the system as soon as it is freed, where the C library can be told to.

    glibc raises its own threshold to the largest block that was freed, up to 32 MB. From then on the body of a request
    grows in a heap of which only the end is ever returned: two requests of 50 MB left 50 MB behind.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)


@contextlib.contextmanager
def collecting_seldom() -> Generator[None]:
    """Collect garbage only after many new objects, until the block ends."""
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextlib.contextmanager
def _announced(path: Path, url: str) -> Generator[None]:
    """Keep a file with the address and the process id while the server runs."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"url": url, "pid": os.getpid()}, file)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        if error.errno != errno.ENOSPC:
            raise
        logger.warning("no space left for %s; commands find this server by the lock of the database", path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
