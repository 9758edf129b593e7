"""A function as a tool, with everything that can be chosen about it.

Run it with `python examples/toolkit/function_tool.py`.
"""

import asyncio

from toolkit import FunctionTool, ToolCall, ToolContext, ToolResult
from toolkit.content import text_content
from toolkit.middleware import Decision, Refuse, Rewrite


@FunctionTool
def web_search(query: str, num_results: int = 10) -> str:
    """A tool that performs a web search and returns the results."""
    return f"{num_results} results for {query}"


def not_about_us(call: ToolCall, context: ToolContext) -> Decision[ToolCall]:
    """Refuse searches for our own names."""
    del context
    return Refuse("do not search for us") if "acme" in (call.arguments or {})["query"].lower() else None


def shorter(result: ToolResult, context: ToolContext) -> Decision[ToolResult]:
    """Keep the beginning."""
    del context
    return Rewrite(ToolResult([text_content(result.text[:20])]))


def explain(error: Exception, context: ToolContext) -> ToolResult:
    """Say what to do instead."""
    del context
    return ToolResult.error(f"{error}; try another query")


@FunctionTool(
    name="search_news",
    description="Search the news.",
    strict=True,
    on_error_func=explain,
    input_guardrails=[not_about_us],
    output_guardrails=[shorter],
)
async def search(query: str) -> str:
    """What models do not read, since there is a description."""
    if not query:
        raise ValueError("nothing to search for")
    return f"today's news about {query}"


async def main() -> None:
    """Call both."""
    for each in (web_search, search):
        print(each.name, "-", each.description, "-", each.input_schema["properties"])
    print((await web_search({"query": "agents"})).text)
    for query in ("the weather", "ACME", ""):
        result = await search({"query": query})
        print("error:" if result.is_error else "ok:", result.text)


if __name__ == "__main__":
    asyncio.run(main())
