"""How large texts rest in the database: as UTF-8, or as a zlib stream where that pays.

The first byte tells which: JSON never begins with the byte that begins a zlib stream.
"""

import zlib

from inspector.store.values.dictionary import SPANS

COMPRESS_ABOVE_BYTES = 2048
PACKED = b"\x78"
"""What a compressed text begins with (RFC 1950: deflate with a 32 KB window)."""
_LEVEL = 4
"""On texts of 2 KB it takes a quarter longer than the first, and leaves 5 % less."""
_BEGUN = zlib.compressobj(level=6, memLevel=6, zdict=SPANS)
"""Has read the dictionary; a copy with little memory takes as long as a stream without any, at a third of the size."""
_SHORT_BYTES = 4096
_BEGUN_SHORT = zlib.compressobj(level=4, wbits=13, memLevel=6, zdict=SPANS)
"""The same for short bodies, which need no more of a window than the dictionary: a third less to copy and to search."""
_HEADER = b"\x78\xbb"
"""Says that a window of 32 KB is enough, whatever was needed: all that is stored so begins alike."""
_HAS_DICTIONARY = 0x20
"""In the second byte (RFC 1950)."""


def pack(body: bytes, *, above_bytes: int = COMPRESS_ABOVE_BYTES) -> bytes:
    """Returns the bytes to store, compressed when that saves a good part of a text of more than so many bytes."""
    if len(body) <= above_bytes:
        return body
    return _shorter(zlib.compress(body, _LEVEL), body)


def pack_attributes(body: bytes, *, above_bytes: int) -> bytes:
    """Returns the bytes to store, as `pack` does, of what has much in common with other spans."""
    if len(body) <= above_bytes:
        return body
    if len(body) > _SHORT_BYTES:
        stream = _BEGUN.copy()
        return _shorter(stream.compress(body) + stream.flush(), body)
    stream = _BEGUN_SHORT.copy()
    return _shorter(_HEADER + (stream.compress(body) + stream.flush())[2:], body)


def unpack(stored: bytes) -> bytes:
    """Returns the bytes that were packed.

    Raises:
        zlib.error: They are damaged.
    """
    if stored[:1] != PACKED:
        return stored
    if not stored[1:2] or not stored[1] & _HAS_DICTIONARY:
        return zlib.decompress(stored)
    stream = zlib.decompressobj(zdict=SPANS)
    body = stream.decompress(stored)
    if not stream.eof:
        raise zlib.error("it ends too early")
    return body


def _shorter(packed: bytes, body: bytes) -> bytes:
    return packed if len(packed) * 4 < len(body) * 3 else body
