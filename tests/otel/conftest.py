"""This process recorded for real, and OpenTelemetry's API as it is in a fresh process."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.util._once import Once
from spooled import attributes_of, requests_of

import inspector


class Spool:
    def __init__(self, home):
        self.home = home

    def requests(self):
        """Every line, with one resource and one scope."""
        found = inspector.record.attached()
        assert found is None or found.flush(10)
        paths = sorted(self.home.glob("spool/*.jsonl"))
        return [request["resourceSpans"][0] for path in paths for request in requests_of(path.read_text().splitlines())]

    def records(self):
        found = []
        for request in self.requests():
            for scoped in request["scopeSpans"]:
                for span in scoped["spans"]:
                    for part in (span, *span.get("events", ()), *span.get("links", ())):
                        part["attributes"] = attributes_of(part.get("attributes", ()))
                    found.append({**span, "scope": scoped["scope"].get("name")})
        return found

    def spans(self):
        last = {span["spanId"]: span for span in self.records()}
        return sorted(last.values(), key=lambda span: int(span["startTimeUnixNano"]))

    def by_name(self):
        return {span["name"]: span for span in self.spans()}

    def tree(self):
        names = {span["spanId"]: span["name"] for span in self.spans()}
        return {span["name"]: names.get(span.get("parentSpanId")) for span in self.spans()}


@pytest.fixture
def spool(tmp_path, monkeypatch):
    """The spool of this process, which nothing records yet; recording ends with the test."""
    for name in ("INSPECTOR_HOME", "INSPECTOR_OTEL", "INSPECTOR_ENDPOINT", "INSPECTOR_SERVICE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("INSPECTOR_HOME", str(tmp_path / "home"))
    yield Spool(tmp_path / "home")
    inspector.detach()


@pytest.fixture
def api(monkeypatch):
    """The API as it is in a fresh process, and put back."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
    monkeypatch.delenv("OTEL_PYTHON_TRACER_PROVIDER", raising=False)
    # What is installed here is none of the tests' business.
    monkeypatch.setenv("OTEL_PYTHON_DISABLED_INSTRUMENTATIONS", "*")
    yield trace
    inspector.detach()


@pytest.fixture
def attach(api, spool):
    """Record this process with ``otel``, with no framework of this environment in it."""

    def begin(**options):
        return inspector.attach(**{"otel": True, "integrations": False, **options})

    return begin


@pytest.fixture
def attached(attach, spool):
    """A spool that gets the spans of the API."""
    attach()
    return spool


@pytest.fixture
def theirs():
    """A provider of the program's, with an exporter of its own."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    provider.exported = lambda: [span.name for span in exporter.get_finished_spans()]
    yield provider
    provider.shutdown()
