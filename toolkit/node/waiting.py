"""Does several things at once, so that whoever cancels that cancels all of them at that moment."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


async def at_once(works: Iterable[Coroutine[Any, Any, T]]) -> list[asyncio.Task[T]]:
    """Do all of it at once and return the tasks, which are done; some may have cancelled themselves.

    Raises:
        BaseException: What the first of them raised that raised anything; the others are cancelled then.
    """
    tasks = [asyncio.create_task(each) for each in works]
    if tasks:
        done = _AllDone(tasks)
        await done
        if done.raised is not None:
            raise done.raised
    return tasks


class _AllDone(asyncio.Future[None]):
    """Is done when all of the tasks are; when one of them raises, the others are cancelled.

    Somebody who waits for a ``TaskGroup`` cancels its tasks only when it is their own turn: one turn of the event loop
    for each level of calls within calls, while the innermost goes on making more. Here it is all levels at once.

    Args:
        tasks: What is waited for, at least one.
    """

    def __init__(self, tasks: Sequence[asyncio.Task[Any]]) -> None:
        super().__init__(loop=asyncio.get_running_loop())
        self._tasks = tasks
        self._left = len(tasks)
        self._is_cancelled = False
        self.raised: BaseException | None = None
        """What the first task raised that raised anything."""
        for each in tasks:
            each.add_done_callback(self._count)

    def cancel(self, msg: Any | None = None) -> bool:  # noqa: ARG002 - the signature of futures
        """Cancel all of the tasks; this is cancelled itself when they are done."""
        if self.done():
            return False
        self._is_cancelled = True
        self._cancel_tasks()
        return True

    def _cancel_tasks(self) -> None:
        for each in self._tasks:
            try:
                each.cancel()
            except RecursionError:
                # Too many levels for one stack: the rest has one of its own, before anything else runs.
                self.get_loop().call_soon(each.cancel)

    def _count(self, task: asyncio.Task[Any]) -> None:
        self._left -= 1
        if self.raised is None and not task.cancelled() and (error := task.exception()) is not None:
            self.raised = error
            self._cancel_tasks()
        if self._left or self.done():
            return
        if self._is_cancelled:
            super().cancel()
        else:
            self.set_result(None)
