"""Agents of Strands: tools that fail, give generators and own results, hooks, a graph, an agent as a tool, MCP.

The model does what the last message of its user says, and tells what the tools gave.
"""

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from strands import Agent, ToolContext, tool
from strands.hooks import AfterToolCallEvent
from strands.models.openai import OpenAIModel
from strands.multiagent import GraphBuilder
from strands.tools.mcp import MCPClient
from strands.tools.tools import PythonAgentTool

IS_RECORDED = "REPLAYED" not in os.environ
# What a tool raises is logged with its own frames, which do not run in a replay.
logging.disable()
DESK = Path(__file__).with_name("replayed_desk.py")
MODEL = OpenAIModel(
    client_args={"base_url": os.environ["OPENAI_BASE_URL"], "api_key": "k", "max_retries": 0}, model_id="gpt-4o"
)


@tool
def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find a room."""
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


@tool
async def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise ValueError(why)


attempts: list[str] = []


@tool(context=True)
def flaky(tool_context: ToolContext, city: str) -> dict[str, Any]:
    """Fail once, in a result of its own form."""
    assert IS_RECORDED
    attempts.append(city)
    text = f"{tool_context.agent.name}: {len(attempts)} {city}"
    return {"status": "error" if len(attempts) == 1 else "success", "content": [{"text": text}]}


@tool
async def words(city: str) -> AsyncIterator[str]:
    """Tell it word by word."""
    assert IS_RECORDED
    yield "one"
    yield f"one {city}"


def by_request(request: Any, **_: Any) -> Any:
    assert IS_RECORDED
    found = {"text": f"by {request['input']['city']}"}
    return {"toolUseId": request["toolUseId"], "status": "success", "content": [found]}


MODULE_TOOL = PythonAgentTool(
    "by_request",
    {
        "name": "by_request",
        "description": "A function of a module.",
        "inputSchema": {"json": {"type": "object", "properties": {"city": {"type": "string"}}}},
    },
    by_request,
)


def agent(name: str, *tools: Any) -> Agent:
    every = [find, fail, flaky, words, MODULE_TOOL, *tools]
    return Agent(MODEL, name=name, tools=every, callback_handler=None)


def call(name: str, **arguments: Any) -> str:
    return f"!call {name} {json.dumps(arguments)}"


def again(event: AfterToolCallEvent) -> None:
    event.retry = event.tool_use["name"] == "flaky" and event.result["status"] == "error"


planner = agent("planner")
planner.add_hook(again)
asked = call("find", city="Oslo", beds=2), call("fail", why="no such place"), call("flaky", city="Rome")
print(planner("\n".join(asked)))
print([each["toolResult"]["content"] for each in planner.messages[2]["content"]])


async def stream() -> None:
    async for event in agent("streaming").stream_async("\n".join((call("words", city="Bern"), call("nobody", x=1)))):
        if "data" in event:
            print(event["data"], end="|")
    print(agent("module")(call("by_request", city="Bonn")))


asyncio.run(stream())
helper = agent("helper")
print(agent("outer", helper)(call("helper", input=call("find", city="Lima"))))
builder = GraphBuilder()
builder.add_node(agent("first"), "first")
builder.add_node(agent("second"), "second")
builder.add_edge("first", "second")
builder.set_execution_timeout(60)
print(builder.build()(call("find", city="Bari")).results["second"])

server = StdioServerParameters(command=sys.executable, args=[str(DESK), "ledger.txt", "desk"])
with MCPClient(lambda: stdio_client(server)) as desk:
    remote = agent("remote", *desk.list_tools_sync())
    print(remote("\n".join((call("weather", city="Oslo"), call("wipe")))))

try:
    agent("refused")("\n!fail 400 9")
except Exception as error:
    print(type(error).__name__)
