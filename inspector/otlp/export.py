"""Events as OTLP JSON lines, the format of OpenTelemetry's file exporter, so that importing them restores them.

Facts without an OTLP field (that a span was lost, its cost by the price list of the day) go into one attribute, which
`origin.read_exported` takes out again.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import msgspec

from inspector import semconv
from inspector.model import Event
from inspector.otlp.origin import forget_reading, take_origin
from inspector.plain import INT64

Json = dict[str, Any]

_INT32_MAX = 2**31 - 1
_LINE_BYTES = 1 << 20


def export_lines(events: Iterable[Event]) -> Iterator[bytes]:
    """Yield events, given in full, as lines of one OTLP/JSON request each, of about 1 MiB at most, with newlines."""
    spans: list[bytes] = []
    size = 0
    group: tuple[str | None, str, str] | None = None
    for event in events:
        origin, span = _encoded(event)
        if spans and (origin != group or size + len(span) > _LINE_BYTES):
            yield _line(group, spans)
            spans, size = [], 0
        group = origin
        spans.append(span)
        size += len(span)
    if spans:
        yield _line(group, spans)


def _line(group: tuple[str | None, str, str] | None, spans: list[bytes]) -> bytes:
    assert group is not None
    service, scope, version = group
    attributes = [_pair(semconv.SERVICE_NAME, service)] if service is not None else []
    head = msgspec.json.encode(
        {"resource": {"attributes": attributes}, "scopeSpans": [{"scope": {"name": scope, "version": version}}]}
    )
    inner = head.removesuffix(b"}]}")
    return b'{"resourceSpans":[' + inner + b',"spans":[' + b",".join(spans) + b"]}]}]}\n"


def _encoded(event: Event) -> tuple[tuple[str | None, str, str], bytes]:
    attributes: Json = msgspec.json.decode(event.attributes) if event.attributes else {}
    forget_reading(attributes)
    kind, scope, version = take_origin(event, attributes)
    lost = attributes.get("otel.dropped_attributes_count")
    if type(lost) is int and 0 < lost <= _INT32_MAX:
        del attributes["otel.dropped_attributes_count"]
    else:
        lost = None
    attributes[semconv.EXPORTED] = {"status": event.status, "cost_usd": event.cost_usd}
    span: Json = {
        "traceId": event.trace_id,
        "spanId": event.span_id,
        "parentSpanId": event.parent_id or "",
        "name": event.name,
        "kind": kind,
        "startTimeUnixNano": event.start_time_unix_nano,
        "attributes": key_values(attributes),
        "events": [_event(each) for each in _decoded(event.events)],
        "links": [_link(each) for each in _decoded(event.links)],
        "status": _status(event),
    }
    if lost:
        span["droppedAttributesCount"] = lost
    if event.end_time_unix_nano is not None:
        span["endTimeUnixNano"] = event.end_time_unix_nano
    return (event.service, scope, version), msgspec.json.encode(span)


def _decoded(part: Any) -> list[Json]:
    found: list[Json] = msgspec.json.decode(part) if part else []
    return found


def _status(event: Event) -> Json:
    code = semconv.CODE_ERROR if event.status == "error" else 0
    message = event.error.message if event.error else None
    return {"code": code, "message": message} if message else {"code": code}


def _event(event: Json) -> Json:
    return {
        "name": event["name"],
        "timeUnixNano": event["time_unix_nano"],
        "attributes": key_values(event["attributes"]),
    }


def _link(link: Json) -> Json:
    return {"traceId": link["trace_id"], "spanId": link["span_id"], "attributes": key_values(link["attributes"])}


def key_values(attributes: Mapping[str, Any]) -> list[Json]:
    """Return attributes as OTLP/JSON writes them."""
    return [_pair(key, value) for key, value in attributes.items()]


def _pair(key: str, value: Any) -> Json:
    return {"key": key, "value": _any_value(value)}


def _any_value(value: Any) -> Json:
    if type(value) is list:
        return {"arrayValue": {"values": [_any_value(item) for item in cast("list[Any]", value)]}}
    if type(value) is dict:
        return {"kvlistValue": {"values": key_values(cast("Json", value))}}
    return _scalar(value)


def _scalar(value: float | str | None) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int) and value in INT64:
        return {"intValue": str(value)}
    if isinstance(value, int | float):
        return {"doubleValue": value}
    return {} if value is None else {"stringValue": value}
