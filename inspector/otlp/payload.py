"""Makes OTLP requests of recorded spans, in either encoding."""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from inspector import semconv
from inspector.model import AttributeValue
from inspector.otlp.decoded import Decoded, DecodedSpan
from inspector.otlp.export import key_values
from inspector.otlp.request import Encoding
from inspector.otlp.to_protobuf import to_protobuf
from inspector.parts import FIELD, Parts

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """One recorded span with its resource and scope, in OTLP/JSON."""

    resource: Json
    scope: Json
    span: Json

    @property
    def is_start(self) -> bool:
        """Whether the span has not ended; only another inspector accepts it."""
        return "endTimeUnixNano" not in self.span

    @property
    def key(self) -> tuple[str, str]:
        """The identity of the span."""
        return self.span.get("traceId", ""), self.span.get("spanId", "")


def items_of(line: bytes, parts: Parts[Any] | None = None) -> list[Item]:
    """Return the spans of one line of a spool.

    Raises:
        ValueError: The line is not a request, for example cut by a crash.
    """
    try:
        request = msgspec.json.decode(line)
        return [
            Item(group.get("resource", {}), part.get("scope", {}), span if parts is None else _whole(span, parts))
            for group in request["resourceSpans"]
            for part in group["scopeSpans"]
            for span in part["spans"]
        ]
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no OTLP/JSON request: {error}") from None


def _whole(span: Json, parts: Parts[Any]) -> Json:
    """Return a span with the texts of attributes that were written as parts."""
    pairs: list[Json] = []
    for pair in span.get("attributes", ()):
        frame = pair["value"].get(FIELD)
        text = None if frame is None else parts.text(msgspec.json.encode(frame))
        pairs.append(pair if frame is None else {**pair, "value": {"stringValue": text.text if text else ""}})
        if frame is not None and not (text and text.is_whole):
            pairs.append({"key": pair["key"] + semconv.TRUNCATED_SUFFIX, "value": {"boolValue": True}})
    return {**span, "attributes": pairs}


def items_of_spans(decoded: Decoded) -> list[Item]:
    """Return the spans of one line in OTLP/JSON; those of one origin share their resource and scope."""
    origins: dict[tuple[int, int], tuple[Json, Json]] = {}
    items: list[Item] = []
    for span in decoded.spans:
        origin = id(span.resource), id(span.scope)
        if origin not in origins:
            scope: Json = {"name": span.scope.name, "version": span.scope.version}
            origins[origin] = {"attributes": key_values(span.resource)}, scope
        items.append(Item(*origins[origin], _span_of(span)))
    return items


def _span_of(span: DecodedSpan) -> Json:
    fields: Json = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_ns),
        "attributes": key_values(span.attributes),
    }
    if span.parent_id is not None:
        fields["parentSpanId"] = span.parent_id
    if span.end_ns is not None:
        fields["endTimeUnixNano"] = str(span.end_ns)
    if span.events:
        fields["events"] = [_event_of(event) for event in span.events]
    if span.links:
        fields["links"] = [{"traceId": link["trace_id"], "spanId": link["span_id"]} for link in span.links]
    if span.status_code:
        message = {"message": span.status_message} if span.status_message else {}
        fields["status"] = {"code": span.status_code, **message}
    return fields


def _event_of(event: Mapping[str, AttributeValue]) -> Json:
    attributes = event["attributes"]
    return {
        "name": event["name"],
        "timeUnixNano": event["time_unix_nano"],
        "attributes": key_values(attributes) if isinstance(attributes, Mapping) else [],
    }


def request_of(items: Sequence[Item], encoding: Encoding) -> bytes:
    """Encode and compress one request; spans of one line share their resource and scope."""
    request = _request(items)
    body = msgspec.json.encode(request) if encoding == "json" else to_protobuf(request)
    return gzip.compress(body, compresslevel=1)


def json_of(decoded: Decoded) -> bytes:
    """Return spans as one request in JSON."""
    return msgspec.json.encode(_request(items_of_spans(decoded)))


def _request(items: Sequence[Item]) -> Json:
    groups: list[Json] = []
    last: Item | None = None
    for item in items:
        if last is None or item.resource is not last.resource or item.scope is not last.scope:
            groups.append({"resource": item.resource, "scopeSpans": [{"scope": item.scope, "spans": []}]})
        groups[-1]["scopeSpans"][0]["spans"].append(item.span)
        last = item
    return {"resourceSpans": groups}
