"""OTLP over gRPC: the answers that OTLP names, and what it takes to have it."""

import os
import subprocess
import sys

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

SECRET = "a-secret-of-the-tests-only"
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
MIB = 1 << 20


@pytest.fixture(scope="module")
def server(serve_home, tmp_path_factory):
    with serve_home(tmp_path_factory.mktemp("grpc") / "home", INSPECTOR_OTLP_GRPC_PORT="0") as running:
        yield running


@pytest.fixture(scope="module")
def export(server):
    options = [("grpc.max_send_message_length", -1)]
    with grpc.insecure_channel(server.grpc.removeprefix("http://"), options=options) as channel:
        method = channel.unary_unary(EXPORT)

        def send(body, token=SECRET, **more):
            metadata = (("authorization", f"Bearer {token}"),) if token else ()
            return method(body, metadata=metadata, timeout=30, **more)

        yield send


def test_spans_are_stored_and_repeats_change_nothing(server, export, protobuf):
    for _ in range(3):
        assert export(protobuf(1, 2)) == b""
    assert server.span_ids() == [f"{1:016x}", f"{2:016x}"]


def test_what_is_left_out_is_counted(export, protobuf):
    answer = ExportTraceServiceResponse.FromString(export(protobuf(3, {"span_id": b""})))
    assert answer.partial_success.rejected_spans == 1
    assert "span_id" in answer.partial_success.error_message


@pytest.mark.parametrize(
    "body, token, code",
    [
        (b"\xff\xff", SECRET, grpc.StatusCode.INVALID_ARGUMENT),
        (b"\x0a\x00" * 1_100_000, SECRET, grpc.StatusCode.RESOURCE_EXHAUSTED),
        (bytes(70 * MIB), SECRET, grpc.StatusCode.RESOURCE_EXHAUSTED),
        (b"", "wrong", grpc.StatusCode.UNAUTHENTICATED),
        (b"", None, grpc.StatusCode.UNAUTHENTICATED),
    ],
    ids=["malformed", "too-many", "too-large", "wrong-token", "no-token"],
)
def test_what_is_refused_is_refused_as_otlp_says(server, export, protobuf, body, token, code):
    with pytest.raises(grpc.RpcError) as refused:
        export(body, token)
    assert refused.value.code() is code
    assert export(protobuf(4)) == b""


def test_a_bomb_is_too_large(server, export, protobuf):
    with pytest.raises(grpc.RpcError) as refused:
        export(bytes(512 * MIB), compression=grpc.Compression.Gzip)
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert server.rss_bytes() < 512 * MIB
    assert export(protobuf(5)) == b""


def test_a_token_that_may_only_read_does_not_add(export):
    from inspector.api import Token

    with pytest.raises(grpc.RpcError) as refused:
        export(b"", Token(SECRET).derive("read"))
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    assert export(b"", Token(SECRET).derive("ingest")) == b""


def test_a_busy_store_says_when_to_come_again(tmp_path, protobuf):
    from inspector.api.grpc_receiver import receive_by_grpc
    from inspector.api.tokens import Token
    from inspector.ingest import Intake
    from inspector.settings import Settings
    from inspector.store import StoreBusy

    class Locked:
        def write(self, spans, *, marks=()):
            raise StoreBusy("locked by another process")

    intake = Intake(Locked(), lambda: None)
    with receive_by_grpc(Settings(home=tmp_path, otlp_grpc_port=0), Token(SECRET), intake) as url:
        with grpc.insecure_channel(url.removeprefix("http://")) as channel:
            with pytest.raises(grpc.RpcError) as refused:
                channel.unary_unary(EXPORT)(protobuf(1), metadata=(("authorization", f"Bearer {SECRET}"),), timeout=30)
    intake.close()
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    (details,) = [value for key, value in refused.value.trailing_metadata() if key == "grpc-status-details-bin"]
    retry = RetryInfo()
    assert Status.FromString(details).details[0].Unpack(retry)
    assert retry.retry_delay.seconds > 0


def serve_command(tmp_path, *options, **environment):
    env = {**os.environ, "INSPECTOR_HOME": str(tmp_path / "home"), "INSPECTOR_PORT": "0", **environment}
    command = [sys.executable, "-m", "inspector.cli", "serve", *options]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=30)


def test_without_the_extra_one_line_says_how_to_install_it(tmp_path):
    (tmp_path / "grpc.py").write_text("raise ImportError('not installed')")
    done = serve_command(tmp_path, "--otlp-grpc-port", "0", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert 'pip install "mcp-agent-inspector[grpc]"' in done.stderr


def test_a_port_in_use_is_named_with_the_way_out(server, tmp_path):
    port = server.grpc.rpartition(":")[2]
    done = serve_command(tmp_path, INSPECTOR_OTLP_GRPC_PORT=port)
    assert done.returncode == 1
    assert f"cannot take OTLP over gRPC on 127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr
