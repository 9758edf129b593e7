"""Which transport a session speaks over: told by the functions that open one, remembered by the stream it writes to."""

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import Any
from weakref import WeakKeyDictionary

from inspector.integrations.patches import Patches
from inspector.integrations.tracebacks import unseen
from inspector.integrations.within import Make, decorated

_OPENERS = (
    ("mcp.client.stdio", ("stdio_client",), "stdio"),
    # The second is a deprecated name for the first, which it calls where there are both.
    ("mcp.client.streamable_http", ("streamable_http_client", "streamablehttp_client"), "http"),
    ("mcp.client.sse", ("sse_client",), "sse"),
    ("mcp.server.stdio", ("stdio_server",), "stdio"),
    ("mcp.shared.memory", ("create_client_server_memory_streams",), "memory"),
)
_METHODS = (
    ("mcp.server.sse", "SseServerTransport", "connect_sse", "sse"),
    ("mcp.server.streamable_http", "StreamableHTTPServerTransport", "connect", "http"),
)

_known: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def tell_transports(patches: Patches) -> None:
    """Have every transport that is opened from now on be known by its streams."""
    replaced: dict[int, tuple[str, Callable[..., Any]]] = {}
    for module, names, transport in _OPENERS:
        found = import_module(module)
        name = next((name for name in names if hasattr(found, name)), names[0])
        original = getattr(found, name, None)
        if original is None:
            patches.wrap(found, name, lambda opener: opener)
        else:
            replaced[id(original)] = transport, original
    # The SDK's own modules have imported them by name.
    for name, module in tuple(sys.modules.items()):
        if name == "mcp" or name.startswith("mcp."):
            for attribute, value in tuple(vars(module).items()):
                if id(value) in replaced and replaced[id(value)][1] is value:
                    patches.wrap(module, attribute, _telling(replaced[id(value)][0]))
    for module, owner, name, transport in _METHODS:
        patches.wrap(getattr(import_module(module), owner), name, _telling(transport))


def transport_of(stream: Any) -> str | None:
    """Return the transport that is written to by this stream, or None when it was opened by other means."""
    try:
        return _known.get(_bare(stream))
    except TypeError:
        return None


def _telling(transport: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def wrapper(open_streams: Callable[..., Any]) -> Callable[..., Any]:
        def opened(*args: Any, **kwargs: Any) -> AbstractAsyncContextManager[Any]:
            return _Opened(partial(open_streams, *args, **kwargs), transport)

        return opened

    return wrapper


class _Opened(AbstractAsyncContextManager[Any]):
    """A transport of the SDK's, whose streams are remembered as they are opened."""

    def __init__(self, make: Make, name: str) -> None:
        self._make = make
        self._transport = make()
        self._name = name

    def __call__(self, function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        return decorated(lambda: _Opened(self._make, self._name), function)

    async def __aenter__(self) -> Any:
        with unseen:
            streams = await self._transport.__aenter__()
            _remember(streams, self._name)
            return streams

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        with unseen:
            return await self._transport.__aexit__(kind, exc, traceback)


def _remember(streams: Any, transport: str) -> None:
    if not isinstance(streams, tuple):
        return
    for stream in streams:  # pyright: ignore[reportUnknownVariableType] - whatever the SDK opened
        if isinstance(stream, tuple):
            _remember(stream, transport)
        elif hasattr(stream, "send"):  # pyright: ignore[reportUnknownArgumentType] - as above
            # One that cannot be referred to weakly has a transport that nobody names.
            with suppress(TypeError):
                _known[_bare(stream)] = transport


def _bare(stream: Any) -> Any:
    # The 2.x SDK wraps the stream in one that cannot be referred to weakly.
    return getattr(stream, "_inner", stream)
