"""Converts OTLP requests from JSON to protobuf.

It does not use the published classes, so that a program that forwards its recordings needs only the extra ``record``.
The tables are the messages of OpenTelemetry's definition, with the JSON names of their fields
(https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto).
"""

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from inspector.otlp.wire import bytes_field, double_field, fixed_field, number_field

Json: TypeAlias = Mapping[str, Any]
_Write: TypeAlias = Callable[[int, Any], bytes]
_Message: TypeAlias = Mapping[str, tuple[int, _Write]]


def to_protobuf(request: Json) -> bytes:
    """Encode one ``ExportTraceServiceRequest``; fields that OTLP does not have are left out.

    Raises:
        ValueError: A field does not have its type.
        TypeError: As above.
        AttributeError: As above.
    """
    return _message(_REQUEST, request)


def _message(fields: _Message, values: Json) -> bytes:
    parts: list[bytes] = []
    for name, value in values.items():
        field = fields.get(name)
        if field is not None and value is not None:
            number, write = field
            parts.append(write(number, value))
    return b"".join(parts)


def _text(number: int, value: str) -> bytes:
    return bytes_field(number, value.encode("utf-8", "replace"))


def _id(number: int, value: str) -> bytes:
    # OTLP's JSON has ids in hexadecimal, and other bytes in base64.
    return bytes_field(number, bytes.fromhex(value))


def _base64(number: int, value: str) -> bytes:
    return bytes_field(number, b64decode(value))


def _number(number: int, value: int | str) -> bytes:
    return number_field(number, int(value))


def _time(number: int, value: int | str) -> bytes:
    return fixed_field(number, int(value))


def _double(number: int, value: float | str) -> bytes:
    return double_field(number, float(value))


def _one(fields: _Message) -> _Write:
    return lambda number, value: bytes_field(number, _message(fields, value))


def _many(fields: _Message) -> _Write:
    def write(number: int, values: Sequence[Json]) -> bytes:
        return b"".join([bytes_field(number, _message(fields, each)) for each in values])

    return write


_VALUE: dict[str, tuple[int, _Write]] = {
    "stringValue": (1, _text),
    "boolValue": (2, _number),
    "intValue": (3, _number),
    "doubleValue": (4, _double),
    "bytesValue": (7, _base64),
}
_PAIR: _Message = {"key": (1, _text), "value": (2, _one(_VALUE))}
# Values are recursive.
_VALUE["arrayValue"] = (5, _one({"values": (1, _many(_VALUE))}))
_VALUE["kvlistValue"] = (6, _one({"values": (1, _many(_PAIR))}))
_EVENT: _Message = {
    "timeUnixNano": (1, _time),
    "name": (2, _text),
    "attributes": (3, _many(_PAIR)),
    "droppedAttributesCount": (4, _number),
}
_LINK: _Message = {
    "traceId": (1, _id),
    "spanId": (2, _id),
    "traceState": (3, _text),
    "attributes": (4, _many(_PAIR)),
    "droppedAttributesCount": (5, _number),
}
_STATUS: _Message = {"message": (2, _text), "code": (3, _number)}
_SPAN: _Message = {
    "traceId": (1, _id),
    "spanId": (2, _id),
    "traceState": (3, _text),
    "parentSpanId": (4, _id),
    "name": (5, _text),
    "kind": (6, _number),
    "startTimeUnixNano": (7, _time),
    "endTimeUnixNano": (8, _time),
    "attributes": (9, _many(_PAIR)),
    "droppedAttributesCount": (10, _number),
    "events": (11, _many(_EVENT)),
    "droppedEventsCount": (12, _number),
    "links": (13, _many(_LINK)),
    "droppedLinksCount": (14, _number),
    "status": (15, _one(_STATUS)),
}
_RESOURCE: _Message = {"attributes": (1, _many(_PAIR)), "droppedAttributesCount": (2, _number)}
_SCOPE: _Message = {"name": (1, _text), "version": (2, _text), "attributes": (3, _many(_PAIR))}
_SCOPE_SPANS: _Message = {"scope": (1, _one(_SCOPE)), "spans": (2, _many(_SPAN)), "schemaUrl": (3, _text)}
_RESOURCE_SPANS: _Message = {
    "resource": (1, _one(_RESOURCE)),
    "scopeSpans": (2, _many(_SCOPE_SPANS)),
    "schemaUrl": (3, _text),
}
_REQUEST: _Message = {"resourceSpans": (1, _many(_RESOURCE_SPANS))}
