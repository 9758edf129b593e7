"""A client of an MCP server that asks it something in the middle of a call, and the server itself.

python replayed_asking.py WAY      WAY is elicit, sample, or rounds: the call is repeated until all input is there
python replayed_asking.py serve    over stdio
"""

import asyncio
import sys

try:
    from mcp.server.mcpserver import Context, MCPServer
except ImportError:
    from mcp.server.fastmcp import Context
    from mcp.server.fastmcp import FastMCP as MCPServer

from mcp import ClientSession, StdioServerParameters, stdio_client, types
from pydantic import BaseModel


class Seat(BaseModel):
    row: int


def theatre():
    server = MCPServer("theatre")

    @server.tool()
    async def elicit(play: str, context: Context) -> str:
        """Ask which row."""
        found = await context.elicit("which row?", Seat)
        return f"{play}, row {found.data.row}"

    @server.tool()
    async def sample(play: str, context: Context) -> str:
        """Ask the client's model."""
        asked = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=f"rate {play}"))
        found = await context.session.create_message([asked], max_tokens=9)
        return f"{play}: {found.content.text}"

    return server


def theatre_in_rounds():
    from typing import Annotated

    from mcp.server.mcpserver import Elicit, Resolve

    server = theatre()

    async def choose(context: Context) -> Elicit[Seat]:
        return Elicit("which row?", Seat)

    @server.tool()
    async def rounds(play: str, seat: Annotated[Seat, Resolve(choose)]) -> str:
        return f"{play}, row {seat.row}"

    return server


async def elicited(_, params):
    print("asked", params.message)
    return types.ElicitResult(action="accept", content={"row": 4})


async def sampled(_, params):
    print("asked", params.messages[0].content.text)
    said = types.TextContent(type="text", text="good")
    return types.CreateMessageResult(role="assistant", content=said, model="m-1")


async def visit(way):
    server = StdioServerParameters(command=sys.executable, args=[__file__, "serve"])
    if way == "rounds":
        from mcp import Client

        async with Client(stdio_client(server), elicitation_callback=elicited) as client:
            print((await client.call_tool(way, {"play": "Hamlet"})).content[0].text)
        return
    async with (
        stdio_client(server) as streams,
        ClientSession(*streams, elicitation_callback=elicited, sampling_callback=sampled) as session,
    ):
        await session.initialize()
        print((await session.call_tool(way, {"play": "Hamlet"})).content[0].text)


if sys.argv[1] == "serve":
    made = theatre() if "mcp.server.fastmcp" in sys.modules else theatre_in_rounds()
    made.run("stdio")
else:
    asyncio.run(visit(sys.argv[1]))
