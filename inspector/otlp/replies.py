"""The bodies of answers to OTLP senders, in the encoding that they sent.

https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from inspector.otlp.request import MEDIA_TYPES, Encoding

INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAVAILABLE = 3, 8, 14
"""Codes of ``google.rpc.Status`` (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto)."""
_LONGEST_REASON = 200
_CODES: Final = {400: INVALID_ARGUMENT, 413: RESOURCE_EXHAUSTED, 415: INVALID_ARGUMENT, 503: UNAVAILABLE}


def export_response(rejected: Mapping[str, int], encoding: Encoding) -> bytes:
    """Write ``ExportTraceServiceResponse``.

    Args:
        rejected: Spans left out, counted by the field that was wrong.
        encoding: That of the request.
    """
    count = sum(rejected.values())
    if encoding == "json":
        # 64-bit integers are texts in protobuf's JSON.
        partial = {"rejectedSpans": str(count), "errorMessage": _reasons(rejected)}
        return msgspec.json.encode({"partialSuccess": partial} if count else {})
    if not count:
        return b""
    return _bytes_field(1, _number_field(1, count) + _bytes_field(2, _reasons(rejected).encode()))


def _reasons(rejected: Mapping[str, int]) -> str:
    return "left out: " + ", ".join(f"{count} for {field}" for field, count in sorted(rejected.items()))


def partial_success(media_type: str, body: bytes) -> tuple[int, str]:
    """Read how many spans an ``ExportTraceServiceResponse`` says were left out, and why.

    Raises:
        Exception: Whatever a body that is none has the libraries raise.
    """
    if not body:
        return 0, ""
    if media_type == MEDIA_TYPES["json"]:
        partial: Any = msgspec.json.decode(body).get("partialSuccess") or {}
        return int(partial.get("rejectedSpans") or 0), str(partial.get("errorMessage") or "")[:_LONGEST_REASON]
    if media_type == MEDIA_TYPES["protobuf"]:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

        message = ExportTraceServiceResponse.FromString(body).partial_success
        return message.rejected_spans, message.error_message[:_LONGEST_REASON]
    return 0, ""


def error_status(http_status: int, message: str, encoding: Encoding) -> bytes:
    """Write ``google.rpc.Status``.

    Args:
        http_status: 400, 413, 415 or 503.
        message: What was wrong and how to put it right.
        encoding: That of the request.
    """
    code = _CODES[http_status]
    if encoding == "json":
        return msgspec.json.encode({"code": code, "message": message})
    return _number_field(1, code) + _bytes_field(2, message.encode())


def _number_field(field: int, number: int) -> bytes:
    return bytes((field << 3,)) + _varint(number)


def _bytes_field(field: int, content: bytes) -> bytes:
    return bytes((field << 3 | 2,)) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)
