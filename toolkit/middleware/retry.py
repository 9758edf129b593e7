"""Calls a tool again when it failed."""

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
    ToolUnknown,
)
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools
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
    """Calls a tool again when it raised; the last failure is the caller's.

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
        if attempts < 1:
            raise DefinitionInvalid(f"Retry(attempts={attempts}): at least 1 is needed")
        self._attempts = attempts
        self._on = on
        self._error_results = error_results
        self._backoff = backoff
        self._sleep = sleep

    async def around(self, _ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Call until it works or the attempts are used up."""
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
