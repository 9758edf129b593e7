"""Does several things at once, so that whoever cancels that cancels all of them at that moment."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

A = TypeVar("A")
T = TypeVar("T")


async def at_once(do: Callable[[A], Awaitable[T]], items: Iterable[A]) -> list[asyncio.Task[T]]:
    """Do it with all items at once and return the tasks, which are done; some may have cancelled themselves.

    Somebody who waits for a ``TaskGroup`` cancels its tasks only when it is their own turn: one turn of the event loop
    for each level of calls within calls, while the innermost goes on making more. With ``gather`` it is all of them at
    once.

    Raises:
        BaseException: What the first of them raised that raised anything; the others are cancelled then.
    """
    raised: list[BaseException] = []

    async def work(item: A) -> T:
        try:
            return await do(item)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            raised.append(error)
            for task in tasks:
                task.cancel()
            raise

    tasks = [asyncio.create_task(work(item)) for item in items]
    await asyncio.gather(*tasks, return_exceptions=True)
    if raised:
        raise raised[0]
    return tasks
