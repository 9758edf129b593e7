"""A trip planned by an agent of Agent Framework, over a client of the program's own."""

import asyncio
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, FunctionInvocationLayer, Message, tool
from agent_framework_client import contents_of, plain
from openai import AsyncOpenAI
from seeded_causes import Trip, record


class Client(FunctionInvocationLayer, BaseChatClient):
    """Asks with the tools and the parameters that its agent has."""

    def __init__(self, model: str) -> None:
        super().__init__()
        self.model = model

    async def _inner_get_response(self, *, messages: Any, options: Any, **_: Any) -> ChatResponse:
        asked = [each for message in messages for each in plain(message)]
        system = [{"role": "system", "content": options["instructions"]}]
        tools = [
            {"type": "function", "function": {"name": each.name, "description": each.description}}
            for each in options["tools"]
        ]
        async with AsyncOpenAI() as client:
            answer = await client.chat.completions.create(
                model=self.model, messages=system + asked, tools=tools, temperature=options["temperature"]
            )
        return ChatResponse(messages=[Message("assistant", contents_of(answer.choices[0].message))], response_id="r")


def plan(trip: Trip, question: str) -> None:
    tools = [
        tool(trip.find, description=trip.described, approval_mode="never_require"),
        tool(trip.weather, description="Tell it.", approval_mode="never_require"),
    ]
    options: Any = {"temperature": trip.temperature}
    agent = Agent(Client(trip.model), name="planner", instructions=trip.system, tools=tools, default_options=options)
    asyncio.run(agent.run(question))


record(plan)
