"""An agent whose methods are tools: declared, discovered, called, and wrongly called.

Run it with `python examples/toolkit/decorated_methods.py`.
"""

import asyncio
from typing import Any

from toolkit import Agent, UnifiedRequest, mcp_route, tool
from toolkit.errors import ArgumentsInvalid


class ResearchAgent(Agent):
    """Looks things up; it needs no model, since only its tools are called."""

    @tool
    async def analyze_text(self, text: str) -> dict[str, Any]:
        """Analyze text content."""
        return {"sentiment": "positive", "length": len(text)}

    @tool(name="search_docs")
    @mcp_route("/search", permissions=["read"])
    def search_documents(self, query: str, limit: int = 10) -> dict[str, Any]:
        """Search documents with query."""
        return {"results": [query][:limit], "total": 0}

    def process_data(self, data: str) -> str:
        """Stay a method: without `@tool` no model can call it."""
        return data.upper()


async def main() -> None:
    """Find out what there is, then call it."""
    agent = ResearchAgent("researcher")
    for each in agent.definitions():
        print(f"{each.name}: {each.description}")
        print(f"  Input: {each.input_schema}")
        print(f"  Output: {each.output_schema}")
        print(f"  Route: {each.mcp_route} {list(each.permissions)}")
    result = await agent.handle(UnifiedRequest("researcher.analyze_text", {"text": "hello"}))
    print(result.structured)
    result = await agent.handle(UnifiedRequest("researcher.search_docs", {"query": 7}))
    if isinstance(result.exception, ArgumentsInvalid):
        print(f"Invalid input: {result.exception}")
    print(agent.process_data("plain"))


if __name__ == "__main__":
    asyncio.run(main())
