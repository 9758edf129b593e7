"""An OTLP request as it arrives: possibly compressed, in one of two encodings, and never larger than allowed."""

import zlib
from typing import Final, Literal

from inspector.otlp.decoded import Decoded
from inspector.otlp.from_json import decode
from inspector.otlp.from_protobuf import decode_protobuf

MOST_BYTES = 64 << 20
"""Bytes of a request, before and after it is unpacked."""
MOST_MEMBERS = 1_000
"""Parts that a gzip stream may be joined from; each can be empty, and costs time all the same."""

Encoding = Literal["protobuf", "json"]
MEDIA_TYPES: Final[dict[Encoding, str]] = {"protobuf": "application/x-protobuf", "json": "application/json"}

_GZIP = 16 + zlib.MAX_WBITS
"""Makes zlib expect the header and check sum of gzip."""


def decode_request(body: bytes, encoding: Encoding, *, gzipped: bool = False) -> Decoded:
    """Decode what a sender sent; any bytes are answered, none raises."""
    if gzipped:
        try:
            body = _unpacked(body)
        except _TooLarge:
            return Decoded(malformed=f"more than {MOST_BYTES:,} bytes when unpacked", too_large=True)
        except zlib.error as error:
            return Decoded(malformed=f"not gzip: {error}"[:200])
    return decode(body) if encoding == "json" else decode_protobuf(body)


class _TooLarge(Exception):
    """What was packed is larger than a request may be."""


def _unpacked(packed: bytes) -> bytes:
    """Unpack every member of a gzip stream, never making more than a request may have.

    Raises:
        _TooLarge: There is more.
        zlib.error: It is cut off, damaged, or something else stands behind it.
    """
    parts: list[bytes] = []
    left = MOST_BYTES
    for _ in range(MOST_MEMBERS):
        stream = zlib.decompressobj(_GZIP)
        part = stream.decompress(packed, left + 1)
        left -= len(part)
        if left < 0:
            raise _TooLarge
        if not stream.eof:
            raise zlib.error("it ends too early")
        parts.append(part)
        packed = stream.unused_data
        if not packed:
            return b"".join(parts) if len(parts) > 1 else part
    raise _TooLarge
