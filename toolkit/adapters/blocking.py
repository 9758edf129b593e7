"""Lets other people's synchronous code call tools."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from toolkit.loops import hold_up

T = TypeVar("T")


def wait_for(work: Callable[[], Awaitable[T]]) -> T:
    """Run ``work`` to its end on an event loop of its own, and return what it returns.

    Where a loop runs already, which must not be entered twice, it is in another thread, and the loop stands still
    meanwhile: that is what calling a synchronous function on it means. Context variables are what they are here.

    Raises:
        ToolkitError: The work needs the loop that stands still.
    """

    async def whole() -> T:
        return await work()

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(whole())
    done: list[T] = []
    failed: list[BaseException] = []

    def in_thread() -> None:
        hold_up(loop)
        try:
            done.append(asyncio.run(whole()))
        except BaseException as error:  # noqa: BLE001 - raised again below, where somebody waits for it
            failed.append(error)

    thread = Thread(target=copy_context().run, args=(in_thread,), name="toolkit-wait", daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]
