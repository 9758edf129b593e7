"""Why a server cannot be reached over streamable HTTP, which the SDK tells nobody who waits for an answer.

A request that cannot be sent, and with the 1.x SDK one that is answered with an HTTP error, ends its connection, which
cancels what waits for it. The 2.x SDK makes one and the same error of most HTTP statuses.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from inspector.integrations.calls import safely
from inspector.integrations.mcp.places import wrap
from inspector.integrations.mcp.requests import broke, noted_here, unheard_here
from inspector.integrations.mcp.transports import bare
from inspector.integrations.patches import Patches, wrapping

_MODULE = "mcp.client.streamable_http"
_LEAST_ERROR, _LEAST_SERVER_ERROR = 400, 500
_REFUSALS = frozenset((401, 403, 407))
"""The statuses that no server of an earlier revision has for a request that it does not know."""

_written: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""The stream that a session writes to, by the transport that reads it."""


def note_failures(patches: Patches) -> None:
    """Note in the requests of clients why their connection broke, or which error their server's HTTP side returned."""
    wrap(patches, _MODULE, "StreamableHTTPTransport.post_writer", _write)
    wrap(patches, _MODULE, "StreamableHTTPTransport._handle_post_request", _post)
    # Versions before 1.28 do not have it.
    if hasattr(import_module(_MODULE), "stream_within_origin"):
        wrap(patches, _MODULE, "stream_within_origin", _streaming)


@wrapping
async def _write(original: Any, self: Any, client: Any, reader: Any, writer: Any, stream: Any, *more: Any) -> None:
    _written[self] = bare(stream)
    await original(self, client, reader, writer, stream, *more)


@wrapping
async def _post(original: Any, self: Any, ctx: Any) -> None:
    try:
        await original(self, ctx)
    except Exception as exc:
        failure = exc
        safely(lambda: broke(_written.get(self), failure), None)
        raise


def _streaming(original: Callable[..., Any]) -> Callable[..., AbstractAsyncContextManager[Any]]:
    @asynccontextmanager
    async def stream(*args: Any, **kwargs: Any) -> AsyncGenerator[Any]:
        async with original(*args, **kwargs) as response:
            safely(lambda: _note(response), None)
            yield response

    return stream


def _note(response: Any) -> None:
    if response.status_code >= _LEAST_ERROR:
        challenge = response.headers.get("www-authenticate")
        wanted = "" if challenge is None else f", which asks for: {challenge}"
        if response.status_code in _REFUSALS or response.status_code >= _LEAST_SERVER_ERROR:
            unheard_here()
        noted_here(f"the server answered with HTTP {response.status_code} {response.reason_phrase}{wanted}")
