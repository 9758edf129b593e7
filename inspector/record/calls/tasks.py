"""The asyncio tasks in which calls began, so that a call without an end hook is noticed when its task is done.

An emitter may never report the end of a call: one that catches only ``Exception`` does not when it is cancelled.
Nothing here keeps a task alive, or waits for one.
"""

import sys
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import instrument
from inspector.record.calls.spans import RecordedSpan
from instrument.signals import is_of_signal

if TYPE_CHECKING:
    # Not imported at run time, so that a program without tasks does not pay for asyncio.
    from asyncio import Task

Left: TypeAlias = Callable[[RecordedSpan], None]
_NAME_CHARS: Final = 32
"""How much of a task's name is recorded, from its end: frameworks name tasks by the whole path of a function."""
_KEPT: Final = 4096
"""Finished tasks are removed once there are this many, and again at twice the number that remained."""


def _current() -> "Task[Any] | None":
    asyncio = sys.modules.get("asyncio")
    loop = None if asyncio is None else asyncio._get_running_loop()  # noqa: SLF001 - public but for its name
    return None if loop is None or asyncio is None else asyncio.current_task(loop)


def lane() -> tuple[int, str | None]:
    """Return the current thread, and the name and address of its task if it has one; calls of a lane are sequential.

    The program may give many tasks the same name, and addresses may be reused, so both are needed.
    """
    try:
        task = _current()
        return get_ident(), None if task is None else f"{task.get_name()[-_NAME_CHARS:]}@{id(task):x}"
    except Exception as error:  # the boundary to the program, whose tasks may be of a kind of its own
        if is_of_signal(error):
            raise
        return get_ident(), None


def strand() -> int:
    """Return a number of the current task, or of the thread if it has none, as long as that lasts."""
    try:
        task = _current()
    except Exception as error:  # as above
        if is_of_signal(error):
            raise
        task = None
    return get_ident() if task is None else id(task)


class TaskCalls:
    """The open calls that began in one task."""

    __slots__ = ("_task", "open")

    def __init__(self, task: "Task[Any]") -> None:
        self._task = weakref.ref(task)
        self.open: dict[int, RecordedSpan] = {}

    def is_of(self, task: "Task[Any]") -> bool:
        """Tell whether these are the calls of this task, since ids of finished tasks are reused."""
        return self._task() is task

    def is_over(self) -> bool:
        """Tell whether the task is done, or was destroyed."""
        task = self._task()
        return task is None or task.done()


class Tasks:
    """The tasks of this process that have calls.

    Args:
        left: Called with each call that is still open when its task is done.
    """

    def __init__(self, left: Left) -> None:
        self._left = left
        self._by_id: dict[int, TaskCalls] = {}
        self._sweep_at = _KEPT

    def follow(self, span: RecordedSpan) -> None:
        """Add a call that has begun; outside tasks, nothing happens."""
        task = _current()
        if task is None:
            return
        calls = self._by_id.get(id(task))
        if calls is None or not calls.is_of(task):
            calls = self._begin(task)
            if calls is None:
                return
        calls.open[span.span_id] = span
        span.task = calls

    def _begin(self, task: "Task[Any]") -> TaskCalls | None:
        try:
            # A task that only emits, as `wait_for(_emit(…))` creates on Python 3.11, ends before the call does.
            if instrument._is_emit(task.get_coro()):  # noqa: SLF001 - made for this
                return None
            task.add_done_callback(self._done)
        except Exception as error:  # as above
            if is_of_signal(error):
                raise
            return None
        if len(self._by_id) >= self._sweep_at:
            self._by_id = {key: calls for key, calls in tuple(self._by_id.items()) if not calls.is_over()}
            self._sweep_at = max(_KEPT, 2 * len(self._by_id))
        calls = self._by_id[id(task)] = TaskCalls(task)
        return calls

    def _done(self, task: "Task[Any]") -> None:
        calls = self._by_id.pop(id(task), None)
        if calls is not None:
            for span in tuple(calls.open.values()):
                self._left(span)

    def clear(self) -> None:
        """Forget every task, in a forked child."""
        self._by_id.clear()
