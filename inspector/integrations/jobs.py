"""Jobs of a program that lives on: of a queue's worker, or for a visitor of a chat page.

Each is a run of its own if something is recorded in it. A job that the program does by itself, without a worker, is
part of what the program was doing.
"""

from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Self

from inspector import context
from inspector.record import run
from inspector.record.calls.current import innermost
from inspector.record.calls.sdk_spans import sdk_span_at
from inspector.record.calls.served_request import current_request


class Job(AbstractContextManager["Job"]):
    """The run of a job; nothing if the job is part of an open call, run or request.

    The span that an instrumentor of OpenTelemetry makes for the job stands for it, as that of a request does.

    Args:
        name: The name of the run.
        session: The session of the calls in it, unless the program names one.
        in_request: Whether an open request does not count: it lasts as long as the visitor stays.
    """

    def __init__(self, name: str, *, session: str | None = None, in_request: bool = False) -> None:
        self.exc: BaseException | None = None
        """The exception that it failed with, if the framework catches that."""
        self._name = name
        self._session = session
        self._in_request = in_request
        self._around = ExitStack()

    def __enter__(self) -> Self:
        is_part = innermost() is not None or sdk_span_at() is not None
        if not is_part and (self._in_request or current_request() is None):
            self._around.enter_context(run(self._name))
            if self._session is not None and context.get() is None:
                self._around.enter_context(context.bind(self._session))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the run; an exception propagates."""
        failure = exc or self.exc
        self._around.__exit__(None if failure is None else type(failure), failure, traceback)
        # Its traceback keeps the program's frames alive.
        self.exc = None
