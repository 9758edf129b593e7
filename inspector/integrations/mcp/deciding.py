"""The controller's decisions about JSON-RPC requests."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from inspector.integrations.mcp.nowhere import LISTENING
from inspector.integrations.mcp.requests import JsonRpcExchange
from inspector.integrations.mcp.transports import Route
from inspector.integrations.plain import is_fields
from instrument import control


async def response_to(
    exchange: JsonRpcExchange,
    request: tuple[str, Mapping[str, Any] | None, Route],
    send: Callable[[Mapping[str, Any] | None], Awaitable[Any]],
    refuse: Callable[[Mapping[str, Any]], Exception],
) -> Any:
    """Return the result of a request: the server's, or the controller's instead.

    Raises:
        Exception: The request is refused, by the server or by the controller.
        TypeError: The controller's answer is not a response.
    """
    method, params, route = request
    if control.controller is None or method == LISTENING:
        return await send(params)
    proposal = control.Proposal(
        "rpc_request", method, params, call_id=exchange.call_id, emitter="mcp", subject=route.server
    )
    ruling = await control.ask(proposal, exchange.add)
    if ruling.answer is None:
        return await send(cast("Mapping[str, Any] | None", ruling.args))
    response = ruling.answer.value
    held: dict[str, Any] = response if is_fields(response) else {}
    if "error" in held:
        raise refuse(held["error"])
    if "result" in held:
        return held["result"]
    kind = type(response).__name__
    raise TypeError(f"the controller answered {method} with {kind}; pass a dict with its 'result' or its 'error'")
