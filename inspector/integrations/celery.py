"""Celery: its signals tell when a worker begins a task, what it failed with, and when it is done.

A task that is retried ends with `celery.exceptions.Retry`: that attempt failed, and the next one is a run of its own.
"""

import sys
from contextlib import AbstractContextManager
from typing import Any

from inspector.integrations.jobs import run_of
from inspector.integrations.patches import Patches


def install(patches: Patches) -> None:
    """Listen to the signals, once Celery's have been imported."""
    patches.once_imported("celery.signals", lambda signals: _listen(signals, patches))


def _listen(signals: Any, patches: Patches) -> None:
    tasks = _Tasks()
    for signal, listener in (
        (signals.task_prerun, tasks.begin),
        (signals.task_failure, tasks.fail),
        (signals.task_retry, tasks.retry),
        (signals.task_postrun, tasks.end),
    ):
        signal.connect(listener, weak=False)
        patches.on_undo(lambda signal=signal, listener=listener: signal.disconnect(listener))


class _Tasks:
    """The tasks that this process is doing, by id."""

    def __init__(self) -> None:
        self._runs: dict[str, AbstractContextManager[object]] = {}
        self._failures: dict[str, BaseException] = {}

    def begin(self, *, task_id: str, task: Any, **_: Any) -> None:
        if task.request.is_eager:
            return
        self._runs[task_id] = job = run_of(task.name)
        job.__enter__()

    def fail(self, *, task_id: str, exception: BaseException, **_: Any) -> None:
        # The process that hands tasks out hears of those whose process was killed.
        if task_id in self._runs:
            self._failures[task_id] = exception

    def retry(self, *, request: Any, reason: BaseException, **_: Any) -> None:
        self.fail(task_id=request.id, exception=getattr(reason, "exc", None) or reason)

    def end(self, *, task_id: str, **_: Any) -> None:
        exc = self._failures.pop(task_id, None) or sys.exception()
        job = self._runs.pop(task_id, None)
        if job is not None:
            job.__exit__(None if exc is None else type(exc), exc, None)
