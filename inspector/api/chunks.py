"""Chunks written straight to a connection: an extension of ASGI that only our own server offers.

A chunk is encoded once and goes to a thousand connections. ``send`` would pass every layer and encode it for each.
"""

from collections.abc import Callable

from starlette.types import Scope

WRITE_CHUNK = "inspector.write_chunk"
"""The key below ``scope["extensions"]``, whose value is a `WriteChunk`."""

WriteChunk = Callable[[bytes], bool]
"""Writes a part that `coded` made, between two parts of an answer without a length that ``send`` wrote.

It tells whether it did: not where the client has yet to take what was written before, or has gone. It never waits, and
is called from the thread of the event loop, only while the answer goes on.
"""


def write_chunk(scope: Scope) -> WriteChunk | None:
    """The extension of a request's server, or None where there is none."""
    return scope.get("extensions", {}).get(WRITE_CHUNK)


def coded(part: bytes) -> bytes:
    """Put a part, which is not empty, into the chunked coding (RFC 9112, 7.1)."""
    return b"%x\r\n%b\r\n" % (len(part), part)
