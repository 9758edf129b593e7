"""The bodies of answers to OTLP senders, in the encoding of the request.

https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from inspector.otlp.request import MEDIA_TYPES, Encoding, Signal
from inspector.otlp.wire import LENGTH, VARINT, WireError, bytes_field, fields, number_field, signed, varint

INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAVAILABLE = 3, 8, 14
"""Codes of ``google.rpc.Status`` (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto)."""
_LONGEST_REASON = 200
_REJECTED: Final[dict[Signal, str]] = {
    "traces": "rejectedSpans",
    "metrics": "rejectedDataPoints",
    "logs": "rejectedLogRecords",
}
_CODES: Final = {400: INVALID_ARGUMENT, 413: RESOURCE_EXHAUSTED, 415: INVALID_ARGUMENT, 503: UNAVAILABLE}


def export_response(rejected: Mapping[str, int], encoding: Encoding, signal: Signal) -> bytes:
    """Write the response to a request of a signal, such as ``ExportTraceServiceResponse``."""
    count = sum(rejected.values())
    if encoding == "json":
        # 64-bit integers are texts in protobuf's JSON.
        partial = {_REJECTED[signal]: str(count), "errorMessage": _reasons(rejected)}
        return msgspec.json.encode({"partialSuccess": partial} if count else {})
    if not count:
        return b""
    return bytes_field(1, number_field(1, count) + bytes_field(2, _reasons(rejected).encode()))


def _reasons(rejected: Mapping[str, int]) -> str:
    return "left out: " + ", ".join(f"{count} for {field}" for field, count in sorted(rejected.items()))


def come_again(message: str, after_s: int) -> bytes:
    """Write a ``google.rpc.Status`` that asks a gRPC sender to retry after some seconds.

    https://opentelemetry.io/docs/specs/otlp/#otlpgrpc-throttling
    """
    retry_info = bytes_field(1, number_field(1, after_s))
    detail = bytes_field(1, b"type.googleapis.com/google.rpc.RetryInfo") + bytes_field(2, retry_info)
    return number_field(1, UNAVAILABLE) + bytes_field(2, message.encode()) + bytes_field(3, detail)


def partial_success(media_type: str, body: bytes) -> tuple[int, str]:
    """Read from an ``ExportTraceServiceResponse`` how many spans were rejected, and why; none if it is unreadable."""
    rejected, reason = _partial_success(media_type, body)
    return max(0, rejected), reason[:_LONGEST_REASON]


def _partial_success(media_type: str, body: bytes) -> tuple[int, str]:
    try:
        if media_type == MEDIA_TYPES["json"] and body:
            partial: Any = msgspec.json.decode(body).get("partialSuccess") or {}
            return int(partial.get("rejectedSpans") or 0), str(partial.get("errorMessage") or "")
        if media_type == MEDIA_TYPES["protobuf"]:
            return _partial_success_of(body)
    except (WireError, msgspec.MsgspecError, ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        pass
    return 0, ""


def _partial_success_of(body: bytes) -> tuple[int, str]:
    rejected, reason = 0, ""
    for field, kind, start, stop in fields(body, 0, len(body)):
        if (field, kind) != (1, LENGTH):
            continue
        for number, kind_of, begin, end in fields(body, start, stop):
            if (number, kind_of) == (1, VARINT):
                rejected = signed(varint(body, begin, end)[0])
            elif (number, kind_of) == (2, LENGTH):
                reason = body[begin:end].decode("utf-8", "replace")
    return rejected, reason


def error_status(http_status: int, message: str, encoding: Encoding) -> bytes:
    """Write ``google.rpc.Status``."""
    code = _CODES[http_status]
    if encoding == "json":
        return msgspec.json.encode({"code": code, "message": message})
    return number_field(1, code) + bytes_field(2, message.encode())
