"""The SDK's wire with the hooks around every request on it."""

from asyncio import Event
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any, TypeVar, cast

import anyio.abc
from anyio import TASK_STATUS_IGNORED
from mcp.shared.dispatcher import CallOptions, DispatchContext, OnNotify, OnNotifyIntercept, OnRequest
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp.types import CONNECTION_CLOSED

from instrument import Call, around, control
from toolkit.errors import ToolkitError
from toolkit.plain import plain

R = TypeVar("R")


class Wire(JSONRPCDispatcher[TransportContext]):
    """One connection's requests, both ways.

    What is sent is sent inside its hooks, so that the trace context that the SDK writes into ``_meta`` names the
    request's own span.
    """

    emits_hooks = True
    """Tells recorders that patch the SDK to leave the requests of this dispatcher alone."""

    def __init__(
        self, incoming: Any, outgoing: Any, transport: str, server: str | list[str] | None, *, ended: Event
    ) -> None:
        super().__init__(incoming, outgoing)
        self._transport = transport
        self._server = {} if server is None else {"server": server}
        self._ids = count(1)
        self._ended = ended

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None, **more: Any
    ) -> dict[str, Any]:
        """Send a request under an id of our own, since the hook before it has to know the id."""
        chosen = opts or CallOptions()
        request_id = chosen.setdefault("request_id", next(self._ids))

        async def send(given: Mapping[str, Any] | None) -> dict[str, Any]:
            return await super(Wire, self).send_raw_request(method, given, chosen, **more)

        return await watched(
            lambda call: _decided(call, method, params, send, self._server.get("server")),
            (request_id, method, params or None),
            transport=self._transport,
            direction="outbound",
            **self._server,
        )

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = TASK_STATUS_IGNORED,
    ) -> None:
        """Read until the other side goes away, and note that it did."""

        async def answer(
            dctx: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
        ) -> dict[str, Any]:
            return await watched(
                lambda _: on_request(dctx, method, params),
                (dctx.request_id, method, params or None),
                transport=self._transport,
                direction="inbound",
            )

        try:
            await super().run(answer, on_notify, on_notify_intercept, task_status=task_status)
        finally:
            self._ended.set()


async def watched(
    work: Callable[[Call], Awaitable[R]], request: tuple[object, str, Mapping[str, Any] | None], **about: Any
) -> R:
    """Do the work of a JSON-RPC request, which has an id, a method and params, with its hooks around it."""
    request_id, method, params = request
    asked: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    envelope = asked | ({"params": dict(params)} if params is not None else {})
    async with around("rpc_request", emitter="toolkit", envelope=envelope, **about) as call:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id}
        try:
            result = await work(call)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED and error.message == "Connection closed":
                raise  # by the SDK, because the connection ended
            refusal = error
            call.set(envelope=answer | {"error": error.error.model_dump(mode="json", exclude_none=True)})
        else:
            call.set(envelope=answer | {"result": plain(result)})
            return result
    # Outside of the block: a refusal is an answer, and the request did not fail.
    raise refusal


async def _decided(
    call: Call,
    method: str,
    params: Mapping[str, Any] | None,
    send: Callable[[Mapping[str, Any] | None], Awaitable[dict[str, Any]]],
    server: object,
) -> dict[str, Any]:
    """Send a request, or have the controller answer it, where there is one."""
    if control.controller is None:
        return await send(params)
    proposal = control.Proposal("rpc_request", method, params, call_id=call.call_id, emitter="toolkit", subject=server)
    ruling = await control.ask(proposal, call.set)
    if ruling.answer is None:
        return await send(cast("Mapping[str, Any] | None", ruling.args))
    response = ruling.answer.value
    if isinstance(response, dict):
        message = cast("dict[str, Any]", response)
        if "error" in message:
            error: dict[str, Any] = message["error"]
            raise MCPError(error["code"], error["message"], error.get("data"))
        if "result" in message:
            return message["result"]
    kind = type(cast("object", response)).__name__
    raise ToolkitError(f"the controller answered {method} with {kind}; pass a dict with its 'result' or its 'error'")
