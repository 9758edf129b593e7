"""How often tools may be called."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from math import inf

from toolkit.errors import DefinitionInvalid, QuotaExceeded
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, a_function, above_zero, error_result
from toolkit.result import ToolResult

_MOST_KEYS = 10_000

By = Callable[[ToolHookContext], Hashable]
"""What has a limit of its own."""


def each_tool(ctx: ToolHookContext) -> Hashable:
    """Count each tool apart."""
    return ctx.tool_name


def each_run(ctx: ToolHookContext) -> Hashable:
    """Count what belongs together apart, by ``correlation_id``: a run, a session, a user."""
    return ctx.correlation_id


def _whole(calls: int, what: str) -> int:
    if not isinstance(calls, int) or calls < 1:  # pyright: ignore[reportUnnecessaryIsInstance] - as in `above_zero`
        raise DefinitionInvalid(f"{what} is {calls!r}; expected a whole number of at least 1")
    return calls


class RateLimit(ToolMiddleware):
    """Lets so many calls through in any stretch of time, and refuses the others.

    A refused call is an error result whose exception is ``QuotaExceeded``; the model reads when it may be again.

    Args:
        calls: How many calls.
        per_s: In how many seconds.
        by: What has a limit of its own, by default each tool. The 10,000 last ones are remembered.
        tools: Whose calls it stands around.
        clock: Tells the seconds; never goes back.
    """

    def __init__(
        self,
        calls: int,
        per_s: float,
        *,
        by: By = each_tool,
        tools: Tools = "*",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(tools)
        self._calls = _whole(calls, f"{type(self).__name__}(calls)")
        self._most = f"{calls} {'call' if calls == 1 else 'calls'}"
        self._per_s = above_zero(per_s, "RateLimit(per_s)")
        self._by = a_function(by, f"{type(self).__name__}(by=…)", "lambda ctx: ctx.agent_name")
        self._clock = clock
        self._let_through: OrderedDict[Hashable, deque[float]] = OrderedDict()

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Let the call through when it is its turn."""
        if (wait_s := self._wait_s(self._by(ctx))) > 0:
            return error_result(QuotaExceeded(self._refusal(ctx.tool_name, wait_s)))
        return await call_next(args)

    def _refusal(self, tool: str, wait_s: float) -> str:
        return f"{tool} allows {self._most} in {self._per_s:g} s; call it again in {wait_s:.1f} s"

    def _wait_s(self, key: Hashable) -> float:
        """Return 0 for a call that may be made, and count it; else how long until it may be."""
        times = self._let_through.setdefault(key, deque())
        self._let_through.move_to_end(key)
        if len(self._let_through) > _MOST_KEYS:
            self._let_through.popitem(last=False)
        now = self._clock()
        while times and now - times[0] >= self._per_s:
            times.popleft()
        if len(times) >= self._calls:
            return self._per_s - (now - times[0])
        times.append(now)
        return 0.0


class Quota(RateLimit):
    """Lets so many calls through and no more, by default in each run.

    A refused call is an error result whose exception is ``QuotaExceeded``. Failed calls count as well. A call that
    belongs to no run, so that there would be no end to what was counted before, is refused too.

    Args:
        calls: How many calls, of all its tools together.
        by: What has a quota of its own, by default each ``correlation_id``. The 10,000 last ones are remembered.
        tools: Whose calls it stands around.
    """

    def __init__(self, calls: int, *, by: By = each_run, tools: Tools = "*") -> None:
        super().__init__(calls, inf, by=by, tools=tools)

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Let the call through if there is one left."""
        if self._by is each_run and each_run(ctx) is None:
            why = "it has no correlation_id to count by; pass ToolContext(correlation_id=…) or Quota(by=…)"
            return error_result(
                QuotaExceeded(f"{ctx.tool_name} has a quota for each run, and this call belongs to none: {why}")
            )
        return await super().around(ctx, args, call_next)

    def _refusal(self, tool: str, wait_s: float) -> str:  # noqa: ARG002 - it is for ever
        return f"{tool}: quota of {self._most} per run is used up"
