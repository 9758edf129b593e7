"""Gives a tool so much time and no more."""

from toolkit.errors import ToolTimedOut
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, above_zero, failed
from toolkit.outcomes import time_limit
from toolkit.result import ToolResult


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
        """Wait for the call as long as it may take."""
        try:
            async with time_limit(self._seconds, f"{ctx.tool_name} did not answer within"):
                return await call_next(args)
        except ToolTimedOut as error:
            return failed(error)
