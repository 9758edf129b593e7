"""An agent of Agent Framework with tools that give objects and fail, on its loop and off it, and an MCP server's."""

import asyncio
import logging
import os
import sys
from dataclasses import dataclass
from typing import Any

from agent_framework import (
    Agent,
    FunctionInvocationContext,
    MCPStdioTool,
    MiddlewareTermination,
    function_middleware,
    tool,
)
from agent_framework_client import OpenAIClient

IS_RECORDED = "REPLAYED" not in os.environ
logging.disable()


@dataclass
class Room:
    hotel: str
    beds: int


@tool(approval_mode="never_require")
def find(city: str, beds: int = 1) -> Room:
    """Find a room."""
    assert IS_RECORDED
    return Room(f"Casa {city}", beds)


@tool(approval_mode="never_require")
async def weather(city: str) -> str:
    """Tell the weather."""
    assert IS_RECORDED
    return f"sun in {city}"


@tool(approval_mode="never_require")
async def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise KeyError(why)


@tool(approval_mode="never_require")
def quote(item: str) -> str:
    """Name a price; a middleware knows it already."""
    raise AssertionError


@tool(approval_mode="never_require")
def leave(to: str) -> str:
    """Hand off, at which a middleware ends the run."""
    raise AssertionError


@function_middleware
async def knows(context: FunctionInvocationContext, call_next: Any) -> None:
    match context.function.name:
        case "quote":
            context.result = f"{len(context.arguments['item'])} euros"
        case "leave":
            raise MiddlewareTermination(result="left")
        case _:
            await call_next()


SERVER = """
from pathlib import Path
from mcp.server import MCPServer
server = MCPServer("clock")
@server.tool()
def shout(text: str) -> str:
    with Path("ledger.txt").open("a") as ledger:
        ledger.write(text)
    return text.upper()
server.run("stdio")
"""


async def main() -> None:
    async with MCPStdioTool(name="clock", command=sys.executable, args=["-c", SERVER]) as clock:
        await ask(
            Agent(OpenAIClient(), name="planner", tools=[find, weather, fail, quote, leave, clock], middleware=[knows])
        )


async def ask(agent: Agent) -> None:
    for asked in (
        '!call find {"city": "Oslo"}\n!call find {"city": "Rome", "beds": 2}\n!call weather {"city": "Rome"}',
        '!call fail {"why": "no such place"}',
        '!call shout {"text": "noon"}',
        '!call quote {"item": "tent"}',
        '!call leave {"to": "another"}',
        "nothing",
    ):
        print((await agent.run(asked)).text)


asyncio.run(main())
