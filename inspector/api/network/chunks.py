"""Chunks written straight to a connection: an extension of ASGI that only our own server offers.

A chunk is encoded once and goes to a thousand connections. ``send`` would pass every layer and encode it for each.
"""

from collections.abc import Callable

from starlette.types import Scope

WRITE_CHUNK = "inspector.write_chunk"
"""The key in ``scope["extensions"]`` whose value is a `WriteChunk`."""

WriteChunk = Callable[[bytes], bool]
"""Writes a chunk from `coded` to an answer without a length, between two that ``send`` wrote.

It returns whether it did: it does not if the client has yet to take what was written before, or has disconnected. It
never waits, and is called from the thread of the event loop, only while the answer is being sent.
"""


def write_chunk(scope: Scope) -> WriteChunk | None:
    """Return the extension of the server of a request, or None."""
    return scope.get("extensions", {}).get(WRITE_CHUNK)


def coded(part: bytes) -> bytes:
    """Encode a chunk, which is not empty, in the chunked transfer coding (RFC 9112, 7.1)."""
    return b"%x\r\n%b\r\n" % (len(part), part)
