"""Asynchronous context managers of a framework whose body is a call."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import wraps
from types import TracebackType
from typing import Any, TypeAlias

from inspector.integrations.calls import Call
from inspector.integrations.tracebacks import unseen

Make: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]
"""Makes a new context manager: each is entered once."""


def decorated(make: Make, function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Return a coroutine function that runs inside a context manager of its own.

    Context managers of ``contextlib.asynccontextmanager`` are also decorators, so their replacement is one too.
    """

    @wraps(function)
    async def inside(*args: Any, **kwargs: Any) -> Any:
        with unseen:
            async with make():
                return await function(*args, **kwargs)

    return inside


class Within(AbstractAsyncContextManager[Any]):
    """Opens a call when the framework's context manager is entered, and ends it when that is left.

    ``make`` makes the framework's context manager: at once, and for each call of a decorated function.
    """

    def __init__(self, make: Make, begin: Callable[[], Call]) -> None:
        self._make = make
        self._around = make()
        self._begin = begin
        self._call: Call | None = None
        self.value: Any = None
        """What the framework's own is entered with."""

    def begun(self, call: Call) -> None:
        """Note that the call was opened; runs before any code of the framework."""

    def entered(self, call: Call) -> None:
        """Note that the framework's context manager was entered."""

    def ended(self, call: Call, exc: BaseException | None) -> None:
        """End the call, with the exception that left the framework's context manager, if any."""
        raise NotImplementedError

    def __call__(self, function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Decorate a coroutine function."""
        return decorated(lambda: type(self)(self._make, self._begin), function)

    async def __aenter__(self) -> Any:
        """Enter the framework's context manager, within the call."""
        with unseen:
            self._call = call = self._begin()
            self.begun(call)
            try:
                self.value = await self._around.__aenter__()
            except BaseException as exc:
                self.ended(call, exc)
                raise
            self.entered(call)
            return self.value

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """Leave the framework's context manager, and end the call."""
        call = self._call
        assert call is not None
        with unseen:
            try:
                swallows = await self._around.__aexit__(kind, exc, traceback)
            except BaseException as raised:
                self.ended(call, raised)
                raise
            self.ended(call, None if swallows else exc)
            return swallows
