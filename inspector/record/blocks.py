"""A run inside of a process that lives long: ``with inspector.run("job 17"):``."""

import functools
import inspect
import os
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from inspector.record.attach import attached
from inspector.record.labels import label
from inspector.record.recorder import Recorder
from inspector.record.spans import RecordedSpan
from inspector.record.unnoticed import unnoticed

F = TypeVar("F", bound=Callable[..., Any])


class run:  # noqa: N801 - reads as what it is where it is used: with inspector.run("job 17")
    """A run of its own: what is recorded in the block belongs to it, and no longer to the run of the program.

    It is recorded once a call in it begins, so a block in which nothing is recorded leaves nothing. An exception that
    leaves the block makes it failed, a cancellation cancelled. Blocks inside of one another are runs of their own.
    Without a recording, nothing happens.

    It may stand before a function too, plain or ``async``: each call is a run then.

    Args:
        name: What it is called.
    """

    def __init__(self, name: str) -> None:
        self._name = label(name) or "run"
        self._open: list[tuple[Recorder, RecordedSpan] | None] = []
        self.id = os.urandom(6).hex()
        """The id of the run; of a decorated function, no run has it."""

    def __enter__(self) -> Self:
        """Begin the run."""
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
        """End the run; an exception goes on."""
        del kind, traceback
        opened = self._open.pop() if self._open else None
        if opened is not None:
            recorder, span = opened
            with unnoticed("a run"):
                recorder.end_root(span, exc)

    async def __aenter__(self) -> Self:
        """Begin the run."""
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the run; an exception goes on."""
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
