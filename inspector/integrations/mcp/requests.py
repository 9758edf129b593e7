"""JSON-RPC requests between their two hooks, and the open ones."""

import json
import sys
from asyncio import CancelledError
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Self, TypeAlias
from weakref import WeakKeyDictionary

from inspector import semconv as sc
from inspector.integrations.calls import Call, announce, opened, safely
from inspector.integrations.classes import is_a
from inspector.integrations.mcp.beginnings import below_first, note_first
from inspector.integrations.mcp.server import plain, raised_by_the_function
from inspector.integrations.mcp.stderr import heard_over
from inspector.integrations.mcp.transports import Route, bare
from inspector.integrations.propagation import Surroundings, named_for_us
from inspector.record.calls.current import innermost
from inspector.record.calls.spans import RecordedSpan
from instrument.keywords import Direction

RequestId: TypeAlias = str | int
Envelope: TypeAlias = dict[str, Any]

_CONNECTION_CLOSED: Final = -32000

_under_way: WeakKeyDictionary[Any, dict[tuple[Direction, RequestId], "JsonRpcExchange"]] = WeakKeyDictionary()
"""By the SDK's object that both directions of a connection share."""

_waiting: WeakKeyDictionary[Any, list[RecordedSpan]] = WeakKeyDictionary()
"""The spans of open requests, by the same."""


class JsonRpcExchange:
    """A request and its outcome; it ends once.

    As a context manager it ends with what is raised inside; after a response, call `answered`.
    """

    __slots__ = ("_call", "_direction", "_key", "_request", "_surroundings", "_table", "is_unheard")

    def __init__(self, peer: Any, direction: Direction, describe: Callable[[], Envelope], route: Route) -> None:
        # Not the peer itself, which would then live until its requests have ended.
        self._table = _table(peer)
        self._direction: Direction = direction
        self.is_unheard = False
        """Whether its error is that of an HTTP server, which did not hand it to the one of MCP."""
        self._surroundings: Surroundings | None = None
        self._request: Envelope = {}
        self._call = opened(
            "rpc_request",
            lambda: {
                "envelope": self._described(describe),
                "transport": route.transport,
                "direction": direction,
                **({"server": route.server} if direction == "outbound" and route.server is not None else {}),
            },
            emitter="mcp",
        )
        note_first(peer)
        self._key = _key(direction, self._request.get("id"))
        if self._key is not None:
            self._table[self._key] = self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, exc: BaseException | None, traceback: object) -> None:
        if exc is not None:
            self.raised(exc)

    @property
    def call_id(self) -> str:
        """The id of this request in hooks."""
        return self._call.call_id

    @property
    def shown_call(self) -> Call:
        """The call that this process shows for the request: the one it was sent for, else the request itself."""
        above = self._call.parent
        stands = self._direction == "outbound" and above is not None and above.noun in _STAND_FOR_REQUESTS
        return above if stands and above is not None and above.is_open else self._call

    def add(self, **keywords: Any) -> None:
        """Add keywords for the hook that ends the request."""
        self._call.add(**keywords)

    def answered(self, result: Callable[[], Any]) -> None:
        """Report the result, which is only read if somebody subscribes."""
        self._leave()
        version = safely(lambda: self._unsupported(result()), None) if self._direction == "outbound" else None
        if version is not None:
            # As the SDK raises it, now that it has the answer.
            self._call.failed(RuntimeError(f"Unsupported protocol version from the server: {version}"))
        self._call.ended(lambda: {"envelope": self._response(result=result())})

    def refused(self, error: Callable[[], Any]) -> None:
        """Report a JSON-RPC error as the answer."""
        self._leave()
        self._call.ended(lambda: {"envelope": self._response(error=_error(error()))})

    def raised(self, exc: BaseException) -> None:
        """Report an exception: an error from the other side, or a request without an answer."""
        raised = raised_by_the_function(exc) if self._direction == "inbound" else exc
        is_answer = self._direction == "inbound" or not (self.is_unheard or _is_local(exc))
        if is_answer and raised is exc and is_a(exc, "MCPError", "McpError"):
            self.refused(lambda: getattr(exc, "error", None))
        else:
            self._leave()
            self._call.failed(raised)

    def broke(self, exc: Exception) -> None:
        """Report why the connection ended before an answer to our request."""
        if self._direction == "outbound":
            shown = self.shown_call
            self._leave()
            self._call.failed(exc)
            if shown.emitter == self._call.emitter:
                shown.failed(exc)

    def unanswered(self) -> None:
        """Report that the request was dropped, for example because it was cancelled."""
        self.raised(CancelledError())

    def _unsupported(self, result: Any) -> Any:
        """Return the revision that a server chose for a connection, if the SDK ends it for that."""
        if self._request.get("method") != "initialize":
            return None
        session = sys.modules["mcp.client.session"]
        known = getattr(session, "HANDSHAKE_PROTOCOL_VERSIONS", None) or session.SUPPORTED_PROTOCOL_VERSIONS
        version = _read(result, "protocolVersion", "protocol_version")
        return None if version in known else version

    def _described(self, describe: Callable[[], Envelope]) -> Envelope:
        self._request = describe()
        return self._request

    def _response(self, **outcome: Any) -> Envelope:
        return {"jsonrpc": "2.0", "id": self._request.get("id"), **outcome}

    def _leave(self) -> None:
        if self._key is not None and self._table.get(self._key) is self:
            del self._table[self._key]
        if self._surroundings is not None:
            self._surroundings.leave()
            self._surroundings = None

    def put_back_at_end(self, surroundings: Surroundings) -> None:
        """End the context of its handling together with the request."""
        self._surroundings = surroundings


_STAND_FOR_REQUESTS: Final = frozenset({"tool_call", "resource_fetch", "prompt_apply"})
_SHOW_REQUESTS: Final = _STAND_FOR_REQUESTS | {"rpc_request"}

_NOT_NEWS: Final = frozenset(
    ("notifications/initialized", "notifications/cancelled", "notifications/subscriptions/acknowledged")
)
"""Notifications that say nothing that the requests they follow do not say."""


def sent(peer: Any, describe: Callable[[], Envelope], route: Route) -> JsonRpcExchange:
    """Report that this process is about to send a request."""
    return JsonRpcExchange(peer, "outbound", describe, route)


def received(
    peer: Any,
    describe: Callable[[], Envelope],
    route: Route,
    headers: Callable[[], Mapping[str, Any] | None],
) -> JsonRpcExchange:
    """Report an incoming request, below the span and in the session that its sender names."""
    envelope, surroundings = _placed(describe, headers)
    exchange = JsonRpcExchange(peer, "inbound", (lambda: envelope) if envelope is not None else describe, route)
    if surroundings is not None:
        exchange.put_back_at_end(surroundings)
    return exchange


@contextmanager
def surrounded(describe: Callable[[], Envelope], headers: Callable[[], Mapping[str, Any] | None]) -> Generator[None]:
    """Handle an incoming request that its receiver reports itself, in its sender's session."""
    _, surroundings = _placed(describe, headers)
    try:
        yield
    finally:
        if surroundings is not None:
            surroundings.leave()


def progressed(peer: Any, params: Any) -> None:
    """Report an incoming progress notification for one of our requests."""
    span = _find(peer, "outbound", _read(params, "progressToken", "progress_token"))
    if span is not None:
        announce("progress_update", lambda: progress_of(params, span.call_id))


def progress_of(params: Any, call_id: str) -> dict[str, Any]:
    """Return the keywords of ``progress_update``."""
    return {name: _read(params, name) for name in ("progress", "total", "message")} | {"call_id": call_id}


class OpenRequest:
    """Remembers the span of a request to a server until it is answered, for what its server says meanwhile."""

    __slots__ = ("_span", "_spans", "_stderr")

    def __init__(self, peer: Any) -> None:
        self._spans = _spans(peer)
        self._stderr = heard_over(bare(getattr(peer, "_write_stream", None)))
        span = innermost()
        self._span = span if span is not None and span.noun in _SHOW_REQUESTS else None

    def __enter__(self) -> None:
        if self._span is not None:
            self._spans.append(self._span)
            if self._stderr is not None:
                self._stderr.opened(self._span)

    def __exit__(self, *_: object) -> None:
        if self._span is not None:
            self._spans.remove(self._span)
            if self._stderr is not None:
                self._stderr.ended(self._span)


def notified(peer: Any, method: str, params: Any, route: Route) -> None:
    """Report an incoming notification: at the calls that it is about, or as a message of its own."""
    match method:
        case "notifications/progress":
            progressed(peer, params)
        case "notifications/message" if _spans(peer):
            logged(peer, params)
        case method if method not in _NOT_NEWS:
            announce(
                "before_rpc_request",
                lambda: {
                    "envelope": _notification(method, members(plain(params))),
                    "transport": route.transport,
                    "direction": "inbound",
                    "emitter": "mcp",
                },
                below_first(peer),
            )
        case _:
            pass


def _notification(method: str, params: Mapping[str, Any]) -> Envelope:
    return {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}


def logged(peer: Any, params: Any) -> None:
    """Note a log message of a server in each request to it that is open: MCP does not say which one it is about."""
    data = _read(params, "data")
    message = data if isinstance(data, str) else json.dumps(data)
    _note(peer, str(_read(params, "level")), _read(params, "logger"), message)


def not_a_message(peer: Any, exc: Exception) -> None:
    """Note in each open request to a server that it wrote something else than a message, such as what it prints."""
    invalid: Any = exc
    written = invalid.errors()[0].get("input") if hasattr(exc, "errors") else None
    text = str(exc) if written is None else written if isinstance(written, str) else json.dumps(written)
    _note(peer, "error", "mcp", f"the server wrote what is no message of MCP: {text}")


def unopened(route: Route, exc: Exception) -> None:
    """Report a connection that could not be opened, as the request that begins one: nothing else ever tells of it."""
    exchange = sent(object(), lambda: {"jsonrpc": "2.0", "id": 0, "method": "initialize"}, route)
    cause: BaseException = exc
    while len(parts := getattr(cause, "exceptions", ())) == 1:
        (cause,) = parts
    exchange.raised(cause)


def unheard_here() -> None:
    """Note that an HTTP server answered the request that is being sent in this context by itself."""
    span = innermost()
    for table in tuple(_under_way.values()):
        for exchange in tuple(table.values()):
            if span is not None and exchange.call_id == span.call_id:
                exchange.is_unheard = True


def noted_here(message: str) -> None:
    """Note an error in the request that is being sent in this context."""
    span = innermost()
    if span is not None and span.noun in _SHOW_REQUESTS:
        span.record_event(sc.LOG_EVENT, {sc.LOG_LEVEL: "error", sc.LOG_LOGGER: "mcp", sc.LOG_MESSAGE: message})


def broke(stream: Any, exc: Exception) -> None:
    """Report why the connection ended that writes to this stream; the SDK cancels what waits for answers."""
    for peer, table in tuple(_under_way.items()):
        if stream is not None and bare(getattr(peer, "_write_stream", None)) is stream:
            for exchange in tuple(table.values()):
                exchange.broke(exc)


def _note(peer: Any, level: str, logger: str | None, message: str) -> None:
    known = {sc.LOG_LEVEL: level, sc.LOG_LOGGER: logger, sc.LOG_MESSAGE: message}
    for span in tuple(_spans(peer)):
        span.record_event(sc.LOG_EVENT, {name: value for name, value in known.items() if value is not None})


def _spans(peer: Any) -> list[RecordedSpan]:
    try:
        return _waiting.setdefault(peer, [])
    except TypeError:
        # As in `_table`.
        return []


def cancelled(peer: Any, params: Any, direction: Direction) -> None:
    """Report a cancellation: by the peer, of its request to us, or by the program, of its own."""
    span = _find(peer, direction, _read(params, "requestId", "request_id"))
    if span is not None:
        call_id = span.shown_call.call_id
        announce("operation_cancelled", lambda: {"reason": _read(params, "reason"), "call_id": call_id})


def _placed(
    describe: Callable[[], Envelope], headers: Callable[[], Mapping[str, Any] | None]
) -> tuple[Envelope | None, Surroundings | None]:
    try:
        envelope = describe()
        params = members(envelope.get("params"))
        meta = members(params.get("_meta"))
        surroundings = Surroundings(meta, headers)
        ours = named_for_us(meta)
    # The boundary to the SDK, whose objects may be of an unknown version. The hook describes it again, and reports the
    # failure.
    except Exception:  # noqa: BLE001
        return None, None
    return envelope if ours is None else {**envelope, "params": {**params, "_meta": ours}}, surroundings


def _table(peer: Any) -> dict[tuple[Direction, RequestId], JsonRpcExchange]:
    try:
        return _under_way.setdefault(peer, {})
    except TypeError:
        # A connection for one request has an object without identity; nothing else will refer to that request.
        return {}


def _find(peer: Any, direction: Direction, request_id: object) -> JsonRpcExchange | None:
    key = _key(direction, request_id)
    return None if key is None else _table(peer).get(key)


def _key(direction: Direction, request_id: object) -> tuple[Direction, RequestId] | None:
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        return None
    # For the SDK, "7" and 7 are the same id.
    if isinstance(request_id, str) and request_id.isdecimal():
        return direction, int(request_id)
    return direction, request_id


def members(value: Any) -> dict[str, Any]:
    """Return a copy of a mapping; empty if it is none."""
    return dict(value) if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - JSON has texts for keys


def _read(params: Any, *names: str) -> Any:
    fields = members(params)
    for name in names:
        value = fields.get(name) if fields else getattr(params, name, None)
        if value is not None:
            return value
    return None


def _error(error: Any) -> dict[str, Any]:
    return {name: value for name in ("code", "message", "data") if (value := _read(error, name)) is not None}


def _is_local(exc: BaseException) -> bool:
    """Tell whether the SDK itself made this error, because no answer came, or not in time."""
    error = getattr(exc, "error", None)
    closed = getattr(error, "code", None) == _CONNECTION_CLOSED and getattr(error, "message", "") == "Connection closed"
    return closed or isinstance(exc.__context__, TimeoutError)
