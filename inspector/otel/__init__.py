"""Spans of the OpenTelemetry API, made by ``opentelemetry-sdk`` and recorded by a span processor of ours.

Needs the extra ``otel``; nothing here is imported by a program that does not ask for such spans.
"""

from inspector.otel.instrumentors import start_instrumentors, stop_instrumentors
from inspector.otel.processor import RecordingProcessor
from inspector.otel.provider import record_api_spans, stop_recording_api_spans

__all__ = [
    "RecordingProcessor",
    "record_api_spans",
    "start_instrumentors",
    "stop_instrumentors",
    "stop_recording_api_spans",
]
