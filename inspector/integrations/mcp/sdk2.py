"""The 2.x SDK: dispatchers send and receive for clients and servers alike, and runners answer.

- ``JSONRPCDispatcher.send_raw_request`` sends every request over a stream (stdio, HTTP, SSE, memory), in both
  directions, and ``DirectDispatcher.send_raw_request`` hands one to a server in the same process.
- ``JSONRPCDispatcher._dispatch_notification`` and ``DirectDispatcher._dispatch_notify`` receive every notification.
- ``ServerRunner._on_request`` and ``ClientSession._on_request`` answer, whatever the transport; the first is where
  ``Server.middleware`` runs, so failures outside of the handlers are seen too.
- ``inject_trace_context`` writes ``_meta.traceparent``; the span shown for the request has to be found there.
- ``Client`` repeats a call until a server has all the input it asks for, so it is wrapped as well as ``ClientSession``.

Dispatchers and servers with a true attribute ``emits_hooks`` report their requests themselves, and are left alone.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from inspector.integrations.calls import announce, enclosing, safely
from inspector.integrations.mcp import client, server
from inspector.integrations.mcp.deciding import response_to
from inspector.integrations.mcp.places import wrap
from inspector.integrations.mcp.requests import (
    Envelope,
    OpenRequest,
    cancelled,
    members,
    not_a_message,
    notified,
    progress_of,
    received,
    sent,
    surrounded,
)
from inspector.integrations.mcp.transports import Route, route_of
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.propagation import carry
from instrument import control

_DISPATCHER = "mcp.shared.jsonrpc_dispatcher"
_DIRECT = "mcp.shared.direct_dispatcher"
_MEMORY: Final = Route("memory")


def install(patches: Patches) -> None:
    """Wrap the functions named above."""
    wrap(patches, _DISPATCHER, "JSONRPCDispatcher.send_raw_request", _send)
    wrap(patches, _DISPATCHER, "JSONRPCDispatcher._dispatch_notification", _notice)
    wrap(patches, _DISPATCHER, "inject_trace_context", _inject)
    wrap(patches, _DIRECT, "DirectDispatcher.send_raw_request", _send_directly)
    wrap(patches, _DIRECT, "DirectDispatcher._dispatch_notify", _notice_directly)
    wrap(patches, _DIRECT, "_DirectDispatchContext.send_raw_request", _ask_back_directly)
    wrap(patches, _DIRECT, "_DirectDispatchContext.progress", _progress_directly)
    wrap(patches, "mcp.server.runner", "ServerRunner._on_request", _answer)
    wrap(patches, "mcp.client.session", "ClientSession._on_request", _answer)
    wrap(patches, "mcp.client.session", "ClientSession.send_notification", _notify)
    wrap(patches, "mcp.client.session", "ClientSession._on_stream_exception", _heed)
    for module, owner in (("mcp.client.session", "ClientSession"), ("mcp.client.client", "Client")):
        wrap(patches, module, f"{owner}.call_tool", client.call_tool(_server_name))
        wrap(patches, module, f"{owner}.read_resource", client.read_resource(_server_name))
        wrap(patches, module, f"{owner}.get_prompt", client.get_prompt(_server_name))
    wrap(patches, "mcp.server.mcpserver.tools.tool_manager", "ToolManager.call_tool", server.run_tool)


def _server_name(asking: Any) -> str | None:
    name = getattr(asking.server_info, "name", None)
    return name if isinstance(name, str) else None


@wrapping
async def _send(
    original: Any, /, self: Any, method: str, params: Mapping[str, Any] | None, opts: Any = None, **more: Any
) -> Any:
    if _emits_hooks(self):
        with OpenRequest(self):
            return await original(self, method, params, opts, **more)
    opts = _numbered(self, lambda: self._pending, opts)
    route = route_of(getattr(self, "_write_stream", None))
    exchange = sent(self, lambda: _request(_next_id(self, self._pending, opts), method, params, opts), route)
    with exchange, OpenRequest(self):
        result = await response_to(
            exchange, (method, params, route), lambda given: original(self, method, given, opts, **more), _refusal
        )
    exchange.answered(lambda: result)
    return result


@wrapping
async def _send_directly(
    original: Any, self: Any, method: str, params: Mapping[str, Any] | None, opts: Any = None
) -> Any:
    def describe() -> Envelope:
        peer = self._peer
        return _request(_next_id(peer, peer._in_flight_ids, opts), method, params, None)  # noqa: SLF001 - no other way

    opts = _numbered(safely(lambda: self._peer, None), lambda: self._peer._in_flight_ids, opts)  # noqa: SLF001 - as below
    with sent(self, describe, _MEMORY) as exchange:
        result = await response_to(
            exchange, (method, params, _MEMORY), lambda given: original(self, method, given, opts), _refusal
        )
    exchange.answered(lambda: result)
    return result


@wrapping
async def _ask_back_directly(
    original: Any, self: Any, method: str, params: Mapping[str, Any] | None, opts: Any = None
) -> Any:
    if not self.can_send_request:
        return await original(self, method, params, opts)
    with sent(self, lambda: _request(members(opts).get("request_id"), method, params, None), _MEMORY) as exchange:
        result = await original(self, method, params, opts)
    exchange.answered(lambda: result)
    return result


@wrapping
async def _progress_directly(
    original: Any, self: Any, progress: float, total: float | None = None, message: str | None = None
) -> None:
    if getattr(self, "_on_progress", None) is not None:
        # The request was sent in the same context in which it is handled.
        request = next((each for each in enclosing("rpc_request") if each.keyword("direction") == "outbound"), None)
        if request is not None:
            params = {"progress": progress, "total": total, "message": message}
            announce("progress_update", lambda: progress_of(params, request.call_id))
    await original(self, progress, total, message)


@wrapping
async def _answer(original: Any, self: Any, dctx: Any, method: str, params: Mapping[str, Any] | None) -> Any:
    if _is_internal(dctx, method):
        return await original(self, dctx, method, params)
    connection = _innermost_context(dctx)
    if _emits_hooks(getattr(self, "server", None)) or _emits_hooks(getattr(connection, "_dispatcher", None)):
        with surrounded(lambda: _request(dctx.request_id, method, params, None), lambda: _headers(connection)):
            return await original(self, dctx, method, params)
    exchange = received(
        getattr(connection, "_dispatcher", connection),
        lambda: _request(dctx.request_id, method, params, None),
        _route(connection),
        lambda: _headers(connection),
    )
    with exchange:
        result = await original(self, dctx, method, params)
    exchange.answered(lambda: result)
    return result


def _emits_hooks(each: Any) -> bool:
    return getattr(each, "emits_hooks", False) is True


@wrapping
def _notice(original: Any, /, self: Any, msg: Any, *args: Any, **kwargs: Any) -> Any:
    method, params = getattr(msg, "method", ""), getattr(msg, "params", None)
    if method == "notifications/cancelled":
        cancelled(self, params, "inbound")
    elif method != "notifications/progress" or not _emits_hooks(self):
        safely(lambda: notified(self, method, params, route_of(getattr(self, "_write_stream", None))), None)
    return original(self, msg, *args, **kwargs)


@wrapping
async def _notice_directly(original: Any, /, self: Any, method: str, params: Mapping[str, Any] | None) -> None:
    # Progress is announced where it is sent.
    if method != "notifications/progress":
        safely(lambda: notified(self, method, params, _MEMORY), None)
    await original(self, method, params)


@wrapping
async def _heed(original: Any, self: Any, exc: Exception) -> None:
    safely(lambda: not_a_message(getattr(self, "_dispatcher", None), exc), None)
    await original(self, exc)


@wrapping
async def _notify(original: Any, /, self: Any, notification: Any, *args: Any, **kwargs: Any) -> Any:
    if getattr(notification, "method", None) == "notifications/cancelled":
        cancelled(getattr(self, "_dispatcher", None), getattr(notification, "params", None), "outbound")
    return await original(self, notification, *args, **kwargs)


@wrapping
def _inject(original: Any, meta: dict[str, Any]) -> None:
    original(meta)
    carry(meta)


def _request(
    request_id: Any, method: str, params: Mapping[str, Any] | None, opts: Mapping[str, Any] | None
) -> Envelope:
    envelope: Envelope = {"jsonrpc": "2.0", "id": request_id, "method": method}
    fields = members(params)
    if opts and opts.get("on_progress") is not None:
        fields["_meta"] = {**members(fields.get("_meta")), "progressToken": request_id}
    return {**envelope, "params": fields} if fields else envelope


def _next_id(dispatcher: Any, taken: Any, opts: Mapping[str, Any] | None) -> Any:
    """Return the id that the dispatcher is about to assign, before any other await."""
    supplied = (opts or {}).get("request_id")
    if supplied is not None:
        return supplied
    request_id = dispatcher._next_id + 1  # noqa: SLF001 - no other way
    while request_id in taken:
        request_id += 1
    return request_id


def _numbered(dispatcher: Any, taken: Callable[[], Any], opts: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the options of a request with its id, if a controller is asked first and others may be sent meanwhile.

    The id is taken now, whether the request is sent or not.
    """
    if control.controller is None or (opts or {}).get("request_id") is not None:
        return opts

    def number() -> int:
        dispatcher._next_id = _next_id(dispatcher, taken(), opts)  # noqa: SLF001 - as above
        return dispatcher._next_id  # noqa: SLF001 - as above

    request_id = safely(number, None)
    return opts if request_id is None else {**(opts or {}), "request_id": request_id}


def _refusal(error: Mapping[str, Any]) -> Exception:
    from mcp.shared.exceptions import MCPError

    return MCPError(code=error["code"], message=error["message"], data=error.get("data"))


def _innermost_context(dctx: Any) -> Any:
    while (inner := getattr(dctx, "_inner", None)) is not None:
        dctx = inner
    return dctx


def _route(connection: Any) -> Route:
    dispatcher = getattr(connection, "_dispatcher", None)
    if dispatcher is not None:
        return route_of(getattr(dispatcher, "_write_stream", None))
    kind = getattr(getattr(connection, "transport", None), "kind", None)
    return Route({"direct": "memory", "streamable-http": "http"}.get(kind) if isinstance(kind, str) else None)


def _headers(connection: Any) -> Mapping[str, Any] | None:
    request = getattr(connection.message_metadata, "request_context", None)
    return getattr(request, "headers", None) or connection.transport.headers


def _is_internal(dctx: Any, method: str) -> bool:
    """Tell whether this is the SDK's own request: it lists a server's tools to check the headers of an HTTP request."""
    if method != "tools/list":
        return False
    try:
        named = (_headers(_innermost_context(dctx)) or {}).get("mcp-method")
    # The border to the SDK.
    except Exception:  # noqa: BLE001
        return False
    return named is not None and named != method
