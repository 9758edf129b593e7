"""Coroutines of subscribers, for emitters that cannot await: the first step at once, the rest elsewhere."""

import asyncio
import contextvars
from asyncio.tasks import _enter_task, _leave_task  # pyright: ignore[reportPrivateUsage] - see _step_in_loop
from collections.abc import Awaitable, Coroutine, Generator

from instrument._loops import PrivateLoop, Work, step_alone


def step(awaitable: Awaitable[object], hook: str, *, callback: object) -> None:
    """Run a subscriber's coroutine up to where it first waits, and see to it that the rest is run.

    The rest goes on as a task of the loop running in this thread, else in a private loop on a daemon thread. Either way
    all of it runs in one copy of the emitter's context, so that tokens of context variables stay valid.
    """
    work = Work(awaitable, hook, callback=callback)
    try:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            step_alone(work)
        else:
            _step_in_loop(loop, work)
    except BaseException:
        work.drop()
        raise


class _Started(Coroutine[object, object, None]):
    """A coroutine whose first step was taken before the task that runs it."""

    __slots__ = ("_coroutine", "_first", "over")

    def __init__(self, coroutine: Coroutine[object, object, None]) -> None:
        self._coroutine = coroutine
        self._first: tuple[object] | None = None
        self.over = False

    def start(self) -> None:
        """Take the first step, and keep what it waits for until the task asks."""
        try:
            first = self._coroutine.send(None)
            if asyncio.isfuture(first):
                # Only a task may see the mark of an awaited future, and another task may await the same one meanwhile.
                first._asyncio_future_blocking = False  # noqa: SLF001
            self._first = (first,)
        except StopIteration:
            self.over = True
        except BaseException:
            self.over = True
            raise

    def send(self, value: object, /) -> object:
        if self.over:
            raise StopIteration
        if self._first is None:
            return self._coroutine.send(value)
        (first,), self._first = self._first, None
        if asyncio.isfuture(first):
            first._asyncio_future_blocking = True  # noqa: SLF001
        return first

    def throw(self, typ: BaseException, /) -> object:  # pyright: ignore[reportIncompatibleMethodOverride] - tasks, its only drivers, pass one instance
        if self.over:
            raise typ
        self._first = None
        return self._coroutine.throw(typ)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Generator[object, object, None]:
        raise RuntimeError("coroutine is being awaited already")


_carried: set[asyncio.Task[None]] = set()
"""Unfinished tasks in loops of the application, which themselves refer to their tasks weakly."""


def _step_in_loop(loop: asyncio.AbstractEventLoop, work: Work) -> None:
    """Make a task and take its first step in place of the task that emits.

    The swap is the one that "Extending asyncio" of the Python documentation describes for implementations of tasks.
    Without it an ``asyncio.timeout`` in the subscriber would take the emitter's task for its own, and cancel that.
    """
    context = contextvars.copy_context()
    started = _Started(work.run())
    task = asyncio.Task(started, loop=loop, context=context)
    host = asyncio.current_task(loop)
    if host is not None:
        _leave_task(loop, host)
    _enter_task(loop, task)
    try:
        context.run(started.start)
    except asyncio.CancelledError:
        pass  # the subscriber cancelled the task made for it, which is no concern of the emitter
    finally:
        _leave_task(loop, task)
        if host is not None:
            _enter_task(loop, host)
        _keep(loop, task, over=started.over)


def _keep(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None], *, over: bool) -> None:
    if over:
        # The task notices when the loop next runs. If it never does, there is nothing to complain of.
        task._log_destroy_pending = False  # noqa: SLF001 # pyright: ignore[reportAttributeAccessIssue] - not in the stubs
    elif isinstance(loop, PrivateLoop):
        loop.tasks.add(task)
    else:
        for other in tuple(_carried):
            if other.get_loop().is_closed():
                _carried.discard(other)
        _carried.add(task)
        task.add_done_callback(_carried.discard)
