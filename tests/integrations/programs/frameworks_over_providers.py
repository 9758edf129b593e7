"""Frameworks whose model calls go through the SDKs of OpenAI and Anthropic, to a stub; counts requests."""

import asyncio
import json
import os
from contextlib import suppress
from urllib.request import urlopen

import agents
import anthropic
import models
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from pydantic import BaseModel, ValidationError
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

assert anthropic.__version__
MISFIT = '!say {"sum": "three"}'
ASKED = '!call add {"a": 1, "b": 2}'
agents.set_tracing_disabled(True)
os.environ["OPENAI_API_KEY"] = "sk-none"


class Sum(BaseModel):
    total: int


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def langchain(url: str) -> None:
    model = ChatOpenAI(model="gpt-4o-mini", base_url=url, stream_usage=True)
    create_agent(model, [add], name="of langchain").invoke({"messages": [("user", ASKED)]})
    for _ in model.stream("hello there"):
        pass
    with suppress(ValidationError):
        model.with_structured_output(Sum, method="json_schema").invoke(MISFIT)


async def pydantic_ai(url: str, root: str) -> None:
    agent = Agent(OpenAIChatModel("gpt-4o-mini", provider=OpenAIProvider(base_url=url, api_key="sk-none")), name="p")
    agent.tool_plain(add)
    await agent.run(ASKED)
    claude = AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(base_url=root, api_key="sk-none"))
    for each in (agent, Agent(claude, name="c")):
        async with each.run_stream("stream it") as answer:
            async for _ in answer.stream_text():
                pass


async def openai_agents(url: str) -> None:
    client = AsyncOpenAI(base_url=url)
    for kind in (agents.OpenAIResponsesModel, agents.OpenAIChatCompletionsModel):
        agent = agents.Agent(name="o", model=kind("gpt-4o-mini", client), tools=[agents.function_tool(add)])
        await agents.Runner.run(agent, ASKED)
        async for _ in agents.Runner.run_streamed(agent, "stream it").stream_events():
            pass


with models.serving() as stub:
    langchain(f"{stub.url}/v1")
    asyncio.run(pydantic_ai(f"{stub.url}/v1", stub.url))
    asyncio.run(openai_agents(f"{stub.url}/v1"))
    with urlopen(f"{stub.url}/requests") as answer:  # noqa: S310 - the stub's own address
        requests = json.load(answer)["data"]
print(json.dumps({"requests": len(requests)}))
