"""The transport and the peer of a session, noted by the functions that open one.

They are kept by the stream that the session writes to.
"""

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import TracebackType
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from inspector.integrations.calls import safely
from inspector.integrations.mcp.nowhere import leads_nowhere, nowhere
from inspector.integrations.mcp.stderr import ServerStderr, of_server, remember
from inspector.integrations.patches import Patches, Wrapper
from inspector.integrations.tracebacks import unseen
from inspector.integrations.within import decorated

_OPENERS = (
    ("mcp.client.stdio", ("stdio_client",), "stdio"),
    # The second is a deprecated name for the first, and calls it if both exist.
    ("mcp.client.streamable_http", ("streamable_http_client", "streamablehttp_client"), "http"),
    ("mcp.client.sse", ("sse_client",), "sse"),
    ("mcp.server.stdio", ("stdio_server",), "stdio"),
    ("mcp.shared.memory", ("create_client_server_memory_streams",), "memory"),
)
_METHODS = (
    ("mcp.server.sse", "SseServerTransport", "connect_sse", "sse"),
    ("mcp.server.streamable_http", "StreamableHTTPServerTransport", "connect", "http"),
)


@dataclass(frozen=True, slots=True)
class Route:
    """How a session reaches the other side."""

    transport: str | None
    """Named as in the hook contract; None if it was opened in another way."""
    server: str | list[str] | None = None
    """The server's URL, or the command that starts it; None in the server itself, or if the command runs in another
    directory."""


Open: TypeAlias = Callable[..., AbstractAsyncContextManager[Any]]
Unopened: TypeAlias = Callable[[Route, Exception], None]
"""Called with what a client could not reach, and why."""
UNKNOWN = Route(None)
_known: WeakKeyDictionary[Any, Route] = WeakKeyDictionary()


def note_transports(patches: Patches, unopened: Unopened) -> None:
    """Note the streams of every transport that is opened from now on.

    Args:
        patches: Where to patch.
        unopened: Told of each that a client could not open.
    """
    replaced: dict[int, tuple[str, Callable[..., Any], bool]] = {}
    for module, names, transport in _OPENERS:
        imported = import_module(module)
        name = next((name for name in names if hasattr(imported, name)), names[0])
        original = getattr(imported, name, None)
        if original is None:
            patches.wrap(imported, name, lambda opener: opener)
        else:
            replaced[id(original)] = transport, original, module.startswith("mcp.client.")
    # The SDK's own modules import them by name.
    for name, module in tuple(sys.modules.items()):
        if name == "mcp" or name.startswith("mcp."):
            for attribute, value in tuple(vars(module).items()):
                if id(value) in replaced and replaced[id(value)][1] is value:
                    transport, _, is_client = replaced[id(value)]
                    patches.wrap(module, attribute, _telling(transport, unopened if is_client else None))
    for module, owner, name, transport in _METHODS:
        patches.wrap(getattr(import_module(module), owner), name, _telling(transport))


def route_of(stream: Any) -> Route:
    """Return the route that this stream belongs to."""
    try:
        return _known.get(bare(stream), UNKNOWN)
    except TypeError:
        return UNKNOWN


def _telling(transport: str, unopened: Unopened | None = None) -> Wrapper:
    def wrapper(open_streams: Callable[..., Any]) -> Callable[..., Any]:
        def opened(*args: Any, **kwargs: Any) -> AbstractAsyncContextManager[Any]:
            route = Route(transport, safely(lambda: _server_in(args, kwargs), otherwise=None))
            make = partial(open_streams, *args, **kwargs)
            is_server = transport == "stdio" and unopened is not None
            if is_server and len(args) <= 1 and kwargs.get("errlog", sys.stderr) is sys.stderr:
                return _OpenedServer(make, route, unopened)
            return _Opened(make, route, unopened)

        return opened

    return wrapper


def _server_in(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | list[str] | None:
    """Read the address of the server from the arguments of a function that opens a transport."""
    server: Any = args[0] if args else kwargs.get("url", kwargs.get("server"))
    if isinstance(server, str):
        return server
    command = getattr(server, "command", None)
    if not isinstance(command, str) or server.cwd is not None:
        return None
    return [command, *map(str, server.args)]


class _Opened(AbstractAsyncContextManager[Any]):
    """A transport of the SDK; its streams are noted when they are opened."""

    def __init__(
        self, make: Callable[..., AbstractAsyncContextManager[Any]], route: Route, unopened: Unopened | None
    ) -> None:
        self._make = make
        self._transport = make()
        self._route = route
        self._unopened = unopened
        """None on the side of the server."""

    def __call__(self, function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        return decorated(lambda: type(self)(self._make, self._route, self._unopened), function)

    async def __aenter__(self) -> Any:
        with unseen:
            route = self._route
            if self._unopened is not None and await leads_nowhere(route.transport, route.server):
                # The 1.x SDK hands out a function for the id as well.
                is_three = route.transport == "http" and find_spec("mcp.shared.dispatcher") is None
                self._transport = nowhere(with_session_id=is_three)
                streams = await self._transport.__aenter__()
            else:
                streams = await self._try()
            _remember(streams, self._route)
            return streams

    async def _try(self) -> Any:
        try:
            return await self._open()
        except Exception as exc:
            failure, unopened = exc, self._unopened
            if unopened is not None:
                safely(lambda: unopened(self._route, failure), otherwise=None)
            raise

    async def _open(self) -> Any:
        return await self._transport.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        with unseen:
            return await self._transport.__aexit__(kind, exc, traceback)


class _OpenedServer(_Opened):
    """A server over stdio that writes to the standard error of the program."""

    _stderr: ServerStderr | None = None

    async def _open(self) -> Any:
        self._stderr = stderr = of_server(self._make)
        if stderr is None:
            return await super()._open()
        self._transport = self._make(errlog=stderr.sink)
        with stderr.sink:
            streams = await self._transport.__aenter__()
        remember(bare(streams[1]), stderr)
        return streams

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        with unseen:
            try:
                return await super().__aexit__(kind, exc, traceback)
            finally:
                if self._stderr is not None:
                    self._stderr.pass_on()


def _remember(streams: Any, route: Route) -> None:
    if not isinstance(streams, tuple):
        return
    for stream in streams:  # pyright: ignore[reportUnknownVariableType] - whatever the SDK opened
        if isinstance(stream, tuple):
            _remember(stream, route)
        elif hasattr(stream, "send"):  # pyright: ignore[reportUnknownArgumentType] - as above
            # One that cannot be referred to weakly has a transport that nobody names.
            with suppress(TypeError):
                _known[bare(stream)] = route


def bare(stream: Any) -> Any:
    """Return the stream that can be referred to weakly."""
    # The 2.x SDK wraps the stream in one that cannot be referred to weakly.
    return getattr(stream, "_inner", stream)
