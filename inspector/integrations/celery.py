"""Celery: its signals tell when a worker begins a task, what it failed with, and when it is done.

A task that is retried ends with `celery.exceptions.Retry`: that attempt failed, and the next one is a run of its own.
"""

import sys
from typing import Any

from inspector.integrations.jobs import Job
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
        self._jobs: dict[str, Job] = {}

    def begin(self, *, task_id: str, task: Any, **_: Any) -> None:
        if not task.request.is_eager:
            self._jobs[task_id] = Job(task.name).__enter__()

    def fail(self, *, task_id: str, exception: BaseException, **_: Any) -> None:
        # The process that hands tasks out hears of those whose process was killed.
        if (job := self._jobs.get(task_id)) is not None:
            job.exc = exception

    def retry(self, *, request: Any, reason: BaseException, **_: Any) -> None:
        self.fail(task_id=request.id, exception=getattr(reason, "exc", None) or reason)

    def end(self, *, task_id: str, **_: Any) -> None:
        job = self._jobs.pop(task_id, None)
        if job is not None:
            job.__exit__(*sys.exc_info())
