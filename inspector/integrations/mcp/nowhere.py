"""A connection without a server: the controller answers everything that is sent over it."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from math import inf
from typing import Any, Final

from instrument import control

LISTENING: Final = "subscriptions/listen"
"""A request that stays open while its client listens, and is answered when that ends."""


async def leads_nowhere(transport: str | None, server: object) -> bool:
    """Ask the controller whether to connect to no server, since it answers every request itself.

    Raises:
        Exception: The connection is refused.
    """
    if control.controller is None:
        return False
    proposal = control.Proposal("connection", transport or "", None, emitter="mcp", subject=server)
    # There is no hook for connections.
    ruling = await control.ask(proposal, dict)
    return ruling.answer is not None


@asynccontextmanager
async def nowhere(*, with_session_id: bool) -> AsyncGenerator[tuple[Any, ...]]:
    """Open streams that deliver nothing until they are closed, except that a client may listen.

    Args:
        with_session_id: Whether they come with a function that returns the session id.
    """
    import anyio  # the SDK brings it

    async with AsyncExitStack() as stack:
        outgoing, written = anyio.create_memory_object_stream[Any](inf)
        answers, incoming = anyio.create_memory_object_stream[Any](inf)
        for stream in (outgoing, written, answers, incoming):
            await stack.enter_async_context(stream)
        reading = await stack.enter_async_context(anyio.create_task_group())
        reading.start_soon(_acknowledge, written, answers)
        yield (incoming, outgoing, lambda: None) if with_session_id else (incoming, outgoing)
        reading.cancel_scope.cancel()


async def _acknowledge(written: Any, answers: Any) -> None:
    """Acknowledge requests to listen, which the SDK waits for, and drop everything else."""
    async for sent in written:
        request = sent.message
        if getattr(request, "method", None) != LISTENING:
            continue
        fields: dict[str, Any] = request.params or {}
        notification = import_module(type(request).__module__).JSONRPCNotification
        params: dict[str, Any] = {
            "notifications": fields.get("notifications", {}),
            "_meta": {"io.modelcontextprotocol/subscriptionId": request.id},
        }
        acknowledged = {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params}
        await answers.send(type(sent)(notification(**acknowledged)))
