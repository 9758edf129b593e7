"""The 1.x SDK: sessions send for clients and servers alike, and every answer goes through a responder.

- ``BaseSession.send_request`` sends every request, in both directions, over every transport.
- ``RequestResponder`` answers incoming requests, including ``initialize`` and a client's callbacks: it is entered
  before the handler runs, gets the response, and is left.
- The SDK does not propagate trace context, so ``_meta.traceparent`` is added to what is sent.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final
from weakref import WeakKeyDictionary

from inspector.integrations.calls import safely
from inspector.integrations.mcp import client, server
from inspector.integrations.mcp.deciding import response_to
from inspector.integrations.mcp.places import wrap
from inspector.integrations.mcp.requests import (
    Envelope,
    JsonRpcExchange,
    OpenRequest,
    cancelled,
    members,
    not_a_message,
    notified,
    received,
    sent,
)
from inspector.integrations.mcp.server import plain
from inspector.integrations.mcp.transports import route_of
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.propagation import carry
from instrument import control

_SESSION = "mcp.shared.session"
_PROGRESS_CALLBACK = 3
"""Position of the argument of ``send_request``, after the request."""

_UNREAD: Final[tuple[str, Mapping[str, Any] | None]] = "", None
"""Stands for method and params if no controller needs them."""

_server_names: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
_answering: WeakKeyDictionary[Any, JsonRpcExchange] = WeakKeyDictionary()


def install(patches: Patches) -> None:
    """Wrap the functions named above."""
    wrap(patches, _SESSION, "BaseSession.send_request", _send)
    wrap(patches, _SESSION, "BaseSession.send_notification", _notify)
    wrap(patches, _SESSION, "RequestResponder.__enter__", _begin)
    wrap(patches, _SESSION, "RequestResponder.respond", _respond)
    wrap(patches, _SESSION, "RequestResponder.cancel", _cancel)
    wrap(patches, _SESSION, "RequestResponder.__exit__", _end)
    wrap(patches, "mcp.client.session", "ClientSession.initialize", _initialize)
    wrap(patches, "mcp.client.session", "ClientSession._received_notification", _notice)
    wrap(patches, "mcp.server.session", "ServerSession._received_notification", _notice)
    wrap(patches, "mcp.client.session", "ClientSession._handle_incoming", _heed)
    wrap(patches, "mcp.client.session", "ClientSession.call_tool", client.call_tool(_server_names.get))
    wrap(patches, "mcp.client.session", "ClientSession.read_resource", client.read_resource(_server_names.get))
    wrap(patches, "mcp.client.session", "ClientSession.get_prompt", client.get_prompt(_server_names.get))
    wrap(patches, "mcp.server.fastmcp.tools.tool_manager", "ToolManager.call_tool", server.run_tool)


class _Carrying:
    """Stands for a request while it is sent, with a trace context that the program's own object does not get.

    Args:
        request: The request.
        params: Other params; None for its own.
    """

    def __init__(self, request: Any, params: Mapping[str, Any] | None) -> None:
        self._request = request
        self._params = params

    @property
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride] - what errors of the SDK name
        return type(self._request)  # pyright: ignore[reportUnknownVariableType] - of whatever type the request is

    def __getattr__(self, name: str) -> Any:
        return getattr(self._request, name)

    def model_dump(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        dumped = self._request.model_dump(*args, **kwargs)
        params = members(dumped.get("params") if self._params is None else self._params)
        meta = members(params.get("_meta"))
        carry(meta)
        if meta:
            return {**dumped, "params": {**params, "_meta": meta}}
        return dumped if self._params is None else {**dumped, "params": params}


@wrapping
async def _send(original: Any, /, self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
    callback = kwargs.get("progress_callback", args[_PROGRESS_CALLBACK] if len(args) > _PROGRESS_CALLBACK else None)

    def describe() -> Envelope:
        envelope = _envelope(self._request_id, request)
        if callback is None:
            return envelope
        params = members(envelope.get("params"))
        meta = {**members(params.get("_meta")), "progressToken": self._request_id}
        return {**envelope, "params": {**params, "_meta": meta}}

    route = route_of(getattr(self, "_write_stream", None))
    exchange = sent(self, describe, route)
    method, own_params = _UNREAD
    if control.controller is not None:
        method, own_params = safely(lambda: _method_and_params(request), _UNREAD)
    is_sent: list[bool] = []

    async def send(params: Mapping[str, Any] | None) -> Any:
        is_sent.append(True)
        return await original(self, _Carrying(request, None if params is own_params else params), *args, **kwargs)

    with exchange, OpenRequest(self):
        result = await response_to(exchange, (method, own_params, route), send, _refusal)
        if not is_sent:
            self._request_id += 1
            result = (args[0] if args else kwargs["result_type"]).model_validate(result)
    exchange.answered(lambda: plain(result))
    return result


@wrapping
async def _initialize(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    result = await original(self, *args, **kwargs)
    name = getattr(getattr(result, "serverInfo", None), "name", None)
    if isinstance(name, str):
        _server_names[self] = name
    return result


@wrapping
def _begin(original: Any, self: Any) -> Any:
    _answering[self] = received(
        self._session,
        lambda: _envelope(self.request_id, self.request),
        route_of(getattr(self._session, "_write_stream", None)),
        lambda: _headers(self),
    )
    return original(self)


@wrapping
async def _respond(original: Any, self: Any, response: Any) -> None:
    exchange = _answering.get(self)
    # A cancelled request is not answered, whatever its handler returns.
    if exchange is not None and not self.cancelled:
        del _answering[self]
        if hasattr(response, "code"):
            exchange.refused(lambda: response)
        else:
            exchange.answered(lambda: plain(response))
    await original(self, response)


@wrapping
async def _cancel(original: Any, self: Any) -> None:
    cancelled(self._session, {"requestId": self.request_id}, "inbound")
    await original(self)


@wrapping
def _end(original: Any, self: Any, exc_type: Any, exc_val: Any, exc_tb: Any) -> Any:
    exchange = _answering.pop(self, None)
    if exchange is not None and exc_val is not None:
        exchange.raised(exc_val)
    elif exchange is not None:
        exchange.unanswered()
    return original(self, exc_type, exc_val, exc_tb)


@wrapping
async def _notice(original: Any, self: Any, notification: Any) -> None:
    root = getattr(notification, "root", None)
    method, params = getattr(root, "method", ""), getattr(root, "params", None)
    safely(lambda: notified(self, method, params, route_of(getattr(self, "_write_stream", None))), None)
    await original(self, notification)


@wrapping
async def _heed(original: Any, self: Any, req: Any) -> None:
    if isinstance(req, Exception):
        safely(lambda: not_a_message(self, req), None)
    await original(self, req)


@wrapping
async def _notify(original: Any, /, self: Any, notification: Any, *args: Any, **kwargs: Any) -> Any:
    root = getattr(notification, "root", None)
    if getattr(root, "method", None) == "notifications/cancelled":
        cancelled(self, getattr(root, "params", None), "outbound")
    return await original(self, notification, *args, **kwargs)


def _method_and_params(request: Any) -> tuple[str, Mapping[str, Any] | None]:
    """Return the method of a request, and its params as they are sent."""
    message = plain(request)
    return message["method"], message.get("params")


def _refusal(error: Mapping[str, Any]) -> Exception:
    # Type checking uses the 2.x SDK.
    exceptions, types = import_module("mcp.shared.exceptions"), import_module("mcp.types")
    return exceptions.McpError(types.ErrorData(**error))


def _envelope(request_id: Any, request: Any) -> Envelope:
    return {"jsonrpc": "2.0", "id": request_id, **plain(request)}


def _headers(responder: Any) -> Mapping[str, Any] | None:
    return getattr(getattr(responder.message_metadata, "request_context", None), "headers", None)
