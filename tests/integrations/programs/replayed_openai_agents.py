"""Agents of openai-agents: tools that give objects and fail, agents as tools, a handoff, a guardrail, a stream."""

import asyncio
import os
from typing import Any

import agents
from agents import Agent, FunctionTool, GuardrailFunctionOutput, Runner, function_tool, input_guardrail
from pydantic import BaseModel

IS_RECORDED = "REPLAYED" not in os.environ
# In a replay it is on, and nothing is sent.
agents.set_tracing_disabled(IS_RECORDED)


class Room(BaseModel):
    hotel: str
    beds: int


@function_tool
def find(city: str, beds: int = 1) -> Room:
    assert IS_RECORDED
    return Room(hotel=f"Casa {city}", beds=beds)


@function_tool
async def fail(why: str) -> str:
    assert IS_RECORDED
    raise KeyError(why)


@function_tool(failure_error_function=None)
async def crash(why: str) -> str:
    assert IS_RECORDED
    raise KeyError(why)


async def invoke(_: Any, arguments: str) -> str:
    assert IS_RECORDED
    return f"by hand: {arguments}"


@input_guardrail
async def harmless(_: Any, __: Any, given: Any) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(output_info={"words": len(str(given))}, tripwire_triggered=False)


researcher = Agent(name="researcher", model="gpt-4o", tools=[find])
seller = Agent(name="seller", model="gpt-4o")
own = FunctionTool("own", "Made by hand.", {"type": "object", "properties": {}}, invoke, strict_json_schema=False)
planner = Agent(
    name="planner",
    model="gpt-4o",
    input_guardrails=[harmless],
    handoffs=[seller],
    tools=[find, fail, crash, own, researcher.as_tool("research", "Research.")],
)


async def main() -> None:
    for asked in (
        '!call find {"city": "Oslo"}\n!call find {"city": "Rome", "beds": 2}',
        '!call fail {"why": "no such place"}',
        "!call own {}",
        '!call research {"input": "!call find {\\"city\\": \\"Bergen\\"}"}',
        "!call transfer_to_seller {}",
    ):
        result = await Runner.run(planner, asked)
        print(result.last_agent.name, result.final_output)
        print([repr(getattr(item, "output", None)) for item in result.new_items])
    streamed = Runner.run_streamed(seller, "stream it")
    print([event.type async for event in streamed.stream_events()], streamed.final_output)
    try:
        await Runner.run(planner, '!call crash {"why": "no such place"}')
    except Exception as error:
        print(type(error).__name__, error, repr(error.__cause__))


asyncio.run(main())
