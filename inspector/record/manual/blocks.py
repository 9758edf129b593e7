"""Runs within a long-running process: ``with inspector.run("job 17"):``."""

import functools
import inspect
import os
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from inspector.logger import unnoticed
from inspector.record.attach import attached
from inspector.record.calls.spans import RecordedSpan
from inspector.record.recorder import Recorder
from inspector.record.values.short_text import short_text

F = TypeVar("F", bound=Callable[..., Any])


class run:  # noqa: N801 - reads as what it is where it is used: with inspector.run("job 17")
    """A run of its own: calls in the block belong to it instead of to the program's run.

    The run is recorded when its first call begins; a block without calls leaves no trace. If an exception leaves the
    block, the run has failed; a cancellation cancels it. Nested blocks are runs of their own. Without a recorder,
    nothing happens.

    As a decorator of a plain or ``async`` function, it makes each call of the function a run.
    """

    def __init__(self, name: str) -> None:
        self._name = short_text(name) or "run"
        self._open: list[tuple[Recorder, RecordedSpan] | None] = []
        self.id = os.urandom(6).hex()
        """The id of the run; as a decorator, each call has another id."""

    def __enter__(self) -> Self:
        opened = None
        attachment = attached()
        if attachment is not None:
            recorder = attachment.recorder
            with unnoticed("a run"):
                opened = recorder, recorder.begin_root("run", self._name, self.id)
        self._open.append(opened)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the run; an exception propagates."""
        del kind, traceback
        opened = self._open.pop() if self._open else None
        if opened is not None:
            recorder, span = opened
            with unnoticed("a run"):
                recorder.end_root(span, exc)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the run; an exception propagates."""
        self.__exit__(kind, exc, traceback)

    def __call__(self, function: F) -> F:
        """Make each call of a function a run."""
        name = self._name
        if inspect.iscoroutinefunction(function):
            asynchronous = cast("Callable[..., Awaitable[Any]]", function)

            @functools.wraps(function)
            async def awaited(*args: Any, **keywords: Any) -> Any:
                with run(name):
                    return await asynchronous(*args, **keywords)

            return cast("F", awaited)

        @functools.wraps(function)
        def called(*args: Any, **keywords: Any) -> Any:
            with run(name):
                return function(*args, **keywords)

        return cast("F", called)
