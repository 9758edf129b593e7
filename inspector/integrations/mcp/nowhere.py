"""A way to a server that is neither started nor reached, where the controller says so."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from math import inf
from typing import Any, Final

from instrument import control

LISTENING: Final = "subscriptions/listen"
"""A request that is open for as long as its client listens, and answered when that ends."""


async def leads_nowhere(transport: str | None, server: object) -> bool:
    """Ask the controller whether a server is done without, since it answers all that is asked of it.

    Args:
        transport: How it would be reached.
        server: Where it is: its URL, or the command that starts it.

    Raises:
        Exception: The connection is refused.
    """
    if control.controller is None:
        return False
    proposal = control.Proposal("connection", transport or "", None, emitter="mcp", subject=server)
    # No hook tells of a connection.
    ruling = await control.ask(proposal, dict)
    return ruling.answer is not None


@asynccontextmanager
async def nowhere(*, with_session_id: bool) -> AsyncGenerator[tuple[Any, ...]]:
    """Open streams that nothing comes out of until they are closed, but that a client may listen.

    Args:
        with_session_id: Whether a function that tells the id of the session belongs to them.
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
    """Tell clients that what they listen for will be told of, as their SDK waits for that; let go of all else."""
    async for sent in written:
        request = sent.message
        if getattr(request, "method", None) != LISTENING:
            continue
        given: dict[str, Any] = request.params or {}
        notification = import_module(type(request).__module__).JSONRPCNotification
        params: dict[str, Any] = {
            "notifications": given.get("notifications", {}),
            "_meta": {"io.modelcontextprotocol/subscriptionId": request.id},
        }
        acknowledged = {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params}
        await answers.send(type(sent)(notification(**acknowledged)))
