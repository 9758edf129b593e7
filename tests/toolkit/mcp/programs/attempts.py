"""Asks a server's tool that fails twice, and one that always fails; middleware makes each call three times."""

import asyncio
import sys

from toolkit import FastAgent, ScriptedModel, StdioServer, Turn
from toolkit.middleware import Retry


def serve() -> None:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("desk")
    asked: list[str] = []

    @server.tool()
    def book(hotel: str) -> str:
        """Book a room."""
        asked.append(hotel)
        if len(asked) < 3 or hotel == "Ritz":
            raise ValueError("no room")
        return f"booked {hotel}"

    server.run()


async def main() -> None:
    fast = FastAgent("trip", servers={"desk": StdioServer(sys.executable, [__file__, "serve"])})
    calls = [("desk__book", {"hotel": "Lago"})], [("desk__book", {"hotel": "Ritz"})]
    script = ScriptedModel([Turn(calls=calls[0]), Turn(calls=calls[1]), "done"])
    again = Retry(3, error_results=True, backoff=lambda _: 0)
    fast.agent("guide", instruction="Book.", servers=["desk"], tool_hooks=[again], model=script)(main)
    async with fast.run() as agent:
        print(await agent("Book me a room."))


serve() if "serve" in sys.argv else asyncio.run(main())
