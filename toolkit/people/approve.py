"""Asks a person before a tool is called."""

from toolkit.errors import ToolRefused
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, failed
from toolkit.people.approver import ApprovalRequest, Approver
from toolkit.people.terminal import Terminal
from toolkit.plain import own
from toolkit.result import ToolResult


class Approve(ToolMiddleware):
    """Has a person see each call and agree before it is made; a refused one is an error result.

    Args:
        question: What the person is asked.
        approver: Who is asked. By default the approver of the caller's ``ToolContext``, and where there is none the
            person at the terminal.
        tools: Whose calls it stands around.
    """

    def __init__(
        self, question: str = "Let the agent do this?", *, approver: Approver | None = None, tools: Tools = "*"
    ) -> None:
        super().__init__(tools)
        self._question = question
        self._approver = approver
        self._terminal = Terminal()

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Ask, and call the tool if the answer is yes."""
        ask = self._approver or ctx.approver or self._terminal.answer
        agreed = await ask(ApprovalRequest(ctx.tool_name, own(args), self._question))
        if agreed is None:
            return failed(ToolRefused(f"nobody answered whether {ctx.tool_name} may be called"))
        return await call_next(args) if agreed else failed(ToolRefused(f"a person refused {ctx.tool_name}"))
