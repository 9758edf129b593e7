"""Agent Framework's tools, ported by the names page: a tool as a class, `@FunctionTool`, an agent as a tool.

Run it with `python examples/ports/agent_framework.py`, or watch it: `inspector run` instead of `python`, and then
`inspector show last`.
"""

import asyncio

from toolkit import Agent, AgentTool, FunctionTool, ScriptedModel, Tool, ToolCall, ToolContext, ToolResult, Turn
from toolkit.content import ImageContent, TextContent
from toolkit.middleware import Refuse


class Thumbnail(Tool):
    """A tool as a class, with what comes before and after its run."""

    name = "thumbnail"
    description = "Show a small picture of a page."
    input_schema = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}  # noqa: RUF012 - as the base class has it

    async def on_invoke(self, call: ToolCall, context: ToolContext) -> None:
        """Come before it runs."""
        await context.send(f"{call.name} is about to run")

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:  # noqa: ARG002 - the signature of tools
        """Return a picture, and what it shows."""
        url = str((call.arguments or {})["url"])
        return ToolResult(is_error=False, content=[ImageContent("aGk=", "image/png"), TextContent(url)])

    async def on_output(self, output: ToolResult, context: ToolContext) -> ToolResult:  # noqa: ARG002 - as above
        """Come after it ran."""
        output.metadata["cached"] = False
        return output


@FunctionTool
def web_search(query: str, num_results: int = 10) -> str:
    """A tool that performs a web search and returns the results."""
    return f"{num_results} pages on {query}"


def no_secrets(call: ToolCall, context: ToolContext) -> Refuse | None:  # noqa: ARG001 - the signature of guardrails
    """Keep the model from asking for passwords."""
    return Refuse("that is nobody's business") if "password" in str(call.arguments) else None


async def sorry(error: Exception, context: ToolContext) -> ToolResult:  # noqa: ARG001 - as above
    """Say what the model can do about it."""
    return ToolResult.error(f"the summarizer is out: {error}")


async def show(value: object) -> None:
    """Take what tools send."""
    print(value)


web_search.add_input_guardrails([no_secrets])
summarizer = Agent("summarizer", instruction="Summarize.", model=ScriptedModel(["Striped."]))
tool = AgentTool(
    agent=summarizer,
    name="Summarizer",
    description="Makes it short.",
    output_extractor=lambda result: {"summary": result.text, "turns": result.turns},
    on_error_func=sorry,
)
calls = [
    Turn(calls=[("web_search", {"query": "zebras"})]),
    Turn(calls=[("web_search", {"query": "the password"})]),
    Turn(calls=[("thumbnail", {"url": "https://zebras.example"})]),
    Turn(calls=[("Summarizer", {"message": "10 pages on zebras"})]),
]
agent = Agent(
    "researcher",
    instruction="Answer from the web.",
    model=ScriptedModel([*calls, "They are striped."]),
    tools=[web_search, Thumbnail(), tool],
    context=ToolContext(output=show),
)


async def main() -> None:
    """Have it answer, and show what the tools said."""
    result = await agent.run("What do zebras look like?")
    print(*(message.get("content") for message in result.messages if message["role"] == "tool"), sep="\n")
    print(result.text)


if __name__ == "__main__":
    asyncio.run(main())
