"""A way to a server that is neither started nor reached, where the controller says so."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from math import inf
from typing import Any

from instrument import control


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
    """Open streams that nothing comes out of until they are closed.

    Args:
        with_session_id: Whether a function that tells the id of the session belongs to them.
    """
    import anyio  # the SDK brings it

    async with AsyncExitStack() as stack:
        # Nobody reads what is written: notifications, each of them small.
        outgoing, unread = anyio.create_memory_object_stream[Any](inf)
        silent, incoming = anyio.create_memory_object_stream[Any](0)
        for stream in (outgoing, unread, silent, incoming):
            await stack.enter_async_context(stream)
        yield (incoming, outgoing, lambda: None) if with_session_id else (incoming, outgoing)
