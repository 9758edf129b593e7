"""What programs send: spans as OTLP JSON, as a file of the spool or a request to ``/v1/traces`` has them."""

from collections.abc import Mapping
from typing import Any

START_NS = 1_795_000_000_000_000_000
KINDS = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}


def pairs_of(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Attributes whose values are plain."""
    return [
        {"key": key, "value": {KINDS[type(value)]: str(value) if type(value) is int else value}}
        for key, value in attributes.items()
    ]


def span_of(span_id: int | str, attributes: Mapping[str, Any] | None = None, /, **fields: Any) -> dict[str, Any]:
    """A span of trace 1 that took 312 ms; keywords replace fields of the JSON, None takes one away."""
    span = {
        "traceId": f"{1:032x}",
        "spanId": span_id if isinstance(span_id, str) else f"{span_id:016x}",
        "name": "execute_tool search",
        "kind": 1,
        "startTimeUnixNano": str(START_NS),
        "endTimeUnixNano": str(START_NS + 312_000_000),
        "attributes": pairs_of(attributes or {}),
    } | fields
    return {name: value for name, value in span.items() if value is not None}


def request_of(*spans: Mapping[str, Any], scope: str = "mcp-agent-inspector", service: str = "tests") -> dict[str, Any]:
    resource = {"service.name": service}
    scopes = [{"scope": {"name": scope}, "spans": list(spans)}]
    return {"resourceSpans": [{"resource": {"attributes": pairs_of(resource)}, "scopeSpans": scopes}]}
