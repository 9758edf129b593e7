import gzip
import json
from pathlib import Path

import grpc
import pytest
from exporters import run_exporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from served import SECRET

from inspector.api.network.grpc_receiver import SERVICES
from inspector.cli.writing.import_files import import_files
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings

PROTOBUF, JSON = "application/x-protobuf", "application/json"
EXPORTS = Path(__file__).parents[1] / "ingest" / "exports"
AT_NS = 1_795_000_000_000_500_000


@pytest.fixture
def logs(pair):
    """A request in protobuf. Each log is the number of its span, or a dict of fields, with plain values."""

    def make(*records):
        request = ExportLogsServiceRequest()
        part = request.resource_logs.add().scope_logs.add()
        for each in records:
            given = {"trace_id": 1, "time_unix_nano": AT_NS} | ({"span_id": each} if isinstance(each, int) else each)
            attributes, body = given.pop("attributes", {}), given.pop("body", None)
            for name, length in (("trace_id", 16), ("span_id", 8)):
                given[name] = given[name].to_bytes(length, "big")
            record = part.log_records.add(**given)
            record.attributes.extend(pair(*item) for item in attributes.items())
            if body is not None:
                record.body.CopyFrom(pair("body", body).value)
        return request.SerializeToString()

    return make


@pytest.fixture(scope="module")
def server(serve_home, tmp_path_factory):
    with serve_home(tmp_path_factory.mktemp("logs") / "home", INSPECTOR_OTLP_GRPC_PORT="0") as running:
        yield running


@pytest.fixture
def trace(request):
    """The number of a trace that no other test has."""
    return sum(request.node.nodeid.encode()) * 1_000_003 + len(request.node.nodeid)


def events(server, span, trace):
    trace_id, span_id = f"{trace:032x}", f"{span:016x}"
    if span_id not in server.span_ids(trace_id):
        return []
    return [each["name"] for each in server.event(span_id, trace_id)["events"] or ()]


@pytest.mark.parametrize("order", ["span log", "log span", "start log span", "log start span"])
def test_a_log_is_an_event_of_its_span_whichever_came_first(server, protobuf, logs, until, trace, order):
    span = {"span_id": 2, "trace_id": trace, "attributes": {"gen_ai.operation.name": "chat"}}
    asked = {"span_id": 2, "trace_id": trace, "event_name": "gen_ai.user.message", "body": {"content": "Where to?"}}
    requests = {
        "span": ("/v1/traces", protobuf(span)),
        "start": ("/v1/traces", protobuf(span | {"end_time_unix_nano": 0})),
        "log": ("/v1/logs", logs(asked)),
    }
    for name in order.split():
        assert server.export(*requests[name], PROTOBUF).status == 200
    until(lambda: events(server, 2, trace) == ["gen_ai.user.message"])
    assert "Where to?" in json.dumps(server.event(f"{2:016x}", f"{trace:032x}")["input"])


def test_sending_all_of_it_again_changes_nothing(server, protobuf, logs, until, trace):
    span, log = protobuf({"span_id": 3, "trace_id": trace}), logs({"span_id": 3, "trace_id": trace, "event_name": "a"})
    other = logs({"span_id": 3, "trace_id": trace, "event_name": "b"})
    for body, path in ((log, "logs"), (span, "traces"), (log, "logs"), (span, "traces"), (other, "logs")):
        assert server.export(f"/v1/{path}", body, PROTOBUF).status == 200
    until(lambda: events(server, 3, trace) == ["a", "b"])


def test_an_exception_fails_its_call(server, protobuf, logs, until, trace):
    server.post(protobuf({"span_id": 4, "trace_id": trace}))
    failed = {"exception.type": "RateLimited", "exception.message": "later"}
    name = "gen_ai.client.operation.exception"
    server.export(
        "/v1/logs", logs({"span_id": 4, "trace_id": trace, "event_name": name, "attributes": failed}), PROTOBUF
    )
    until(lambda: server.event(f"{4:016x}", f"{trace:032x}")["status"] == "error")
    error = server.event(f"{4:016x}", f"{trace:032x}")["error"]
    assert (error["type"], error["message"]) == ("RateLimited", "later")


def test_an_evaluation_is_a_label_of_its_span(server, protobuf, logs, trace):
    said = {"gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": 0.5}
    log = logs({"span_id": 5, "trace_id": trace, "event_name": "gen_ai.evaluation.result", "attributes": said})
    for _ in range(2):
        assert server.export("/v1/logs", log, PROTOBUF).status == 200
    server.post(protobuf({"span_id": 5, "trace_id": trace}))
    [label] = server.get(f"/labels?trace_id={trace:032x}")["items"]
    assert (label["name"], label["score"], label["span_id"]) == ("relevance", 0.5, f"{5:016x}")


@pytest.mark.parametrize("media_type", [PROTOBUF, JSON])
def test_logs_of_no_span_are_answered_with_success_and_counted(server, logs, media_type):
    before = server.left_out("logs_without_span")
    body = logs({"span_id": 0}, {"trace_id": 0, "span_id": 1})
    if media_type == JSON:
        body = b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "a"}}, {}]}]}]}'
    answer = server.export("/v1/logs", gzip.compress(body), media_type, Content_Encoding="gzip")
    assert (answer.status, answer.body) == (200, b"" if media_type == PROTOBUF else b"{}")
    assert server.left_out("logs_without_span") == before + 2


def test_a_rejected_log_is_told_to_its_sender(server):
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"traceId": "1", "spanId": "2"}, {"body": "text"}]}]}]}
    answer = server.export("/v1/logs", json.dumps(body).encode(), JSON)
    assert json.loads(answer.body)["partialSuccess"] == {
        "rejectedLogRecords": "2",
        "errorMessage": "left out: 1 for malformed, 1 for trace_id",
    }
    request = ExportLogsServiceRequest()
    request.resource_logs.add().scope_logs.add().log_records.add(trace_id=b"a", span_id=b"b")
    answer = server.export("/v1/logs", request.SerializeToString(), PROTOBUF)
    assert ExportLogsServiceResponse.FromString(answer.body).partial_success.rejected_log_records == 1


@pytest.mark.parametrize("media_type", [PROTOBUF, JSON])
def test_what_is_no_request_is_refused_in_its_encoding(server, media_type):
    answer = server.export("/v1/logs", b"\xff" * 100, media_type)
    assert (answer.status, answer.media_type) == (400, media_type)
    assert answer.message.startswith("not an ExportLogsServiceRequest: ")


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "body, media_type, headers, status",
    [
        (b"", "text/plain", {}, 415),
        (b"", PROTOBUF, {"Content_Encoding": "br"}, 415),
        (b"not gzip", PROTOBUF, {"Content_Encoding": "gzip"}, 400),
        (gzip.compress(bytes(65 << 20)), PROTOBUF, {"Content_Encoding": "gzip"}, 413),
        (b"\x0a\x00" * 1_100_000, PROTOBUF, {}, 413),
        (b"[" + b"{}," * 2_000_001 + b"{}]", JSON, {}, 413),
        (b"", PROTOBUF, {"Authorization": "Bearer wrong"}, 401),
    ],
    ids=["type", "encoding", "not-gzip", "bomb", "many-parts", "many-objects", "token"],
)
def test_the_limits_are_those_of_spans_and_metrics(server, body, media_type, headers, status):
    for path in ("/v1/traces", "/v1/logs", "/v1/metrics"):
        assert server.export(path, body, media_type, **headers).status == status


def test_secrets_are_removed_before_anything_is_stored(server, protobuf, logs, until, trace):
    key = "sk-proj-" + "a1B2" * 12
    said = {
        "span_id": 6,
        "trace_id": trace,
        "event_name": "gen_ai.user.message",
        "body": {"content": f"My key is {key}"},
    }
    server.export("/v1/logs", logs(said | {"attributes": {"api_key": "hunter2hunter2"}}), PROTOBUF)
    server.post(protobuf({"span_id": 6, "trace_id": trace}))
    until(lambda: events(server, 6, trace))
    found = json.dumps(server.event(f"{6:016x}", f"{trace:032x}"))
    assert "My key is" in found
    assert key not in found
    assert "hunter2" not in found


@pytest.mark.slow
def test_a_large_request_is_stored_whole(server, protobuf, logs, until, trace):
    records = [
        {"span_id": 1 + at % 100, "trace_id": trace, "event_name": f"e{at}", "body": "x" * 500} for at in range(9000)
    ]
    server.post(protobuf(*({"span_id": 1 + at, "trace_id": trace} for at in range(100))))
    assert server.export("/v1/logs", logs(*records), PROTOBUF).status == 200
    until(lambda: all(len(events(server, span, trace)) == 90 for span in (1, 50, 100)))


@pytest.mark.slow
def test_logs_over_grpc_become_events_too(server, protobuf, logs, until, trace):
    server.post(protobuf({"span_id": 7, "trace_id": trace}))
    before = server.left_out("logs_without_span")
    with grpc.insecure_channel(server.grpc.removeprefix("http://")) as channel:
        method = channel.unary_unary(f"/{SERVICES['logs']}/Export")
        bearer = (("authorization", f"Bearer {SECRET}"),)
        body = logs({"span_id": 7, "trace_id": trace, "event_name": "by-grpc"}, {"span_id": 0})
        assert method(body, metadata=bearer, timeout=30) == b""
        until(lambda: events(server, 7, trace) == ["by-grpc"])
        assert server.left_out("logs_without_span") == before + 1
        for body, metadata, code in (
            (b"\xff", bearer, grpc.StatusCode.INVALID_ARGUMENT),
            (b"\x0a\x00" * 1_100_000, bearer, grpc.StatusCode.RESOURCE_EXHAUSTED),
            (b"", (), grpc.StatusCode.UNAUTHENTICATED),
        ):
            with pytest.raises(grpc.RpcError) as refused:
                method(body, metadata=metadata, timeout=30)
            assert refused.value.code() is code


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["genai_logs", "genai_logs_earlier"])
@pytest.mark.parametrize("is_first", [False, True], ids=["after", "before"])
def test_contents_that_an_instrumentation_logs_are_shown_with_the_call(serve_home, tmp_path, until, name, is_first):
    with serve_home(tmp_path / "home") as server:
        sent = [("traces", EXPORTS / f"{name}.jsonl"), ("logs", EXPORTS / "logs" / f"{name}.jsonl")]
        for signal, path in sent[::-1] if is_first else sent:
            assert server.export(f"/v1/{signal}", path.read_bytes(), JSON).body == b"{}"
        path = "/events?order=asc&full=true"
        until(lambda: all(call["input"] for call in server.get(path)["items"]))
        asked = [call["input"][-1]["parts"][0] for call in server.get(path)["items"]]
        assert [part.get("content", part.get("response")) for part in asked][1:] == ["sunny", "!fail 400 1"]


PROGRAM = """
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry._logs import LogRecord, SeverityNumber
from EXPORTER._log_exporter import OTLPLogExporter
from EXPORTER.trace_exporter import OTLPSpanExporter

spans, logs = TracerProvider(), LoggerProvider()
spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
logger = logs.get_logger("agent")
with spans.get_tracer("agent").start_as_current_span("chat") as span:
    print(f"{span.get_span_context().trace_id:032x} {span.get_span_context().span_id:016x}")
    said = {"body": {"n": 1}, "severity_number": SeverityNumber.INFO, "attributes": {"a": "b"}}
    logger.emit(LogRecord(event_name="asked", **said))
logger.emit(LogRecord(body="outside"))
logs.shutdown()
spans.shutdown()
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", ["http", "grpc"])
def test_pythons_exporters_send_logs_without_complaint(server, until, kind):
    before = server.left_out("logs_without_span")
    endpoint = server.url if kind == "http" else server.grpc
    trace_id, span_id = run_exporter(PROGRAM, kind, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint).split()
    until(lambda: server.event(span_id, trace_id)["events"])
    [event] = server.event(span_id, trace_id)["events"]
    assert event["name"] == "asked"
    assert event["attributes"] == {"a": "b", "log.level": "INFO", "log.logger": "agent", "log.message": {"n": 1}}
    assert server.left_out("logs_without_span") == before + 1


def test_an_import_sends_files_of_logs_to_the_server_that_runs(serve_home, tmp_path):
    settings = Settings(home=tmp_path / "home", token=SECRET)
    with serve_home(settings.home):
        files = [str(EXPORTS / "logs" / "genai_logs.jsonl"), str(EXPORTS / "genai_logs.jsonl")]
        imported = import_files(settings, files)
        assert (imported.spans, imported.logs, imported.bad_files) == (3, 3, [])
    with Owner(settings) as owner:
        owner.join_logs()
        assert all(run.question for run in owner.store.runs(Filter()).items)
