import gzip

import grpc
import pytest
from exporters import run_exporter
from google.protobuf.json_format import MessageToJson
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from served import SECRET

from inspector.api.network.grpc_receiver import SERVICES
from inspector.otlp import decode_request

PROTOBUF, JSON = "application/x-protobuf", "application/json"
TYPES = ("gauge", "sum", "histogram", "exponential_histogram", "summary")


def request_of(*points):
    """A request in protobuf: a metric of each type in turn, with that many data points."""
    request = ExportMetricsServiceRequest()
    part = request.resource_metrics.add().scope_metrics.add()
    part.scope.name = "tests"
    for at, number in enumerate(points):
        data = getattr(part.metrics.add(name=f"metric-{at}"), TYPES[at % len(TYPES)])
        data.SetInParent()
        for time in range(number):
            data.data_points.add(time_unix_nano=time + 1).attributes.add(key="k").value.string_value = "v"
    return request


@pytest.fixture(scope="module")
def server(serve_home, tmp_path_factory):
    with serve_home(tmp_path_factory.mktemp("metrics") / "home", INSPECTOR_OTLP_GRPC_PORT="0") as running:
        yield running


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("media_type", [PROTOBUF, JSON])
def test_metrics_are_answered_with_success_and_their_data_points_counted(server, media_type, packed):
    before, request = server.left_out("data_points"), request_of(1, 2, 3, 4, 5)
    body = request.SerializeToString() if media_type == PROTOBUF else MessageToJson(request).encode()
    headers = {"Content_Encoding": "gzip"} if packed else {}
    answer = server.export("/v1/metrics", gzip.compress(body) if packed else body, media_type, **headers)
    assert (answer.status, answer.media_type) == (200, media_type)
    assert answer.body == (b"" if media_type == PROTOBUF else b"{}")
    assert server.left_out("data_points") == before + 15
    assert server.get("/events")["items"] == []


@pytest.mark.parametrize("media_type", [PROTOBUF, JSON])
def test_what_is_no_request_is_refused_in_its_encoding(server, media_type):
    before = server.left_out("data_points")
    answer = server.export("/v1/metrics", b"\xff" * 100, media_type)
    assert (answer.status, answer.media_type) == (400, media_type)
    assert answer.message.startswith("not an ExportMetricsServiceRequest: ")
    assert server.left_out("data_points") == before


def test_a_byte_that_is_no_utf_8_costs_nothing(server):
    body = MessageToJson(request_of(2)).encode().replace(b"metric-0", b"metric-\xff")
    before = server.left_out("data_points")
    assert server.export("/v1/metrics", body, JSON).status == 200
    assert server.left_out("data_points") == before + 2


@pytest.mark.slow
def test_metrics_over_grpc_are_counted_too(server):
    before = server.left_out("data_points")
    with grpc.insecure_channel(server.grpc.removeprefix("http://")) as channel:
        method = channel.unary_unary(f"/{SERVICES['metrics']}/Export")
        bearer = (("authorization", f"Bearer {SECRET}"),)
        assert method(request_of(3, 4).SerializeToString(), metadata=bearer, timeout=30) == b""
        assert server.left_out("data_points") == before + 7
        for body, metadata, code in (
            (b"\xff", bearer, grpc.StatusCode.INVALID_ARGUMENT),
            (b"\x0a\x00" * 1_100_000, bearer, grpc.StatusCode.RESOURCE_EXHAUSTED),
            (b"", (), grpc.StatusCode.UNAUTHENTICATED),
        ):
            with pytest.raises(grpc.RpcError) as refused:
                method(body, metadata=metadata, timeout=30)
            assert refused.value.code() is code


def test_rejected_spans_are_counted_by_their_field(server, protobuf):
    assert server.post(protobuf({"span_id": b"\0" * 8}, {"span_id": 2, "trace_id": b""})).rejected == 2
    assert (server.left_out("span_id"), server.left_out("trace_id")) == (1, 1)


PROGRAM = """
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from EXPORTER import OTLPMetricExporter

provider = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())])
meter = provider.get_meter("agent")
for at in range(3):
    meter.create_counter("calls").add(1, {"tool": f"search-{at}"})
meter.create_histogram("seconds").record(0.5)
provider.shutdown()
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", ["http", "grpc"])
def test_pythons_exporters_send_metrics_without_complaint(server, kind):
    before = server.left_out("data_points")
    endpoint = server.url if kind == "http" else server.grpc
    run_exporter(PROGRAM, f"{kind}.metric_exporter", OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
    assert server.left_out("data_points") >= before + 4


@given(st.lists(st.integers(0, 4), max_size=8))
def test_both_encodings_have_the_same_data_points(points):
    request = request_of(*points)
    expected = {"data_points": sum(points)} if sum(points) else {}
    assert decode_request(request.SerializeToString(), "protobuf", signal="metrics").rejected == expected
    assert decode_request(MessageToJson(request).encode(), "json", signal="metrics").rejected == expected


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:0resourcMtip', max_size=200).map(str.encode))
def test_no_bytes_are_more_than_malformed(noise):
    for encoding in ("protobuf", "json"):
        decoded = decode_request(noise, encoding, signal="metrics")
        assert decoded.spans == ()
        assert decoded.malformed is None or not decoded.rejected
