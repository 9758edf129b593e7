"""How large texts rest in the database: as UTF-8, or as a zlib stream where that pays.

The first byte tells which: JSON never begins with the byte that begins a zlib stream.
"""

import zlib

COMPRESS_ABOVE_BYTES = 2048
PACKED = b"\x78"
"""What a compressed text begins with (RFC 1950: deflate with a 32 KB window)."""
_LEVEL = 1


def pack(body: bytes, *, above_bytes: int = COMPRESS_ABOVE_BYTES) -> bytes:
    """Returns the bytes to store, compressed when that saves a good part of a text of more than so many bytes."""
    if len(body) <= above_bytes:
        return body
    packed = zlib.compress(body, _LEVEL)
    return packed if len(packed) * 4 < len(body) * 3 else body


def unpack(stored: bytes) -> bytes:
    """Returns the bytes that were packed."""
    return zlib.decompress(stored) if stored[:1] == PACKED else stored
