import os
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from inspector.api import Token
from inspector.api.network.grpc_receiver import ARRIVING, SERVICES, WORKERS, receive_by_grpc
from inspector.ingest import Intake
from inspector.settings import Settings
from inspector.store import StoreBusy

SECRET = "a-secret-of-the-tests-only"
EXPORT = f"/{SERVICES['traces']}/Export"
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
            return method(body, metadata=metadata, timeout=120, **more)

        yield send


@pytest.fixture
def receive(tmp_path):
    """Receives with a most of connections; nothing is stored."""
    with ExitStack() as stack:
        intake = Intake(None, lambda: None)
        stack.callback(intake.close)

        def start(**limits):
            settings = Settings(home=tmp_path, otlp_grpc_port=0)
            url = stack.enter_context(receive_by_grpc(settings, Token(SECRET), intake, **limits))
            return url.removeprefix("http://")

        def connect(address):
            host, _, port = address.partition(":")
            return stack.enter_context(socket.create_connection((host, int(port)), timeout=10))

        yield start, connect


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
        pytest.param(b"\x0a\x00" * 1_100_000, SECRET, grpc.StatusCode.RESOURCE_EXHAUSTED, marks=pytest.mark.slow),
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


@pytest.mark.slow
def test_a_bomb_is_too_large(server, export, protobuf):
    with pytest.raises(grpc.RpcError) as refused:
        export(bytes(512 * MIB), compression=grpc.Compression.Gzip)
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert server.largest_bytes() < 512 * MIB
    assert export(protobuf(5)) == b""


def test_who_has_no_token_is_refused_before_its_message_is_read(server):
    with grpc.insecure_channel(server.grpc.removeprefix("http://")) as channel:
        end = threading.Event()

        def never():
            end.wait(30)
            yield b""

        # A worker each, if they waited for it.
        calls = [channel.stream_unary(EXPORT).future(never(), timeout=30) for _ in range(2 * WORKERS)]
        try:
            assert [call.exception().code() for call in calls] == [grpc.StatusCode.UNAUTHENTICATED] * len(calls)
        finally:
            end.set()


def test_a_request_without_a_message_is_malformed(server):
    with grpc.insecure_channel(server.grpc.removeprefix("http://")) as channel:
        bearer = (("authorization", f"Bearer {SECRET}"),)
        with pytest.raises(grpc.RpcError) as refused:
            channel.stream_unary(EXPORT)(iter(()), metadata=bearer, timeout=30)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_a_message_that_does_not_come_is_given_up(receive, monkeypatch):
    monkeypatch.setattr("inspector.api.network.grpc_receiver.MESSAGE_S", 0.05)
    end = threading.Event()

    def never():
        end.wait(30)
        yield b""

    start, _ = receive
    with grpc.insecure_channel(start()) as channel:
        bearer = (("authorization", f"Bearer {SECRET}"),)
        call = channel.stream_unary(EXPORT).future(never(), metadata=bearer, timeout=30)
        try:
            assert call.exception().code() is grpc.StatusCode.CANCELLED
        finally:
            end.set()


def test_messages_that_arrive_at_once_are_bounded_and_further_ones_asked_to_come_again(receive, monkeypatch, until):
    monkeypatch.setattr("inspector.api.network.grpc_receiver.PLACE_S", 0.05)
    end, bearer = threading.Event(), (("authorization", f"Bearer {SECRET}"),)

    def slowly():
        end.wait(30)
        yield b""

    def error():
        return channel.unary_unary(EXPORT).future(b"", metadata=bearer, timeout=30).exception()

    start, _ = receive
    with grpc.insecure_channel(start()) as channel:
        calls = [channel.stream_unary(EXPORT).future(slowly(), metadata=bearer, timeout=30) for _ in range(ARRIVING)]
        try:
            until(lambda: (refused := error()) and refused.code() is grpc.StatusCode.UNAVAILABLE)
            assert retry_after_s(error()) > 0
        finally:
            end.set()
        assert [call.result() for call in calls] == [b""] * ARRIVING
        assert error() is None


def test_connections_are_capped(receive, monkeypatch, until):
    monkeypatch.setattr("inspector.api.network.grpc_receiver.HANDSHAKE_S", 3600)
    start, connect = receive
    address = start(most_connections=3)
    silent = [connect(address) for _ in range(8)]
    until(lambda: sum(map(is_kept, silent)) == 3)


def test_a_connection_that_says_nothing_gives_its_place_back(receive, monkeypatch, until):
    monkeypatch.setattr("inspector.api.network.grpc_receiver.HANDSHAKE_S", 0.1)
    start, connect = receive
    address = start(most_connections=1)
    silent = connect(address)
    until(lambda: not is_kept(silent))
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary(EXPORT)(b"", timeout=30, wait_for_ready=True)
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


def is_kept(connection):
    """Whether the server greets a connection and leaves it open for a moment."""
    connection.settimeout(0.1)
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return True
    except ConnectionError:
        pass
    return False


def test_a_token_that_may_only_read_does_not_add(export):
    with pytest.raises(grpc.RpcError) as refused:
        export(b"", Token(SECRET).derive("read"))
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    assert export(b"", Token(SECRET).derive("ingest")) == b""


def test_a_busy_store_says_when_to_come_again(tmp_path, protobuf):
    class Locked:
        def write(self, spans, **others):
            raise StoreBusy("locked by another process")

    intake = Intake(Locked(), lambda: None)
    with receive_by_grpc(Settings(home=tmp_path, otlp_grpc_port=0), Token(SECRET), intake) as url:
        with grpc.insecure_channel(url.removeprefix("http://")) as channel:
            with pytest.raises(grpc.RpcError) as refused:
                channel.unary_unary(EXPORT)(protobuf(1), metadata=(("authorization", f"Bearer {SECRET}"),), timeout=30)
    intake.close()
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert retry_after_s(refused.value) > 0


def retry_after_s(error):
    (details,) = [value for key, value in error.trailing_metadata() if key == "grpc-status-details-bin"]
    retry = RetryInfo()
    assert Status.FromString(details).details[0].Unpack(retry)
    return retry.retry_delay.seconds


def serve_command(tmp_path, *options, **environment):
    env = {**os.environ, "INSPECTOR_HOME": str(tmp_path / "home"), "INSPECTOR_PORT": "0", **environment}
    command = [sys.executable, "-m", "inspector.cli", "serve", *options]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=30)


@pytest.mark.slow
def test_without_the_extra_one_line_says_how_to_install_it(tmp_path):
    (tmp_path / "grpc.py").write_text("raise ImportError('not installed')")
    done = serve_command(tmp_path, "--otlp-grpc-port", "0", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert 'pip install "mcp-agent-inspector[grpc]"' in done.stderr


@pytest.mark.slow
def test_a_port_in_use_is_named_with_the_way_out(server, tmp_path):
    port = server.grpc.rpartition(":")[2]
    done = serve_command(tmp_path, INSPECTOR_OTLP_GRPC_PORT=port)
    assert done.returncode == 1
    assert f"cannot take OTLP over gRPC on 127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr
