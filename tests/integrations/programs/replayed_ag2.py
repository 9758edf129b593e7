"""Agents of AG2: tools that give objects and fail, again for a middleware, agents as tools, MCP.

The model does what the last message of its user says, and tells what the tools gave.
"""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from ag2 import Agent
from ag2.config import OpenAIConfig
from ag2.tools import MCPStdioServerConfig, MCPToolkit, tool

IS_RECORDED = "REPLAYED" not in os.environ
# What a tool raises is logged with its own frames, which do not run in a replay.
logging.disable()
DESK = Path(__file__).with_name("replayed_desk.py")


def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find a room."""
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise ValueError(why)


async def slow(city: str) -> str:
    """Take a while."""
    assert IS_RECORDED
    await asyncio.sleep(0)
    return f"slow {city}"


async def again(call_next: Any, event: Any, context: Any) -> Any:
    """Call a tool twice."""
    await call_next(event, context)
    return await call_next(event, context)


attempts: list[str] = []


@tool(middleware=[again])
def twice(city: str) -> str:
    """Be called twice."""
    assert IS_RECORDED
    attempts.append(city)
    return f"{len(attempts)} {city}"


def agent(name: str, *tools: Any) -> Agent:
    config = OpenAIConfig("gpt-4o", base_url=os.environ["OPENAI_BASE_URL"], api_key="k", max_retries=0)
    return Agent(name, config=config, tools=[find, fail, slow, twice, *tools])


def call(name: str, **arguments: Any) -> str:
    return f"!call {name} {json.dumps(arguments)}"


async def main() -> None:
    asked = call("find", city="Oslo", beds=2), call("fail", why="no such place"), call("nobody", x=1)
    reply = await agent("planner").ask("\n".join(asked))
    # What the model is told of a failure has the lines of its traceback.
    print(str(reply.body).replace("\n", " ")[:60], "no such place" in str(reply.body))
    print((await reply.ask("and then")).body)
    async with agent("steps").run("\n".join((call("slow", city="Bern"), call("twice", city="Rome")))) as run:
        print((await run.result()).body)
    helper = agent("helper").as_tool(description="Helps.", name="ask_helper")
    print((await agent("outer", helper).ask(call("ask_helper", objective=call("slow", city="Lima")))).body)
    desk = MCPToolkit(MCPStdioServerConfig(command=sys.executable, args=[str(DESK), "ledger.txt", "desk"]))
    print((await agent("remote", desk).ask(call("weather", city="Oslo"))).body)
    try:
        await agent("refused").ask("\n!fail 400 9")
    except Exception as error:
        print(type(error).__name__)


asyncio.run(main())
