"""Agents of the toolkit over a scripted model and over an endpoint; tools must not run where REPLAYED is set."""

import asyncio
import os

from toolkit import Agent, AgentTool, ToolCall, ToolContext, ToolNode, ToolResult, Workflow, tool
from toolkit.errors import ModelFailed, ToolRefused
from toolkit.models import OpenAIModel, ScriptedModel, Turn

IS_RECORDED = "REPLAYED" not in os.environ
HOTEL = os.environ.get("HOTEL", "Roma")


class FullyBooked(Exception):
    def __init__(self, hotel):
        super().__init__(hotel)
        self.hotel = hotel


@tool
async def weather(city: str) -> dict[str, str]:
    """Tell the weather."""
    assert IS_RECORDED
    return {"city": city, "weather": "sun"}


@tool
async def book(hotel: str) -> str:
    """Book a room."""
    assert IS_RECORDED
    raise FullyBooked(hotel)


@tool
def forbid(what: str) -> ToolResult:
    """Refuse."""
    assert IS_RECORDED
    raise ToolRefused(f"no {what} here")


CALLS = Turn(
    "I look.", calls=(("weather", {"city": "Oslo"}), ("book", {"hotel": "Casa"}), ("ask_guide", {"message": "?"}))
)


def answer_of(request):
    return " | ".join(str(each["content"]) for each in request.messages if each["role"] == "tool")


async def plan(_, context):
    guide = Agent(
        "guide", model=ScriptedModel((Turn(calls=(("forbid", {"what": "dogs"}),)), answer_of)), tools=[forbid]
    )
    planner = Agent(
        "planner",
        model=ScriptedModel((CALLS, answer_of)),
        tools=[weather, book, AgentTool(guide, "ask_guide", "Ask somebody")],
    )
    answer = await planner.run("go", on_text=heard.append)
    return answer.text


heard: list[str] = []


async def main():
    print(await Workflow("trip", plan).run("a trip"))
    print("".join(heard))
    heard.clear()
    async with OpenAIModel("m-1") as model:
        over = Agent("over", model=model, tools=[weather])
        print((await over.run('weather?\n!call weather {"city": "Oslo"}', on_text=heard.append)).text)
        print((await over.run("thanks")).text)
    print(heard)
    node = ToolNode([weather, book], context=ToolContext(errors="tell"))
    results = await node.invoke([ToolCall("book", {"hotel": HOTEL}), {"name": "weather", "arguments": "{not json"}])
    print(results, repr(results[0].exception), results[0].exception.hotel)
    try:
        await Agent("over", model=ScriptedModel(())).run("once more")
    except ModelFailed as error:
        print(repr(error))


asyncio.run(main())
