"""The published exporters, as programs use them, against a real server."""

import importlib.util
import subprocess
from pathlib import Path

import pytest
from exporters import run_exporter

SECRET = "a-secret-of-the-tests-only"
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def server(serve_home, tmp_path_factory):
    with serve_home(tmp_path_factory.mktemp("senders") / "home", INSPECTOR_OTLP_GRPC_PORT="0") as running:
        yield running


PROGRAM = """
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from EXPORTER import OTLPSpanExporter

provider = TracerProvider(resource=Resource.create({"service.name": "python"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("agent", "1.0")
with tracer.start_as_current_span("invoke_agent planner", attributes={"gen_ai.operation.name": "invoke_agent"}) as root:
    for at in range(40):
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": f"search-{at}",
            "ok": at % 2 == 0,
            "weights": [1.5, float(at)],
            "text": "ü 漢 🙂",
        }
        name = f"execute_tool search-{at}"
        with tracer.start_as_current_span(name, kind=SpanKind.CLIENT, attributes=attributes) as span:
            if at == 7:
                span.record_exception(TypeError("no such place"))
                span.set_status(Status(StatusCode.ERROR, "no such place"))
provider.shutdown()
print(format(root.get_span_context().trace_id, "032x"))
"""


def check(server, trace_id, service):
    assert len(trace_id) == 32
    events = server.get(f"/events?trace_id={trace_id}&limit=100&order=asc&full=true")["items"]
    assert len(events) == 41
    (root,) = (event for event in events if event["parent_id"] is None)
    assert (root["kind"], root["service"], root["status"]) == ("agent", service, "ok")
    tools = {event["tool"]: event for event in events if event["parent_id"] == root["span_id"]}
    assert set(tools) == {f"search-{at}" for at in range(40)}
    assert all(event["kind"] == "tool" for event in tools.values())
    one = tools["search-3"]["attributes"]
    assert (one["text"], one["weights"], one["ok"]) == ("ü 漢 🙂", [1.5, 3], False)
    failed = tools["search-7"]
    assert (failed["status"], failed["error"]["type"], failed["error"]["message"]) == (
        "error",
        "TypeError",
        "no such place",
    )
    assert [event["tool"] for event in events if event["status"] == "error"] == ["search-7"]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_pythons_exporter_over_http(server, compression):
    trace_id = run_exporter(
        PROGRAM,
        "http.trace_exporter",
        OTEL_EXPORTER_OTLP_ENDPOINT=server.url,
        OTEL_EXPORTER_OTLP_COMPRESSION=compression,
    )
    check(server, trace_id.strip(), "python")


@pytest.mark.parametrize("options", [{}, {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}], ids=["plain", "gzip"])
def test_pythons_exporter_over_grpc(server, options):
    trace_id = run_exporter(PROGRAM, "grpc.trace_exporter", OTEL_EXPORTER_OTLP_ENDPOINT=server.grpc, **options)
    check(server, trace_id.strip(), "python")


@pytest.fixture(scope="session")
def javascript(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("javascript_of_otlp", HERE / "javascript.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.installed(tmp_path_factory.mktemp("npm"))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", ["http", "proto"])
def test_javascripts_exporters(server, javascript, kind):
    node, place = javascript
    (place / "send.mjs").write_bytes((HERE / "js" / "send.mjs").read_bytes())
    done = subprocess.run(
        [node, "send.mjs", kind, server.url, SECRET], cwd=place, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    check(server, done.stdout, f"js-{kind}")
