"""A call with its three hooks, for emitters."""

import os
import time
from types import TracebackType

from instrument._bus import emit, emit_sync, enabled
from instrument.catalogue import HOOKS, Hook

# For type checkers alone: importing typing would take longer than all of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class _Trio:
    """The three hooks of a noun."""

    __slots__ = ("after", "before", "error", "late")

    def __init__(self, before: Hook) -> None:
        others = {hook.phase: hook for hook in HOOKS.values() if hook.noun == before.noun}
        self.before = before
        self.after = others["after"]
        self.error = others["error"]
        ending = self.after.keywords + self.error.keywords + self.after.optional + self.error.optional
        self.late = frozenset(ending).difference(before.keywords, before.optional)
        """The keywords that are known at the end alone."""


_TRIOS = {hook.noun: _Trio(hook) for hook in HOOKS.values() if hook.phase == "before"}


def around(noun: str, /, **kwargs: object) -> "Call":
    """Emit the hooks of one call: before on entry, then after or error, never both, whatever way the block is left.

    Works with ``with`` and ``async with``. Cancellation, ``GeneratorExit`` and ``KeyboardInterrupt`` are errors too,
    and the exception always goes on.

    Args:
        noun: One of ``instrument.keywords.Noun``, for example ``tool_call``.
        kwargs: Keywords of the hooks. The before hook gets all but those that the catalogue has for the other two
            alone; a missing one is passed as None. ``call_id`` is made up if it is not given.

    Raises:
        ValueError: The catalogue has no such noun.
    """
    trio = _TRIOS.get(noun)
    if trio is None:
        raise ValueError(f"unknown noun {noun!r}; known: {', '.join(map(repr, sorted(_TRIOS)))}")
    return Call(trio, kwargs)


class Call:
    """What ``around`` yields: one call under way, entered once."""

    __slots__ = ("_call_id", "_error", "_keywords", "_results", "_started_ns", "_trio")

    def __init__(self, trio: _Trio, keywords: dict[str, object]) -> None:
        self._trio = trio
        given = keywords.pop("call_id", None)
        self._call_id = "" if given is None else str(given)
        self._keywords = keywords
        self._results: dict[str, object] = {}
        self._error: BaseException | None = None
        self._started_ns = 0

    @property
    def call_id(self) -> str:
        """The same for all hooks of the call: as given, else 16 random hexadecimal digits."""
        if not self._call_id:
            self._call_id = os.urandom(8).hex()
        return self._call_id

    def set(self, **results: object) -> None:
        """Supply keywords of the after hook, for example ``result``; may be called again and replaces what was set.

        The error hook gets those among them that the catalogue has as its optional ones, as ``middleware``.
        """
        self._results.update(results)

    def fail(self, exc: BaseException) -> None:
        """Make the call end with its error hook although the block raises nothing."""
        self._error = exc

    async def __aenter__(self) -> "Self":
        self._started_ns = time.monotonic_ns()
        if enabled(self._trio.before.name):
            try:
                await emit(self._trio.before.name, **self._opening())
            except BaseException as error:
                await self.__aexit__(type(error), error, None)
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, GeneratorExit):
            # A coroutine that is being closed must not wait for anything.
            self.__exit__(kind, error, traceback)
            return
        error = self._failure(error)
        hook = self._trio.after if error is None else self._trio.error
        if enabled(hook.name):
            await emit(hook.name, **self._closing(error))

    def __enter__(self) -> "Self":
        self._started_ns = time.monotonic_ns()
        if enabled(self._trio.before.name):
            try:
                emit_sync(self._trio.before.name, **self._opening())
            except BaseException as error:
                self.__exit__(type(error), error, None)
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        error = self._failure(error)
        hook = self._trio.after if error is None else self._trio.error
        if enabled(hook.name):
            emit_sync(hook.name, **self._closing(error))

    def _failure(self, raised: BaseException | None) -> BaseException | None:
        """Take out the error the call ends with: its traceback refers to frames that refer to this call."""
        failure, self._error = self._error, None
        return failure if raised is None else raised

    def _opening(self) -> dict[str, object]:
        return self._early(self._trio.before) | {"call_id": self.call_id}

    def _closing(self, error: BaseException | None) -> dict[str, object]:
        if error is not None:
            results = {key: value for key, value in self._results.items() if key in self._trio.error.optional}
            return self._early(self._trio.error) | results | {"exc": error, "call_id": self.call_id}
        results = dict.fromkeys(self._trio.after.keywords) | self._keywords | self._results
        if "duration_ms" in results and results["duration_ms"] is None:
            results["duration_ms"] = (time.monotonic_ns() - self._started_ns) / 1e6
        return results | {"call_id": self.call_id}

    def _early(self, hook: Hook) -> dict[str, object]:
        late = self._trio.late
        return dict.fromkeys(hook.keywords) | {key: value for key, value in self._keywords.items() if key not in late}
