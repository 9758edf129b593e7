"""An agent's tools behind a server that asks for a token: over MCP, by their routes, and in an OpenAPI document.

Run it with `python examples/toolkit/mcp_server.py`.
"""

import asyncio
from typing import Any

from toolkit import Agent, HttpServer, McpServers, ToolNode, ToolServer, mcp_route, tool
from toolkit.tools import openapi_tools


class Librarian(Agent):
    """Knows where books are."""

    @tool
    @mcp_route("/search", permissions=["read"])
    def search(self, query: str) -> dict[str, Any]:
        """Search the shelves."""
        return {"results": [query], "total": 1}

    @tool(permissions=["write"])
    def throw_away(self, title: str) -> str:
        """Throw a book away."""
        return f"{title} is gone"


async def main() -> None:
    """Start the server and use it as three kinds of clients do."""
    server = ToolServer(
        agents=[Librarian("librarian")],
        name="library",
        mode="http",
        host="127.0.0.1",
        port=0,
        auth_required=True,
        tokens={"reader": ["read"]},
    )
    await server.start()
    try:
        async with McpServers({"library": HttpServer(server.mcp_url, token="reader")}) as servers:  # noqa: S106 - an example's
            [search] = await servers.tools()
            print(search.name, (await search({"query": "Pessoa"})).text)
        document = await server.openapi()
        print(sorted(document["paths"]))
        tools = openapi_tools(document, base_url=server.url, auth={"token": "reader"})
        node = ToolNode(tools)
        calls = [
            {"name": "librarian__search", "arguments": {"query": "Saramago"}},
            {"name": "librarian__throw_away", "arguments": {"title": "Blindness"}},
        ]
        print([each.name for each in tools])
        for call in calls:
            [result] = await node.invoke([call])
            print("error" if result.is_error else "ok", result.text[:60])
    finally:
        await server.stop()


if __name__ == "__main__":
    asyncio.run(main())
