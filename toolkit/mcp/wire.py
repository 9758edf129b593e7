"""The SDK's wire with the hooks around every request on it."""

from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any, TypeVar

import anyio.abc
from anyio import TASK_STATUS_IGNORED, Event
from mcp.shared.dispatcher import CallOptions, DispatchContext, OnNotify, OnNotifyIntercept, OnRequest
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from instrument import around
from toolkit.plain import plain

R = TypeVar("R")


class NotSent(MCPError):
    """The connection was over before the request went out."""

    def __init__(self) -> None:
        super().__init__(CONNECTION_CLOSED, "Connection closed")


class Wire(JSONRPCDispatcher[TransportContext]):
    """One connection's requests, both ways.

    What is sent is sent inside its hooks, so that the trace context that the SDK writes into ``_meta`` names the
    request's own span.
    """

    emits_hooks = True
    """Tells recorders that patch the SDK to leave the requests of this dispatcher alone."""

    def __init__(self, incoming: Any, outgoing: Any, transport: str, server: str | list[str] | None = None) -> None:
        super().__init__(incoming, outgoing)
        self._transport = transport
        self._server = {} if server is None else {"server": server}
        self._ids = count(1)
        self._under_way = 0
        self.ended = Event()
        self.cut_off = 0
        """How many requests were without their answer when the connection ended."""

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None, **more: Any
    ) -> dict[str, Any]:
        """Send a request under an id of our own, since the hook before it has to know the id."""
        chosen = opts or CallOptions()
        request_id = chosen.setdefault("request_id", next(self._ids))
        return await watched(
            lambda: self._send(method, params, chosen, more),
            (request_id, method, params or None),
            transport=self._transport,
            direction="outbound",
            **self._server,
        )

    async def _send(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions, more: Mapping[str, Any]
    ) -> dict[str, Any]:
        # The hooks may have taken a while.
        if self.ended.is_set():
            raise NotSent
        self._under_way += 1
        try:
            return await super().send_raw_request(method, params, opts, **more)
        except MCPError as error:
            # All of them are woken at once, and the first to come here still counts the others.
            if is_closed(error):
                self.cut_off = max(self.cut_off, self._under_way)
            raise
        finally:
            self._under_way -= 1

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
                lambda: on_request(dctx, method, params),
                (dctx.request_id, method, params or None),
                transport=self._transport,
                direction="inbound",
            )

        try:
            await super().run(answer, on_notify, on_notify_intercept, task_status=task_status)
        finally:
            self.ended.set()


async def watched(
    work: Callable[[], Awaitable[R]], request: tuple[object, str, Mapping[str, Any] | None], **about: Any
) -> R:
    """Do the work of a JSON-RPC request with its hooks around it.

    Args:
        work: Sends the request, or answers it.
        request: Its id, its method and its params.
        about: What the hooks are told besides: ``transport``, ``direction`` and ``server``.

    Raises:
        MCPError: The request was refused, or nobody answered.
    """
    request_id, method, params = request
    asked: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    envelope = asked | ({"params": dict(params)} if params is not None else {})
    async with around("rpc_request", emitter="toolkit", envelope=envelope, **about) as call:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id}
        try:
            result = await work()
        except MCPError as error:
            if _is_local(error):
                raise
            refusal = error
            call.set(envelope=answer | {"error": error.error.model_dump(mode="json", exclude_none=True)})
        else:
            call.set(envelope=answer | {"result": plain(result)})
            return result
    # Outside of the block: a refusal is an answer, and the request did not fail.
    raise refusal


def _is_local(error: MCPError) -> bool:
    """Tell whether the error was made on this side, because no answer came in time or at all."""
    return is_closed(error) or is_late(error)


def is_closed(error: MCPError) -> bool:
    """Tell whether the SDK raised the error because the connection ended."""
    return error.code == CONNECTION_CLOSED and error.message == "Connection closed"


def is_too_large(error: MCPError) -> bool:
    """Tell whether the SDK raised the error because the answer is larger than it may be: it came, and was not read."""
    return error.code == CONNECTION_CLOSED and "byte limit" in error.message


def is_late(error: MCPError) -> bool:
    """Tell whether the SDK raised the error because there was no answer in the request's time."""
    return error.code == REQUEST_TIMEOUT and isinstance(error.__context__, TimeoutError)
