"""Asks a person."""

from collections.abc import Awaitable, Callable
from typing import Any

from toolkit.call import ToolCall
from toolkit.content import TextContent
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import ToolkitError
from toolkit.people.approver import ApprovalRequest
from toolkit.people.asking import agreed
from toolkit.people.terminal import Terminal, visible
from toolkit.result import ToolResult
from toolkit.tool_class import arguments_of
from toolkit.tools.runtime import RuntimeTool

Ask = Callable[[str], Awaitable[str | None]]
"""Puts a question to a person and returns the answer, None where there is nobody."""

_YES = ("y", "yes")

_DEFINITION = ToolDefinition(
    name="human.ask",
    description="Ask the person you work for, and wait for the answer.",
    input_schema={
        "type": "object",
        "properties": {
            "question": {"type": "string", "minLength": 1},
            "answer": {
                "enum": ["text", "yes_or_no"],
                "default": "text",
                "description": "What kind of answer is wanted.",
            },
        },
        "required": ["question"],
        "additionalProperties": False,
    },
    output_schema={
        "type": "object",
        "properties": {"answer": {"type": ["string", "boolean"]}},
        "required": ["answer"],
    },
)


class HumanInputTool(RuntimeTool):
    """``human.ask``: puts a question to a person.

    What can be answered with yes or no goes to the context's approver, if it has one; everything else goes to ``ask``.

    Args:
        ask: Puts the question; by default to the person at the terminal.
    """

    def __init__(self, ask: Ask | None = None) -> None:
        super().__init__(_DEFINITION)
        self._ask = ask or _at_terminal(Terminal())

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Ask, and return the answer as text and as ``{"answer": …}``."""
        arguments = arguments_of(call)
        question = str(arguments["question"])
        if arguments.get("answer") != "yes_or_no":
            answer = await self._answer(question)
            return _result(answer, answer)
        if context.approver is not None:
            request = ApprovalRequest(call.name, arguments, question)
            timeout_s, changes = context.approval_timeout_s, context.changes
            yes = await agreed(request, context.approver, timeout_s=timeout_s, changes=changes)
            if yes is None:
                raise ToolkitError("nobody answered; go on without an answer, or say what you would need")
        else:
            yes = (await self._answer(f"{question} [y/N]")).strip().lower() in _YES
        return _result("yes" if yes else "no", yes)

    async def _answer(self, question: str) -> str:
        answer = await self._ask(question)
        if answer is None:
            raise ToolkitError("there is nobody to ask; go on without an answer, or say what you would need")
        return answer


def _result(text: str, answer: Any) -> ToolResult:
    return ToolResult([TextContent(text)], structured={"answer": answer})


def _at_terminal(terminal: Terminal) -> Ask:
    async def ask(question: str) -> str | None:
        return await terminal.ask(f"\n{visible(question)} ")

    return ask
