"""ASGI: each connection, including a websocket, is one request until the application returns.

https://asgi.readthedocs.io/en/latest/specs/www.html
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from functools import partial
from typing import Any, TypeAlias

from inspector.integrations.served import Served, arrived
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tracebacks import unseen

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[Any]]

_CONTEXT = {b"traceparent": "traceparent", b"tracestate": "tracestate"}


async def answer_asgi(app: App, scope: Scope, receive: Receive, send: Send, *, at_server: bool = False) -> Any:
    """Let an application answer one connection, as a request unless an outer application began one."""
    request = _arrived(scope, at_server) if scope.get("type") in ("http", "websocket") else None
    if request is None:
        with unseen:
            return await app(scope, receive, send)
    connection = _Connection(request, receive, send)
    with unseen:
        try:
            result = await app(scope, connection.receive, connection.send)
        except BaseException as exc:
            request.ended(exc)
            raise
    request.ended()
    return result


class AsgiApp(StandIn):
    """An application as a server calls it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> Any:
        """Answer one connection."""
        with unseen:
            return await answer_asgi(self._inner, scope, receive, send, at_server=True)


class _Connection:
    """Observes the messages: the status, the end of the response, and whether the client still waits for it."""

    def __init__(self, request: Served, receive: Receive, send: Send) -> None:
        self._request = request
        self._receive = receive
        self._send = send
        self._is_answered = False

    async def receive(self) -> MutableMapping[str, Any]:
        with unseen:
            message = await self._receive()
        if message.get("type") == "http.disconnect" and not self._is_answered:
            self._request.is_left = True
        return message

    async def send(self, message: MutableMapping[str, Any]) -> None:
        kind = message.get("type")
        if kind in ("http.response.start", "websocket.http.response.start"):
            self._request.status = message.get("status")
        elif kind == "websocket.accept":
            self._request.status = 101
        with unseen:
            try:
                await self._send(message)
            except OSError:
                # Servers raise this if the client has gone.
                self._request.is_left = True
                raise
        if kind == "http.response.body" and not message.get("more_body"):
            self._is_answered = True


def _arrived(scope: Scope, at_server: bool) -> Served | None:  # noqa: FBT001 - see the caller
    method = scope.get("method") if scope["type"] == "http" else "WEBSOCKET"
    request = arrived(str(method), str(scope.get("path")), _context(scope.get("headers") or ()), at_server=at_server)
    if request is not None:
        request.recorded.route = partial(route_of, scope)
    return request


def _context(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {_CONTEXT[name]: value.decode("latin-1") for name, value in headers if name in _CONTEXT}


def route_of(scope: Scope) -> str | None:
    """Return the pattern of the route that Starlette or FastAPI chose, including its mount prefix."""
    path = getattr(scope.get("route"), "path", None)
    if not isinstance(path, str):
        return None
    mounted = str(scope.get("root_path", "")).removeprefix(str(scope.get("app_root_path", "")))
    return mounted + path
