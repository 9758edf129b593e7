"""A tool as a class: what runs before it, after it, and when it fails, with guardrails and a function for errors.

Run it with `python examples/toolkit/tool_class.py`.
"""

import asyncio

from toolkit import Tool, ToolCall, ToolContext, ToolResult
from toolkit.content import text_content
from toolkit.definition import ToolDefinition
from toolkit.middleware import Decision, Refuse, Rewrite


class Divide(Tool):
    """Divides one number by another one."""

    def __init__(self) -> None:
        number = {"type": "number"}
        schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
        super().__init__(ToolDefinition(name="divide", description="Divide a by b.", input_schema=schema, strict=False))

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Divide."""
        await context.send(f"dividing for {context.agent_name}")
        arguments = call.arguments or {}
        return ToolResult([text_content(f"{arguments['a'] / arguments['b']:g}")])

    async def on_invoke(self, call: ToolCall, context: ToolContext) -> None:  # noqa: ARG002 - the signature of all
        """Look at the call before the guardrails do."""
        print("on_invoke", call.name, call.arguments)

    async def on_output(self, result: ToolResult, context: ToolContext) -> ToolResult:  # noqa: ARG002 - as above
        """Look at the result before the guardrails do."""
        print("on_output", result.text)
        return result

    async def on_error(self, error: Exception, context: ToolContext) -> None:  # noqa: ARG002 - as above
        """Look at what was raised; what the caller reads is said by the ``on_error_func``."""
        print("on_error", type(error).__name__)


def no_large_numbers(call: ToolCall, context: ToolContext) -> Decision[ToolCall]:
    """Refuse what nobody needs."""
    del context
    return Refuse("a is too large") if (call.arguments or {}).get("a", 0) > 1000 else None


def with_unit(result: ToolResult, context: ToolContext) -> Decision[ToolResult]:
    """Add a unit."""
    del context
    return Rewrite(ToolResult([text_content(f"{result.text} EUR")]))


async def explain(error: Exception, context: ToolContext) -> ToolResult:
    """Say it in words of our own."""
    del context
    return ToolResult.error(f"cannot divide: {error}")


async def output(value: object) -> None:
    """Stand for the event channel."""
    print("channel:", value)


async def main() -> None:
    """Call it well, badly, and against its guardrail."""
    divide = Divide()
    divide.add_input_guardrails([no_large_numbers])
    divide.add_output_guardrails([with_unit])
    divide.add_on_error_func(explain)
    print(divide.name, "-", divide.description, "- strict:", divide.strict, "-", list(divide.input_schema["required"]))
    context = ToolContext(agent_name="bookkeeper", output=output)
    for arguments in ({"a": 9, "b": 2}, {"a": 9, "b": 0}, {"a": 5000, "b": 2}):
        result = await divide(ToolCall("divide", arguments), context)
        print("->", "error:" if result.is_error else "ok:", result.text)


if __name__ == "__main__":
    asyncio.run(main())
