"""Event loops of the bus's own, for coroutines of subscribers in threads where no loop runs."""

import asyncio
import atexit
import contextvars
import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Awaitable, Coroutine
from typing import Any

from instrument._failures import log_failure

_LOOPS = 16
"""Loops in use at once. What comes on top waits for one, so that slow subscribers do not use up threads and files."""

_WAITING = 1000
"""Coroutines that may wait for a loop; what comes on top fails, so that hanging subscribers do not use up memory."""

_GRACE_S = 1.0
"""How long the end of the interpreter waits for coroutines that still run, before it cancels them."""

_CANCEL_S = 0.2
"""How long it then waits for them to be gone."""


class Work:
    """What one subscriber returned to one emit."""

    __slots__ = ("_awaitable", "_callback", "_hook")

    def __init__(self, awaitable: Awaitable[object], hook: str, *, callback: object) -> None:
        self._awaitable = awaitable
        self._hook = hook
        self._callback = callback

    async def run(self) -> None:
        """Await it, and log its failure as the bus does everywhere."""
        try:
            await self._awaitable
        except Exception as error:  # noqa: BLE001 - the border: no subscriber may break its host
            log_failure(self._hook, self._callback, error)

    def drop(self) -> None:
        """Close a coroutine that will not be run, before Python warns that nobody awaited it."""
        if isinstance(self._awaitable, Coroutine):
            self._awaitable.close()  # pyright: ignore[reportUnknownMemberType] - a coroutine of anything


class PrivateLoop(asyncio.SelectorEventLoop):
    """An event loop that knows its tasks; some thread runs it for as long as there are any."""

    def __init__(self) -> None:
        # A selector without state in the kernel: a forked child shares that, and would change it for its parent.
        super().__init__(getattr(selectors, "PollSelector", selectors.SelectSelector)())
        self.tasks: set[asyncio.Task[None]] = set()
        """All tasks that may be unfinished, referred to strongly."""
        self.set_task_factory(self._make_task)  # pyright: ignore[reportArgumentType] - generic in the stubs, None alone here

    def _make_task(self, _loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.Task(coroutine, loop=self, **options)
        self.tasks.add(task)
        return task

    def pending(self) -> list[asyncio.Task[None]]:
        """Forget the tasks that are done and list the others."""
        self.tasks = {task for task in self.tasks if not task.done()}
        return list(self.tasks)

    def run_once(self) -> None:
        """Run what is ready, and wait for nothing."""
        self.call_soon(self.stop)
        self.run_forever()

    def run_to_end(self) -> None:
        """Run until every task is done."""
        while pending := self.pending():
            try:
                self.run_until_complete(asyncio.wait(pending))
            except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
                continue  # `cancel_all`, or a subscriber's exit in a thread where that ends nothing

    def cancel_all(self) -> None:
        """Ask every task to end."""
        for task in self.pending():
            task.cancel()

    def abandon(self) -> None:
        """Close the loop with whatever is left in it, without the complaints of tasks that nobody looked after."""
        for task in self.tasks:
            if task.done() and not task.cancelled():
                task.exception()
            task._log_destroy_pending = False  # noqa: SLF001 # pyright: ignore[reportAttributeAccessIssue] - not in the stubs
        self.close()


class _Loops:
    """The idle loops, the number in use, and the work that waits for one."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._idle: list[PrivateLoop] = []
        self._used = 0
        self._threads: dict[threading.Thread, PrivateLoop] = {}
        self._waiting: deque[tuple[contextvars.Context, Work]] = deque()
        self._closed = False

    def step(self, work: Work) -> None:
        loop = self._take(work)
        if loop is None:
            return
        try:
            loop.create_task(work.run())
            loop.run_once()
            if loop.pending():
                self._start(loop)
                return
        except BaseException:
            loop.abandon()
            self._give_back(None)
            raise
        self._give_back(loop)

    def _take(self, work: Work) -> PrivateLoop | None:
        with self._lock:
            if self._used >= _LOOPS:
                if len(self._waiting) >= _WAITING:
                    raise RuntimeError(f"{_WAITING} coroutines of subscribers already wait; make subscribers faster")
                self._waiting.append((contextvars.copy_context(), work))
                return None
            loop = self._idle.pop() if self._idle else PrivateLoop()
            self._used += 1
            return loop

    def _give_back(self, loop: PrivateLoop | None) -> None:
        with self._lock:
            self._used -= 1
            if loop and not self._closed:
                self._idle.append(loop)
                return
        if loop:
            loop.close()

    def _start(self, loop: PrivateLoop) -> None:
        thread = threading.Thread(target=self._run, args=(loop,), name="instrument", daemon=True)
        # Known before it first runs: the end of the interpreter waits for those it knows of.
        with self._lock:
            thread.start()
            self._threads[thread] = loop

    def _run(self, loop: PrivateLoop) -> None:
        while True:
            loop.run_to_end()
            with self._lock:
                waiting = tuple(self._waiting)
                self._waiting.clear()
                if not waiting:
                    del self._threads[threading.current_thread()]
                    self._give_back(loop)
                    return
            for context, work in waiting:
                loop.create_task(work.run(), context=context)

    def close(self) -> None:
        """Give what still runs a moment, cancel the rest, close every loop."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            threads = dict(self._threads)
        for loop in idle:
            loop.close()
        _join(threads, _GRACE_S)
        for thread, loop in threads.items():
            if thread.is_alive() and not loop.is_closed():
                loop.call_soon_threadsafe(loop.cancel_all)
        _join(threads, _CANCEL_S)

    def forget(self) -> None:
        """Let go of everything, in a forked child: no thread of the parent runs here, and its locks may be held."""
        for loop in self._idle:
            loop.close()
        for _, work in self._waiting:
            work.drop()


def _join(threads: dict[threading.Thread, PrivateLoop], timeout_s: float) -> None:
    deadline_s = time.monotonic() + timeout_s
    for thread in threads:
        thread.join(max(0.0, deadline_s - time.monotonic()))


_loops = _Loops()


def step_alone(work: Work) -> None:
    """Run work up to where it first waits; a daemon thread runs the rest.

    With all loops in use the work is queued instead, and its first step is not taken here.

    Raises:
        RuntimeError: Too much work is queued already.
    """
    _loops.step(work)


def _close() -> None:
    _loops.close()


def _start_afresh() -> None:
    global _loops
    parents, _loops = _loops, _Loops()
    parents.forget()


atexit.register(_close)
if hasattr(os, "register_at_fork"):  # pragma: no branch - systems that fork are the ones tested
    os.register_at_fork(after_in_child=_start_afresh)
