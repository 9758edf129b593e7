"""Repeats failed calls of tools, and limits their time."""

import asyncio
from collections.abc import Awaitable, Callable
from random import uniform

from toolkit.errors import (
    ArgumentsInvalid,
    DefinitionInvalid,
    EndRun,
    ExtraMissing,
    QuotaExceeded,
    ToolRefused,
    ToolTimedOut,
    ToolUnknown,
)
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, a_function, above_zero, error_result
from toolkit.outcomes import time_limit
from toolkit.plain import own
from toolkit.result import ToolResult

# Asking again cannot help: somebody said no, or the call itself is wrong.
_FINAL = (EndRun, ToolRefused, QuotaExceeded, ArgumentsInvalid, DefinitionInvalid, ExtraMissing, ToolUnknown)

Backoff = Callable[[int], float]
"""How many seconds to wait after the first, second, … attempt failed."""


def exponential(attempt: int) -> float:
    """Return 0.2 s, twice as much after each attempt and at most 30, and up to a quarter more to spread many calls."""
    return min(30.0, 0.2 * 2 ** (attempt - 1)) * (1 + uniform(0, 0.25))  # noqa: S311 - no secret


class Retry(ToolMiddleware):
    """Calls a tool again if it raised; the caller gets the last failure.

    The tool may have done its work before it failed: let this stand around tools that can be called twice. Refused
    calls and wrong arguments are never repeated.

    Args:
        attempts: How many calls there are at most, the first one included.
        on: Exceptions to try again after.
        error_results: Whether to try again after an error result that no exception stands behind, too, as MCP
            servers answer.
        backoff: Seconds to wait after each failed attempt.
        tools: Whose calls it stands around.
        sleep: What waits.
    """

    def __init__(
        self,
        attempts: int = 3,
        *,
        on: type[Exception] | tuple[type[Exception], ...] = Exception,
        error_results: bool = False,
        backoff: Backoff = exponential,
        tools: Tools = "*",
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        super().__init__(tools)
        if not isinstance(attempts, int) or attempts < 1:  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            raise DefinitionInvalid(f"Retry(attempts={attempts!r}): expected a whole number, at least 1")
        for kind in on if isinstance(on, tuple) else (on,):
            if not isinstance(kind, type):  # pyright: ignore[reportUnnecessaryIsInstance] - as above
                raise DefinitionInvalid(f"Retry(on={on!r}): expected an exception's class, or a tuple of some")
        self._attempts = attempts
        self._on = on
        self._error_results = error_results
        self._backoff = a_function(backoff, "Retry(backoff=…)", "lambda attempt: 2.0")
        self._sleep = sleep

    async def around(self, _ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Call until it succeeds or no attempts are left."""
        for attempt in range(1, self._attempts):
            try:
                # Each attempt gets the arguments anew: one that failed may have changed them.
                result = await call_next(own(args))
            except Exception as error:
                if not self._is_worth_it(error):
                    raise
            else:
                if not self._has_failed(result):
                    return result
            await self._sleep(self._backoff(attempt))
        return await call_next(args)

    def _has_failed(self, result: ToolResult) -> bool:
        if not result.is_error:
            return False
        return self._error_results if result.exception is None else self._is_worth_it(result.exception)

    def _is_worth_it(self, error: BaseException) -> bool:
        return isinstance(error, self._on) and not isinstance(error, _FINAL)


class Timeout(ToolMiddleware):
    """Cancels a call that takes too long, and answers with an error result whose exception is ``ToolTimedOut``.

    A function that runs in a thread cannot be stopped: it goes on, and what it returns is lost.

    Args:
        seconds: How long the call may take, other middleware further in included.
        tools: Whose calls it stands around.
    """

    def __init__(self, seconds: float, *, tools: Tools = "*") -> None:
        super().__init__(tools)
        self._seconds = above_zero(seconds, "Timeout(seconds)")

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Wait for the call until the time is up."""
        try:
            async with time_limit(self._seconds, f"{ctx.tool_name} did not answer within"):
                return await call_next(args)
        except ToolTimedOut as error:
            return error_result(error)
