"""An agent of Agent Framework with tools that give objects and fail, on its loop and off it."""

import asyncio
import logging
import os
from dataclasses import dataclass

from agent_framework import Agent, tool
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


agent = Agent(OpenAIClient(), name="planner", tools=[find, weather, fail])


async def main() -> None:
    for asked in (
        '!call find {"city": "Oslo"}\n!call find {"city": "Rome", "beds": 2}\n!call weather {"city": "Rome"}',
        '!call fail {"why": "no such place"}',
        "nothing",
    ):
        print((await agent.run(asked)).text)


asyncio.run(main())
