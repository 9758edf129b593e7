"""How large texts rest in the database: as UTF-8, or as a frame of zstd where that pays.

The first byte tells which, and no JSON begins with one of these: in the schema 0018 frames had no tables, and before it
there were zlib streams instead.
"""

import threading
import zlib

import zstandard

from inspector.store.values.dictionary import SPANS, TABLES

COMPRESS_ABOVE_BYTES = 64
"""What is shorter saves less than a page of the database would show."""
FRAME = b"\x04"
"""What a compressed text begins with, in the place of the four bytes that begin every frame (RFC 8878)."""
_FRAME_OF_0018 = b"\x03"
"""The same without the tables."""
PLAIN = b"{"
"""What attributes begin with that are not compressed."""
_MAGIC = zstandard.FRAME_HEADER
_STREAM = b"\x78"
"""What one of earlier versions begins with (RFC 1950: deflate with a 32 KB window)."""
_HAS_DICTIONARY = 0x20
"""In the second byte of such a stream (RFC 1950)."""
_LEVEL = 3
"""A text of 500 bytes takes 5 µs; the fifth level takes three times as long and leaves 4 to 11 % less."""
_DICTIONARY = zstandard.ZstdCompressionDict(TABLES + SPANS, dict_type=zstandard.DICT_TYPE_FULLDICT)
_DICTIONARY_OF_0018 = zstandard.ZstdCompressionDict(SPANS, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


class Unreadable(ValueError):
    """A stored text is damaged."""


class _Coders(threading.local):
    """A compressor and the decompressors of each thread: none may be used by two at once."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(_LEVEL, dict_data=_DICTIONARY, write_dict_id=False).compress
        self.decompress = zstandard.ZstdDecompressor(dict_data=_DICTIONARY).decompress
        self.decompress_0018 = zstandard.ZstdDecompressor(dict_data=_DICTIONARY_OF_0018).decompress


_CODERS = _Coders()


def pack(body: bytes, *, above_bytes: int = COMPRESS_ABOVE_BYTES) -> bytes:
    """Returns the bytes to store, compressed when that saves a good part of a text of more than so many bytes."""
    if len(body) <= above_bytes:
        return body
    frame = _CODERS.compress(body)
    return FRAME + frame[len(_MAGIC) :] if len(frame) * 4 < len(body) * 3 else body


def unpack(stored: bytes) -> bytes:
    """Returns the bytes that were packed.

    Raises:
        Unreadable: They are damaged.
    """
    begin = stored[:1]
    try:
        if begin == FRAME:
            return _CODERS.decompress(_MAGIC + stored[1:])
        if begin == _FRAME_OF_0018:
            return _CODERS.decompress_0018(_MAGIC + stored[1:])
        return _unpack_stream(stored) if begin == _STREAM else stored
    except (zstandard.ZstdError, zlib.error) as error:
        raise Unreadable(str(error)) from error


def _unpack_stream(stored: bytes) -> bytes:
    if not stored[1:2] or not stored[1] & _HAS_DICTIONARY:
        return zlib.decompress(stored)
    stream = zlib.decompressobj(zdict=SPANS)
    body = stream.decompress(stored)
    if not stream.eof:
        raise zlib.error("it ends too early")
    return body
