"""Spans in the form in which the recorder takes those of the OpenTelemetry SDK, which need not be installed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opentelemetry import trace

from inspector.otlp import DecodedSpan


@dataclass(frozen=True, slots=True)
class Resource:
    """Who sent a span."""

    attributes: Mapping[str, Any]
    schema_url: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which part of it made the span."""

    name: str
    version: str
    attributes: Mapping[str, Any] | None = None
    schema_url: str = ""


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """An event of a span."""

    name: str
    timestamp: int
    attributes: Mapping[str, Any]


class ReceivedSpan:
    """A received span as the SDK's ``ReadableSpan`` has it.

    Args:
        decoded: The span.
        resource: Who sent it; the same object for all of its spans.
        scope: Which part made it; likewise.
    """

    dropped_attributes = dropped_events = dropped_links = 0
    links = ()

    def __init__(self, decoded: DecodedSpan, resource: Resource, scope: Scope) -> None:
        self.resource, self.instrumentation_scope = resource, scope
        self.name = decoded.name
        self.kind = trace.SpanKind(max(0, decoded.kind - 1))
        self.start_time, self.end_time = decoded.start_ns, decoded.end_ns
        self.attributes = decoded.attributes
        self.events = tuple(map(_event, decoded.events))
        self.status = trace.Status(trace.StatusCode(decoded.status_code), decoded.status_message or None)
        self.parent = None if decoded.parent_id is None else _context(decoded.trace_id, decoded.parent_id)
        self._context = _context(decoded.trace_id, decoded.span_id)

    def get_span_context(self) -> trace.SpanContext:
        """Return its ids."""
        return self._context


def _context(trace_id: str, span_id: str) -> trace.SpanContext:
    return trace.SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=False)


def _event(event: Mapping[str, Any]) -> SpanEvent:
    return SpanEvent(str(event["name"]), int(event["time_unix_nano"]), event["attributes"])
