"""What an OTLP sender is answered, in the encoding it sent.

https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
"""

import msgspec
from starlette.responses import Response

from inspector import semconv
from inspector.api.errors import ExportFailed
from inspector.api.problems import RETRY_S
from inspector.ingest import Encoding, Receipt

MEDIA_TYPES: dict[Encoding, str] = {"protobuf": "application/x-protobuf", "json": "application/json"}

INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAVAILABLE = 3, 8, 14
"""Codes of ``google.rpc.Status`` (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto)."""
_CODES = {400: INVALID_ARGUMENT, 413: RESOURCE_EXHAUSTED, 415: INVALID_ARGUMENT, 503: UNAVAILABLE}


def failure_of(receipt: Receipt) -> ExportFailed | None:
    """Tell why all of a request was refused, or None when it was not."""
    if receipt.malformed is None:
        return None
    if receipt.too_large:
        return ExportFailed(413, f"send less at a time: {receipt.malformed}")
    return ExportFailed(400, f"not an ExportTraceServiceRequest: {receipt.malformed}")


def reasons(receipt: Receipt) -> str:
    """Say which spans were left out, by the field that was wrong."""
    return "left out: " + ", ".join(f"{count} for {field}" for field, count in sorted(receipt.rejected.items()))


def accepted(receipt: Receipt, encoding: Encoding) -> Response:
    """Answer with ``ExportTraceServiceResponse``: all was stored, or all but what is counted."""
    body = export_response(receipt) if encoding == "protobuf" else _json_response(receipt)
    headers = {semconv.TAKES_HEADER: semconv.TAKES_RUNNING}
    return Response(body, 200, headers, MEDIA_TYPES[encoding])


def export_response(receipt: Receipt) -> bytes:
    """Write ``ExportTraceServiceResponse`` in protobuf."""
    rejected = sum(receipt.rejected.values())
    if not rejected:
        return b""
    return _bytes_field(1, _number_field(1, rejected) + _bytes_field(2, reasons(receipt).encode()))


def _json_response(receipt: Receipt) -> bytes:
    rejected = sum(receipt.rejected.values())
    # 64-bit integers are texts in protobuf's JSON.
    partial = {"rejectedSpans": str(rejected), "errorMessage": reasons(receipt)}
    return msgspec.json.encode({"partialSuccess": partial} if rejected else {})


def refused(failure: ExportFailed, encoding: Encoding) -> Response:
    """Answer with ``google.rpc.Status``."""
    code = _CODES[failure.status]
    if encoding == "json":
        body = msgspec.json.encode({"code": code, "message": str(failure)})
    else:
        body = _number_field(1, code) + _bytes_field(2, str(failure).encode())
    headers = {"Retry-After": RETRY_S} if failure.status == 503 else None
    return Response(body, failure.status, headers, MEDIA_TYPES[encoding])


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
