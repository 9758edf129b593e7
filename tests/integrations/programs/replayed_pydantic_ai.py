"""An agent of pydantic-ai with tools that give objects, fail, ask for another try, and are agents themselves."""

import asyncio
import os
from dataclasses import dataclass

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, RunContext, ToolReturn

IS_RECORDED = "REPLAYED" not in os.environ
MODEL = "openai-chat:gpt-4o"
agent = Agent(MODEL, name="planner", retries=2)
researcher = Agent(MODEL, name="researcher")


class Room(BaseModel):
    hotel: str
    beds: int


@dataclass
class City:
    name: str


@agent.tool_plain
def find(city: City, beds: int = 1) -> list[Room]:
    assert IS_RECORDED
    return [Room(hotel=f"Casa {city.name}", beds=beds)]


@agent.tool_plain
async def guess(number: int) -> str:
    assert IS_RECORDED
    if number < 2:
        raise ModelRetry("higher")
    return "right"


@agent.tool_plain
def photo() -> ToolReturn:
    assert IS_RECORDED
    return ToolReturn(return_value="a photo", content="of the sea", metadata={"size": 3})


@agent.tool
async def research(_: RunContext[None], topic: str) -> str:
    assert IS_RECORDED
    return (await researcher.run(f"!say notes on {topic}")).output


@agent.tool_plain
def fail() -> str:
    assert IS_RECORDED
    raise KeyError("no such place")


async def main() -> None:
    turn = '!call find {"city": {"name": "Oslo"}}\n!call find {"city": {"name": "Rome"}, "beds": 2}'
    for asked in (
        turn,
        '!call guess {"number": 1}',
        '!call guess {"number": "none"}',
        "!call photo {}",
        '!call research {"topic": "hooks"}',
    ):
        result = await agent.run(asked)
        print(result.output)
        for message in result.all_messages():
            for part in message.parts:
                print(part.part_kind, repr(part.content if hasattr(part, "content") else part.args))
    async with agent.run_stream("stream it") as answer:
        print([text async for text in answer.stream_text(delta=True)])
    try:
        await agent.run("!call fail {}")
    except KeyError as error:
        print(repr(error))


asyncio.run(main())
