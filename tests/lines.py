"""Fixtures that build OTLP/JSON spans and lines, spelled as the recorder spells them."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

START_NS = 1_795_000_000_000_000_000

PROCESS = "20261122T100000-4711-00c0ffee"


def _otlp_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_otlp_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _otlp_attributes(value)}}
    return {}


def _otlp_attributes(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _otlp_value(value)} for key, value in attributes.items()]


@pytest.fixture
def otlp_attributes() -> Callable[[dict[str, Any]], list[dict[str, Any]]]:
    return _otlp_attributes


@pytest.fixture
def make_span() -> Callable[..., dict[str, Any]]:
    """A finished tool call of the recorder; ids and times count up, keywords replace fields of the JSON."""
    ids = count(1)

    def make(attributes: dict[str, Any] | None = None, /, **fields: Any) -> dict[str, Any]:
        number = next(ids)
        span = {
            "traceId": f"{1:032x}",
            "spanId": f"{number:016x}",
            "name": "execute_tool search",
            "kind": 1,
            "startTimeUnixNano": str(START_NS + number * 1000),
            "endTimeUnixNano": str(START_NS + number * 1000 + 500),
            "attributes": _otlp_attributes(
                {"inspector.hook": "tool_call", "gen_ai.tool.name": "search"} if attributes is None else attributes
            ),
            "status": {"code": 0},
        }
        span.update(fields)
        return {key: value for key, value in span.items() if value is not None}

    return make


@pytest.fixture
def make_request() -> Callable[..., bytes]:
    """One line without its newline: spans under the recorder's resource and scope."""

    def make(
        *spans: dict[str, Any], process: str | None = PROCESS, scope: dict[str, Any] | None = None, **resource: Any
    ) -> bytes:
        about = {"service.name": "agent", **resource} | ({"inspector.process": process} if process else {})
        request = {
            "resourceSpans": [
                {
                    "resource": {"attributes": _otlp_attributes(about)},
                    "scopeSpans": [
                        {
                            "scope": {
                                "name": "mcp-agent-inspector",
                                "version": "0.1.0",
                                "attributes": _otlp_attributes(scope or {}),
                            },
                            "spans": list(spans),
                        }
                    ],
                }
            ]
        }
        return json.dumps(request).encode()

    return make
