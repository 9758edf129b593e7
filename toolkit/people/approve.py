"""Asks a person before a tool is called."""

from toolkit.errors import ToolRefused
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, a_function, above_zero, error_result
from toolkit.people.asking import PATIENCE_S, ApprovalRequest, Approver, answered
from toolkit.people.terminal import Terminal
from toolkit.plain import own
from toolkit.result import ToolResult


class Approve(ToolMiddleware):
    """Has a person see each call and agree before it is made; a refused one is an error result.

    Args:
        question: What the person is asked.
        approver: Who is asked. By default the approver of the caller's ``ToolContext``, and where there is none the
            person at the terminal.
        timeout_s: How long the answer may take, after which the call is refused; None for ever.
        tools: Whose calls it stands around.
    """

    def __init__(
        self,
        question: str = "Let the agent do this?",
        *,
        approver: Approver | None = None,
        timeout_s: float | None = PATIENCE_S,
        tools: Tools = "*",
    ) -> None:
        super().__init__(tools)
        self._timeout_s = None if timeout_s is None else above_zero(timeout_s, "Approve(timeout_s=…)")
        self._question = question
        self._approver = approver and a_function(approver, "Approve(approver=…)", "async def ask_me(request) -> bool")
        self._terminal = Terminal()

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Ask, and call the tool if the answer is yes."""
        request = ApprovalRequest(ctx.tool_name, own(args), self._question)
        approver = self._approver or ctx.approver or self._terminal.answer
        answer = await answered(request, approver, bool, timeout_s=self._timeout_s, changes=ctx.changes)
        if answer is None:
            return error_result(ToolRefused(f"nobody answered whether {ctx.tool_name} may be called"))
        return await call_next(args) if answer else error_result(ToolRefused(f"a person refused {ctx.tool_name}"))
