"""An OTLP request as it arrives: possibly compressed, in one of two encodings, and never larger than allowed."""

import zlib
from io import BytesIO
from typing import Final, Literal

from inspector.otlp.decoded import Decoded
from inspector.otlp.from_json import decode_in_parts
from inspector.otlp.from_protobuf import decode_protobuf
from inspector.otlp.logs import logs_from_json, logs_from_protobuf
from inspector.otlp.metrics import left_out_of_json, left_out_of_protobuf

MOST_BYTES = 64 << 20
"""Maximum bytes of a request, before and after decompression."""
MOST_MEMBERS = 1_000
"""Maximum members of a gzip stream; even an empty one costs time."""

Encoding = Literal["protobuf", "json"]
MEDIA_TYPES: Final[dict[Encoding, str]] = {"protobuf": "application/x-protobuf", "json": "application/json"}
Signal = Literal["traces", "metrics", "logs"]
"""What a request carries."""

_UNPACKED_AT_ONCE = 256 << 10
"""Bytes of a compressed request."""
_GZIP = 16 + zlib.MAX_WBITS
"""Makes zlib expect the header and check sum of gzip."""


def decode_request(body: bytes, encoding: Encoding, *, gzipped: bool = False, signal: Signal = "traces") -> Decoded:
    """Decode a request; never raises, whatever the bytes. Of metrics, all data points are left out."""
    if gzipped:
        try:
            body = _unpacked(body)
        except _TooLarge:
            return Decoded(malformed=f"more than {MOST_BYTES:,} bytes when unpacked", too_large=True)
        except zlib.error as error:
            return Decoded(malformed=f"not gzip: {error}"[:200])
    if signal == "metrics":
        return left_out_of_json(body) if encoding == "json" else left_out_of_protobuf(body)
    if signal == "logs":
        return logs_from_json(body) if encoding == "json" else logs_from_protobuf(body)
    return decode_in_parts(body) if encoding == "json" else decode_protobuf(body)


class _TooLarge(Exception):
    """The decompressed request is too large."""


def _unpacked(packed: bytes) -> bytes:
    """Decompress every member of a gzip stream, up to the maximum size of a request.

    Raises:
        _TooLarge: There is more.
        zlib.error: It is cut off, damaged, or followed by something else.
    """
    # As it comes, since zlib by itself would hold all of a large one twice.
    whole, rest = BytesIO(), memoryview(packed)
    left = MOST_BYTES
    for _ in range(MOST_MEMBERS):
        stream = zlib.decompressobj(_GZIP)
        while rest and not stream.eof:
            some = stream.decompress(rest[:_UNPACKED_AT_ONCE], left + 1)
            left -= whole.write(some)
            if left < 0:
                raise _TooLarge
            rest = rest[min(len(rest), _UNPACKED_AT_ONCE) - len(stream.unused_data) :]
        if not stream.eof:
            raise zlib.error("it ends too early")
        if not rest:
            return whole.getvalue()
    raise _TooLarge
