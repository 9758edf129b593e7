"""Spans of the OpenTelemetry API as OTLP JSON: as they were told, less their secrets."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from opentelemetry import trace

from inspector.record.content import is_content
from inspector.record.native import NativeSpan, Scope
from inspector.record.otlp import Attribute, encode, events_of, key_values
from inspector.record.plain import Cut, Plain
from inspector.record.spans import State
from inspector.record.texts import Texts

_STATUS: Final = {trace.StatusCode.UNSET: 0, trace.StatusCode.OK: 1, trace.StatusCode.ERROR: 2}


def scope_of(scope: Scope) -> dict[str, Any]:
    """Return an instrumentation scope as an OTLP JSON object."""
    found: dict[str, Any] = {"name": scope.name}
    if scope.version:
        found["version"] = scope.version
    if scope.attributes:
        found["attributes"] = key_values((key, value) for key, value in scope.attributes if isinstance(value, _SCALARS))
    return found


_SCALARS = (str, bool, int, float)


def encode_native(span: NativeSpan, state: State, texts: Texts) -> bytes:
    """Return one span, as it stands, as an OTLP JSON object; one that still runs has no end time."""
    found: dict[str, Any] = {"traceId": f"{span.trace_id:032x}", "spanId": f"{span.span_id:016x}"}
    if span.traced.trace_state:
        found["traceState"] = span.traced.trace_state.to_header()
    if span.parent_id is not None:
        found["parentSpanId"] = f"{span.parent_id:016x}"
    found |= {
        "name": texts.redacted("name", span.name),
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_ns),
    }
    if state != "running":
        found["endTimeUnixNano"] = str(span.stop_ns)
    attributes = dict(attributes_of(span.attributes, texts))
    if span.session_id is not None:
        attributes.setdefault("session.id", span.session_id)
    found["attributes"] = key_values(attributes.items())
    if span.events:
        found["events"] = events_of(span, texts)
    if span.linked:
        found["links"] = [_link(context, attributes, texts) for context, attributes in tuple(span.linked)]
    code = _STATUS[span.status]
    if code:
        message = {"message": texts.redacted("status", span.message)} if span.message else {}
        found["status"] = {"code": code, **message}
    return encode(found)


def attributes_of(told: Mapping[str, Plain], texts: Texts) -> Iterator[tuple[str, Attribute]]:
    """Yield attributes as they may be written: without secrets and, where content is off, without content."""
    # Copied at once: the program may set another one at this moment.
    for key, plain in dict(told).items():
        if not texts.content and is_content(key):
            continue
        value, _ = texts.redactor.redact_value(key, plain)
        if isinstance(value, Cut):
            yield key, value.trimmed()
        elif isinstance(value, _SCALARS):
            yield key, value
        elif isinstance(value, list) and all(isinstance(each, _SCALARS) for each in value):
            yield key, [each for each in value if isinstance(each, _SCALARS)]
        elif value is not None:
            yield key, encode(value).decode()


def _link(context: trace.SpanContext, attributes: Mapping[str, Plain], texts: Texts) -> dict[str, Any]:
    found: dict[str, Any] = {"traceId": f"{context.trace_id:032x}", "spanId": f"{context.span_id:016x}"}
    if attributes:
        found["attributes"] = key_values(attributes_of(attributes, texts))
    return found
