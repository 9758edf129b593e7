"""One form of request, to a tool of an agent or to the agent itself.

Run it with `python examples/toolkit/unified_request.py`.
"""

import asyncio
from typing import Any

from toolkit import Agent, ScriptedModel, ToolContext, UnifiedRequest, tool
from toolkit.agents import handle
from toolkit.errors import ToolUnknown


class Researcher(Agent):
    """Searches, and answers questions."""

    @tool
    async def search_documents(self, query: str, context: ToolContext, limit: int = 10) -> dict[str, Any]:
        """Search documents with query."""
        return {"query": query, "limit": limit, "user": context.state["user_id"], "request": context.correlation_id}


async def main() -> None:
    """Call a tool, the agent, and nobody."""
    researcher = Researcher("researcher", model=ScriptedModel("I analyzed it."))
    result = await researcher.handle(
        UnifiedRequest(
            target="researcher.search_documents",
            inputs={"query": "climate change", "limit": 5},
            context={"user_id": "123"},
            metadata={"request_id": "abc"},
        )
    )
    print(result.structured, result.metadata)

    result = await researcher.handle(UnifiedRequest(target="researcher", inputs={"task": "analyze this"}))
    print(result.text)

    result = await researcher.handle(UnifiedRequest(target="researcher.tool_name", inputs={}))
    print(result.text)
    try:
        await handle(UnifiedRequest(target="nobody", inputs={}), [researcher])
    except ToolUnknown as error:
        print(error)


if __name__ == "__main__":
    asyncio.run(main())
