"""Asynchronous context managers of a framework whose inside is a call."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any

from inspector.integrations.calls import Call
from inspector.integrations.tracebacks import unseen


class Within(AbstractAsyncContextManager[Any]):
    """Opens a call as the framework's own context manager is entered, and ends it as that is left.

    Args:
        around: The framework's own.
        begin: Opens the call.
    """

    def __init__(self, around: AbstractAsyncContextManager[Any], begin: Callable[[], Call]) -> None:
        self._around = around
        self._begin = begin
        self._call: Call | None = None
        self.value: Any = None
        """What the framework's own is entered with."""

    def begun(self, call: Call) -> None:
        """Take note that the call was opened, before anything of the framework's."""

    def entered(self, call: Call) -> None:
        """Take note that the framework's own was entered."""

    def ended(self, call: Call, exc: BaseException | None) -> None:
        """End the call: with what left the framework's own by an exception, if one did."""
        raise NotImplementedError

    async def __aenter__(self) -> Any:
        """Enter the framework's own, within the call."""
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
        """Leave the framework's own, and end the call."""
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
