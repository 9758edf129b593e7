"""What the programs beside this one share: a model to talk to, and a file that the spans end up in.

Each program names its packages in its head (PEP 723) and runs offline once they are there:

    uv run --script tests/ingest/exporting/openinference_openai.py

It replaces ``tests/ingest/exports/<its name>.jsonl``: one OTLP/JSON line, with the versions of the packages under the
resource attribute ``exported.with``. Names of the machine and of its directories are taken out. One that sends logs
also replaces ``tests/ingest/exports/logs/<its name>.jsonl``.
"""

import json
import os
import re
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

EXPORTS = Path(__file__).parents[1] / "exports"
os.chdir("/")  # some packages note the state of the repository that they run in
sys.path.insert(0, str(Path(__file__).parents[2] / "integrations" / "stubs"))


class Kept(SpanExporter):
    """Keeps spans in the order in which they were exported."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans += spans
        return SpanExportResult.SUCCESS


@contextmanager
def exporting(*packages: str) -> Iterator[TracerProvider]:
    """Give a provider, and save its spans at the end under the name of the running program."""
    kept = Kept()
    provider = TracerProvider(resource=Resource({"service.name": "trial"}))
    provider.add_span_processor(SimpleSpanProcessor(kept))
    yield provider
    provider.shutdown()
    save(kept.spans, *packages)


@contextmanager
def exporting_logs(*packages: str) -> Iterator[tuple[TracerProvider, LoggerProvider]]:
    """Give two providers, and save the spans and the logs at the end under the name of the running program."""
    logs = InMemoryLogRecordExporter()
    provider = LoggerProvider(resource=Resource({"service.name": "trial"}))
    provider.add_log_record_processor(SimpleLogRecordProcessor(logs))
    with exporting(*packages) as spans:
        yield spans, provider
    save_logs(logs.get_finished_logs(), *packages)


@contextmanager
def model() -> Iterator[str]:
    """Serve a stub of the model providers; gives its address."""
    from models import serving

    with serving() as models:
        yield models.url


def save(spans: Sequence[ReadableSpan], *packages: str) -> None:
    by_scope: dict[Any, list[ReadableSpan]] = {}
    for span in spans:
        by_scope.setdefault(span.instrumentation_scope, []).append(span)
    parts = [
        {
            "scope": {"name": scope.name, "version": scope.version or ""},
            "spans": [_span(span) for span in members],
        }
        for scope, members in by_scope.items()
    ]
    _write(EXPORTS, {"resourceSpans": [{"resource": _resource(packages), "scopeSpans": parts}]})


def save_logs(logs: Sequence[ReadableLogRecord], *packages: str) -> None:
    by_scope: dict[Any, list[ReadableLogRecord]] = {}
    for log in logs:
        by_scope.setdefault(log.instrumentation_scope, []).append(log)
    parts = [
        {"scope": {"name": scope.name, "version": scope.version or ""}, "logRecords": [_log(log) for log in members]}
        for scope, members in by_scope.items()
    ]
    _write(EXPORTS / "logs", {"resourceLogs": [{"resource": _resource(packages), "scopeLogs": parts}]})


def _resource(packages: Sequence[str]) -> dict[str, Any]:
    made = ", ".join(f"{name} {version(name)}" for name in packages)
    return {"attributes": _pairs({"service.name": "trial", "telemetry.sdk.language": "python", "exported.with": made})}


def _write(directory: Path, request: dict[str, Any]) -> None:
    target = directory / f"{Path(sys.argv[0]).stem}.jsonl"
    target.write_text(_without_places(json.dumps(request)) + "\n")
    print(target.relative_to(EXPORTS))  # noqa: T201 - what a program of the command line says


def _span(span: ReadableSpan) -> dict[str, Any]:
    context, status = span.context, span.status
    return {
        "traceId": f"{context.trace_id:032x}",
        "spanId": f"{context.span_id:016x}",
        **({"parentSpanId": f"{span.parent.span_id:016x}"} if span.parent else {}),
        "name": span.name,
        "kind": span.kind.value + 1,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": _pairs(span.attributes or {}),
        "events": [
            {"name": event.name, "timeUnixNano": str(event.timestamp), "attributes": _pairs(event.attributes or {})}
            for event in span.events
        ],
        "status": {"code": status.status_code.value} | ({"message": status.description} if status.description else {}),
    }


def _log(log: ReadableLogRecord) -> dict[str, Any]:
    record = log.log_record
    severity = record.severity_number
    return {
        "timeUnixNano": str(record.timestamp or 0),
        "observedTimeUnixNano": str(record.observed_timestamp or 0),
        **({"severityNumber": severity.value} if severity else {}),
        **({"severityText": record.severity_text} if record.severity_text else {}),
        **({"eventName": record.event_name} if record.event_name else {}),
        **({"body": _value(record.body)} if record.body is not None else {}),
        "attributes": _pairs(record.attributes or {}),
        "traceId": f"{record.trace_id:032x}",
        "spanId": f"{record.span_id:016x}",
    }


def _pairs(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case Mapping():
            return {"kvlistValue": {"values": _pairs(value)}}
        case Sequence():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case _:
            return {}


def _without_places(line: str) -> str:
    for place in {Path(__file__).parents[3], Path.home(), Path(sys.prefix)}:
        line = line.replace(str(place), "/home/user")
    line = re.sub(r"/[^\"\s\\]*/site-packages/", "/site-packages/", line)
    line = re.sub(r"/[^\"\s\\]*/lib/python3", "/lib/python3", line)
    line = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8080", line)
    line = re.sub(r'("server\.port", "value": \{"intValue": )"\d+"', r'\1"8080"', line)
    line = re.sub(r'("net\.peer\.port", "value": \{"intValue": )"\d+"', r'\1"8080"', line)
    line = re.sub(r"Linux-[^\"()]*", "Linux", line)
    line = re.sub(
        r"[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "an-id-with-a-hardware-address", line
    )
    for name in {socket.gethostname(), os.environ.get("USER", "")} - {"", "user", "root"}:
        line = re.sub(rf"\b{re.escape(name)}\b", "host", line)
    return line
