"""The encoding of large texts in the database: UTF-8, or a zstd frame if that is enough shorter.

The first byte shows which, since no JSON begins with these bytes. Frames of schema 0018 were compressed without entropy
tables; before that, texts were zlib streams.
"""

import threading
import zlib
from functools import lru_cache

import zstandard

from inspector.store.values.dictionary import SPANS, TABLES

COMPRESS_ABOVE_BYTES = 64
"""Compressing shorter texts saves next to nothing."""
FRAME = b"\x04"
"""The first byte of a compressed text, in place of the four that begin every zstd frame (RFC 8878)."""
_FRAME_OF_0018 = b"\x03"
"""The same for frames without entropy tables."""
PLAIN = b"{"
"""The first byte of attributes that are not compressed."""
_MAGIC = zstandard.FRAME_HEADER
_STREAM = b"\x78"
"""The first byte of a stream of earlier versions (RFC 1950: deflate with a 32 KB window)."""
_HAS_DICTIONARY = 0x20
"""In the second byte of such a stream (RFC 1950)."""
_LEVEL = 3
"""A text of 500 bytes takes 5 µs; level 5 takes three times as long for 4 to 11 % fewer bytes."""
_PARAMETERS = zstandard.ZstdCompressionParameters(
    compression_level=_LEVEL, min_match=5, write_dict_id=False, write_content_size=True
)
"""Repetitions shorter than five bytes cost more than they save, in words as in JSON: long texts take 6 % less so."""
_DICTIONARY = zstandard.ZstdCompressionDict(TABLES + SPANS, dict_type=zstandard.DICT_TYPE_FULLDICT)
_DICTIONARY_OF_0018 = zstandard.ZstdCompressionDict(SPANS, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


class Unreadable(ValueError):
    """A stored text is damaged."""


class _Coders(threading.local):
    """The compressor and the decompressors of each thread, since they are not thread-safe."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(dict_data=_DICTIONARY, compression_params=_PARAMETERS).compress
        self.decompress = zstandard.ZstdDecompressor(dict_data=_DICTIONARY).decompress
        self.decompress_0018 = zstandard.ZstdDecompressor(dict_data=_DICTIONARY_OF_0018).decompress


_CODERS = _Coders()


def pack(body: bytes) -> bytes:
    """Return the bytes to store: a text that is long enough is compressed if that saves a quarter."""
    if len(body) <= COMPRESS_ABOVE_BYTES:
        return body
    frame = _CODERS.compress(body)
    return FRAME + frame[len(_MAGIC) :] if len(frame) * 4 < len(body) * 3 else body


def pack_text(text: str | None) -> str | bytes | None:
    """Return what to store of a text, as `pack` does, for `unpack_text`."""
    return None if text is None else _packed_text(text)


# Each batch stores the totals of its traces again, and their texts hardly ever change.
@lru_cache(maxsize=1_024)
def _packed_text(text: str) -> str | bytes:
    body = text.encode()
    packed = pack(body)
    return text if packed is body else packed


def unpack_text(stored: str | bytes | None) -> str | None:
    """Return the text that was packed.

    Raises:
        Unreadable: It is damaged.
    """
    return unpack(stored).decode() if isinstance(stored, bytes) else stored


def unpack(stored: bytes) -> bytes:
    """Return the original bytes.

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
