# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "autogen-agentchat==0.7.5",
#   "autogen-ext==0.7.5",
# ]
# ///
"""An agent of autogen with a tool that works and one that fails."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelFamily, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient
from exporting import exporting
from opentelemetry import trace


async def weather(city: str) -> str:
    """Tells the weather."""
    return f"sunny in {city}"


async def broken() -> str:
    """Fails."""
    raise RuntimeError("no weather today")


async def main() -> None:
    usage = RequestUsage(prompt_tokens=20, completion_tokens=5)
    calls = [FunctionCall("call_1", '{"city": "Paris"}', "weather"), FunctionCall("call_2", "{}", "broken")]
    model = ReplayChatCompletionClient(
        [CreateResult(finish_reason="function_calls", content=calls, usage=usage, cached=False), "It is sunny."],
        model_info={
            "vision": False,
            "function_calling": True,
            "json_output": False,
            "family": ModelFamily.UNKNOWN,
            "structured_output": False,
        },
    )
    agent = AssistantAgent("forecaster", model, tools=[weather, broken], reflect_on_tool_use=True)
    await agent.run(task="How is the weather?")


with exporting("autogen-agentchat", "autogen-core") as provider:
    trace.set_tracer_provider(provider)
    asyncio.run(main())
