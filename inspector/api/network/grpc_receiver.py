"""OTLP over gRPC, for senders that speak nothing else: the same requests, decoder, queue and token as over HTTP.

https://opentelemetry.io/docs/specs/otlp/#otlpgrpc
"""

import logging
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from threading import BoundedSemaphore, Timer
from typing import Any, Final, NoReturn

from inspector.api.access.tokens import NOTHING, Token
from inspector.api.errors import AddressUnusable, ExportFailed, GrpcMissing
from inspector.api.exports import REQUESTS, deliver, response_to
from inspector.api.network.arriving_bodies import MOST_ARRIVING_BYTES
from inspector.api.problems import RETRY_S
from inspector.ingest import Intake
from inspector.otlp import MOST_BYTES, Signal, come_again
from inspector.settings import Settings
from inspector.store import StoreError

SERVICES: Final[dict[Signal, str]] = {
    "traces": "opentelemetry.proto.collector.trace.v1.TraceService",
    "metrics": "opentelemetry.proto.collector.metrics.v1.MetricsService",
    "logs": "opentelemetry.proto.collector.logs.v1.LogsService",
}
"""Each has one method, ``Export``."""
WORKERS = 8
"""Requests processed at once; others wait."""
GRACE_S = 1.0
MOST_CONNECTIONS = 500
"""The limit if the caller sets none."""
HANDSHAKE_S = 10.0
"""How long a connection may take to start speaking HTTP/2."""
IDLE_S = 60.0
"""How long a connection may be without a request; senders reconnect by themselves."""
MESSAGE_S = 60.0
"""How long the message of a request may take to arrive, since a worker waits for it."""
ARRIVING = MOST_ARRIVING_BYTES // MOST_BYTES
"""Messages read at once. The length of a message is not known before all of it is in memory, so each counts as the
longest allowed."""
PLACE_S = 5.0
"""How long a request waits to be read before its sender is told to retry; SDKs give up after 10 s."""
_STREAMS = 32

_log = logging.getLogger("inspector.api")


@contextmanager
def receive_by_grpc(
    settings: Settings, token: Token, intake: Intake, *, most_connections: int = MOST_CONNECTIONS
) -> Generator[str | None]:
    """Receive OTLP over gRPC until the block ends, if a port is set; yields the address.

    Args:
        settings: Whether, and on which host and port.
        token: Opens it.
        intake: Receives the spans.
        most_connections: How many there may be; further ones are closed at once.

    Raises:
        GrpcMissing: The extra ``grpc`` is not installed.
        AddressUnusable: The server cannot listen on the port.
    """
    if settings.otlp_grpc_port is None:
        yield None
        return
    try:
        grpc: Any = import_module("grpc")
    except ImportError as error:
        raise GrpcMissing(
            'OTLP over gRPC needs further packages; install them with: pip install "mcp-agent-inspector[grpc]"'
        ) from error
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="inspector-grpc")
    options = [
        ("grpc.max_receive_message_length", MOST_BYTES),
        ("grpc.max_concurrent_streams", _STREAMS),
        ("grpc.so_reuseport", 0),  # a second server has to fail instead of getting every other connection
        ("grpc.max_allowed_incoming_connections", most_connections),
        ("grpc.server_handshake_timeout_ms", int(HANDSHAKE_S * 1000)),
        ("grpc.max_connection_idle_ms", int(IDLE_S * 1000)),
    ]
    server: Any = grpc.server(pool, options=options)
    places = BoundedSemaphore(ARRIVING)
    for signal, service in SERVICES.items():
        # On the wire, one message equals a stream of one; only a stream lets us check the token before reading.
        method: Any = grpc.stream_unary_rpc_method_handler(_Export(signal, token, intake, places))
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"Export": method}),))
    port = _listen(server, settings)
    server.start()
    try:
        yield f"http://{_host(settings)}:{port}"
    finally:
        server.stop(GRACE_S).wait()
        pool.shutdown()


def _host(settings: Settings) -> str:
    return f"[{settings.host}]" if ":" in settings.host else settings.host


def _listen(server: Any, settings: Settings) -> int:
    wanted = f"{_host(settings)}:{settings.otlp_grpc_port}"
    try:
        port = server.add_insecure_port(wanted)
    except RuntimeError:
        port = 0
    if not port:
        raise AddressUnusable(
            f"cannot take OTLP over gRPC on {wanted}; "
            "choose another port with --otlp-grpc-port or INSPECTOR_OTLP_GRPC_PORT, or 0 for any free one"
        )
    return port


class _Export:
    """``Export`` of a service with bytes in and out, so that nothing is parsed before it is counted.

    Without a token, nothing is read at all.
    """

    def __init__(self, signal: Signal, token: Token, intake: Intake, places: BoundedSemaphore) -> None:
        self._signal: Signal = signal
        self._token = token
        self._intake = intake
        self._places = places

    def __call__(self, messages: Iterator[bytes], context: Any) -> bytes:
        from grpc import StatusCode

        scopes = _scopes(self._token, context)
        if not scopes:
            context.abort(
                StatusCode.UNAUTHENTICATED,
                "needs the metadata 'authorization: Bearer <token>'; 'inspector token --scope ingest' prints one",
            )
        if "ingest" not in scopes:
            context.abort(
                StatusCode.PERMISSION_DENIED,
                "this token lacks the scope 'ingest'; 'inspector token --scope ingest' prints one that has it",
            )
        body = self._read(messages, context)
        try:
            receipt = deliver(self._intake, body, "protobuf", signal=self._signal).result()
            return response_to(receipt, "protobuf", self._signal)
        except ExportFailed as error:
            failed = error
        except StoreError as error:
            _come_again(context, str(error))
        except Exception:  # noqa: BLE001
            # The border: whatever failed, the sender learns no more than that it may try again.
            _log.exception("failed to answer %s", SERVICES[self._signal])
            _come_again(context, "the server failed; its log says why")
        if failed.status == 503:
            _come_again(context, str(failed))
        code = StatusCode.RESOURCE_EXHAUSTED if failed.status == 413 else StatusCode.INVALID_ARGUMENT
        context.abort(code, str(failed))
        raise AssertionError("abort raises")

    def _read(self, messages: Iterator[bytes], context: Any) -> bytes:
        if not self._places.acquire(timeout=PLACE_S):
            _come_again(context, "too much is arriving at once; retry later")
        try:
            return self._message(messages, context)
        finally:
            self._places.release()

    def _message(self, messages: Iterator[bytes], context: Any) -> bytes:
        """Read the one message of a request; if it does not arrive, give up, so that others can be read."""
        from grpc import StatusCode

        late = Timer(MESSAGE_S, context.cancel)
        late.daemon = True
        late.start()
        try:
            return next(messages)
        except StopIteration:
            context.abort(StatusCode.INVALID_ARGUMENT, f"send one {REQUESTS[self._signal]}")
            raise AssertionError("abort raises") from None
        finally:
            late.cancel()


def _scopes(token: Token, context: Any) -> frozenset[str]:
    values = [value for key, value in context.invocation_metadata() if key == "authorization"]
    scheme, _, text = values[0].partition(" ") if len(values) == 1 and isinstance(values[0], str) else ("", "", "")
    return token.scopes(text.strip()) if scheme.lower() == "bearer" else NOTHING


def _come_again(context: Any, message: str) -> NoReturn:
    """End with UNAVAILABLE, and the time after which the sender should retry.

    https://opentelemetry.io/docs/specs/otlp/#otlpgrpc-throttling
    """
    from grpc import StatusCode

    context.set_trailing_metadata((("grpc-status-details-bin", come_again(message, int(RETRY_S))),))
    context.abort(StatusCode.UNAVAILABLE, message)
    raise AssertionError("abort raises")
