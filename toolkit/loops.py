"""Work that belongs to one event loop, and is wanted on another."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TypeVar

from toolkit.errors import ToolkitError

T = TypeVar("T")

_held_up: ContextVar[tuple[asyncio.AbstractEventLoop, ...]] = ContextVar("toolkit_held_up", default=())


def hold_up(loop: asyncio.AbstractEventLoop) -> None:
    """Remember, in the current context, that ``loop`` stands still until what is done here is done."""
    _held_up.set((*_held_up.get(), loop))


async def on_loop(loop: asyncio.AbstractEventLoop, work: Callable[[], Awaitable[T]], *, what: str) -> T:
    """Do ``work`` on ``loop``, wherever this is called.

    Args:
        loop: Where the work belongs.
        work: The work.
        what: What belongs there, for messages.

    Raises:
        ToolkitError: The loop is over, or waits for whoever calls this: then neither would ever go on.
    """
    if loop is asyncio.get_running_loop():
        return await work()
    if loop in _held_up.get():
        raise ToolkitError(
            f"{what} cannot answer: its event loop stands still for a synchronous call; "
            "await the call instead (ainvoke), or make it in a thread"
        )
    if not loop.is_running():
        raise ToolkitError(f"{what} cannot answer: its event loop does not run any more")

    async def whole() -> T:
        return await work()

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(whole(), loop))
