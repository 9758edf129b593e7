"""Agents and teams of AutoGen: tools that fail, stream and give objects, handoffs, agents as tools, MCP.

The model does what the last message of its user says, and tells what the tools gave.
"""

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat, Swarm
from autogen_agentchat.tools import AgentTool
from autogen_core import CancellationToken
from autogen_core.tools import BaseStreamTool, BaseTool
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams
from pydantic import BaseModel

IS_RECORDED = "REPLAYED" not in os.environ
# What a tool raises is logged with its own frames, which do not run in a replay.
logging.disable()
DESK = Path(__file__).with_name("replayed_desk.py")


class Place(BaseModel):
    city: str
    beds: int = 1


class Found(BaseModel):
    hotel: str
    beds: int


class Find(BaseTool[Place, Found]):
    def __init__(self) -> None:
        super().__init__(Place, Found, "find", "Find a room.")

    async def run(self, args: Place, cancellation_token: CancellationToken) -> Found:
        assert IS_RECORDED
        return Found(hotel=f"Casa {args.city}", beds=args.beds)


class Look(BaseStreamTool[Place, TextMessage, Found]):
    def __init__(self) -> None:
        super().__init__(Place, Found, "look", "Look for a room.")

    async def run(self, args: Place, cancellation_token: CancellationToken) -> Found:
        raise NotImplementedError

    async def run_stream(self, args: Place, cancellation_token: CancellationToken) -> AsyncGenerator[Any, None]:
        assert IS_RECORDED
        yield TextMessage(content="looking", source="look")
        yield Found(hotel=f"Casa {args.city}", beds=args.beds)


def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise ValueError(why)


async def slow(city: str) -> dict[str, str]:
    """Take a while."""
    assert IS_RECORDED
    await asyncio.sleep(0)
    return {"slow": city}


def model() -> OpenAIChatCompletionClient:
    url = os.environ["OPENAI_BASE_URL"]
    return OpenAIChatCompletionClient(model="gpt-4o", base_url=url, api_key="k", max_retries=0)


def agent(name: str, *tools: Any, **more: Any) -> AssistantAgent:
    return AssistantAgent(name, model(), tools=[Find(), Look(), fail, slow, *tools], **more)


def call(name: str, **arguments: Any) -> str:
    return f"!call {name} {json.dumps(arguments)}"


async def main() -> None:
    asked = call("find", city="Oslo", beds=2), call("fail", why="no such place"), call("nobody", x=1)
    print((await agent("planner").run(task="\n".join(asked))).messages[-1].to_text())
    streaming = agent("streaming", model_client_stream=True, reflect_on_tool_use=True)
    async for message in streaming.run_stream(task=f"{call('slow', city='Bern')}\n{call('look', city='Rome')}"):
        if isinstance(message, TextMessage) and message.source == "streaming":
            print(message.content)
    helper = AgentTool(agent("helper"))
    print(
        (await agent("outer", helper).run(task=call("helper", task=call("slow", city="Lima")))).messages[-1].to_text()
    )
    team = RoundRobinGroupChat([agent("first"), agent("second")], max_turns=2)
    print([each.to_text() for each in (await team.run(task=call("slow", city="Bari"))).messages])
    swarm = Swarm([agent("ann", handoffs=["bob"]), agent("bob")], max_turns=2)
    print((await swarm.run(task=call("transfer_to_bob"))).messages[-1].to_text())
    server = StdioServerParams(command=sys.executable, args=[str(DESK), "ledger.txt", "desk"])
    async with McpWorkbench(server) as desk:
        remote = AssistantAgent("remote", model(), workbench=desk)
        print((await remote.run(task="\n".join((call("weather", city="Oslo"), call("wipe"))))).messages[-1].to_text())
    try:
        await agent("refused").run(task="\n!fail 400 9")
    except Exception as error:
        print(type(error).__name__)


asyncio.run(main())
