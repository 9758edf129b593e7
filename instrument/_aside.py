"""Coroutines that plain code waits for: each is run by a thread of its own, in a copy of the waiting code's context."""

import asyncio
import contextvars
import threading
from collections.abc import Awaitable
from concurrent.futures import Future
from contextlib import suppress


def result_of(awaitable: Awaitable[object]) -> object:
    """Wait until a coroutine is through, and return what it returned.

    The thread that waits may have an event loop running, which therefore cannot run the coroutine. Interrupted, as by
    Ctrl-C, the wait ends and the coroutine is cancelled.

    Raises:
        BaseException: The coroutine raised it.
    """
    outcome: Future[object] = Future()
    tasks: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[object]]] = []

    async def work() -> object:
        task = asyncio.current_task()
        assert task is not None
        tasks.append((asyncio.get_running_loop(), task))
        return await awaitable

    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.set_result(context.run(asyncio.run, work()))
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            outcome.set_exception(error)

    threading.Thread(target=run, name="instrument-control", daemon=True).start()
    try:
        return outcome.result()
    except BaseException:
        for loop, task in tasks:
            # The loop is closed where the coroutine itself raised.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        raise
