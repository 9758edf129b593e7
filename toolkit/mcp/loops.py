"""Work that belongs to one event loop, and is wanted on another."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from toolkit.errors import ToolkitError

T = TypeVar("T")


async def on_loop(loop: asyncio.AbstractEventLoop, work: Callable[[], Awaitable[T]], *, what: str) -> T:
    """Do ``work`` on ``loop``, wherever this is called.

    Args:
        loop: Where the work belongs.
        work: The work.
        what: What belongs there, for messages.

    Raises:
        ToolkitError: The loop is over.
    """
    if loop is asyncio.get_running_loop():
        return await work()
    if not loop.is_running():
        raise ToolkitError(f"{what} cannot answer: its event loop does not run any more")

    async def whole() -> T:
        return await work()

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(whole(), loop))
