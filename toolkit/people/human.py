"""Asks a person."""

from collections.abc import Awaitable, Callable

from toolkit.call import ToolCall
from toolkit.content import TextContent
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import ToolkitError
from toolkit.people.asking import ApprovalRequest, answered
from toolkit.people.terminal import Terminal, visible
from toolkit.result import ToolResult
from toolkit.tools.runtime import RuntimeTool

Ask = Callable[[str], Awaitable[str | None]]
"""Puts a question to a person and returns the answer, None where there is nobody."""

_DEFINITION = ToolDefinition(
    name="human.ask",
    description="Ask the person you work for, and wait for the answer.",
    input_schema={
        "type": "object",
        "properties": {"question": {"type": "string", "minLength": 1}},
        "required": ["question"],
        "additionalProperties": False,
    },
    output_schema={"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]},
)


class HumanInputTool(RuntimeTool):
    """``human.ask``: puts a question to a person, for as long as the context's ``approval_timeout_s``.

    Args:
        ask: Puts the question; by default to the person at the terminal.
    """

    def __init__(self, ask: Ask | None = None) -> None:
        super().__init__(_DEFINITION)
        self._ask = ask
        self._terminal = Terminal()

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Ask, and return the answer as text and as ``{"answer": …}``."""
        arguments = call.arguments or {}
        request = ApprovalRequest(call.name, arguments, str(arguments["question"]))
        timeout_s, changes = context.approval_timeout_s, context.changes
        answer = await answered(request, self._answer, str, timeout_s=timeout_s, changes=changes)
        if answer is None:
            raise ToolkitError("nobody answered; go on without an answer, or say what you would need")
        return ToolResult([TextContent(answer)], structured={"answer": answer})

    async def _answer(self, request: ApprovalRequest) -> str | None:
        if self._ask is not None:
            return await self._ask(request.question)
        return await self._terminal.ask(f"\n{visible(request.question)} ")
