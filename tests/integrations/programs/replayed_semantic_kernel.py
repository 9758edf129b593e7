"""Agents of Semantic Kernel: functions that fail and give objects, prompts, orchestrations, a process, MCP.

The model does what the last message of its user says, and tells what the functions gave.
"""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI
from pydantic import BaseModel
from semantic_kernel import Kernel
from semantic_kernel.agents import (
    ChatCompletionAgent,
    ConcurrentOrchestration,
    HandoffOrchestration,
    OrchestrationHandoffs,
    SequentialOrchestration,
)
from semantic_kernel.agents.runtime import InProcessRuntime
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.connectors.mcp import MCPStdioPlugin
from semantic_kernel.contents import ChatHistory
from semantic_kernel.functions import kernel_function
from semantic_kernel.processes import ProcessBuilder
from semantic_kernel.processes.kernel_process import KernelProcessEvent, KernelProcessStep
from semantic_kernel.processes.local_runtime.local_kernel_process import start

IS_RECORDED = "REPLAYED" not in os.environ
# What a function raises is logged with its own frames, which do not run in a replay.
logging.disable()
DESK = Path(__file__).with_name("replayed_desk.py")


class Found(BaseModel):
    hotel: str
    beds: int


class Trip:
    @kernel_function
    def find(self, city: str, beds: int = 1) -> Found:
        """Find a room."""
        assert IS_RECORDED
        return Found(hotel=f"Casa {city}", beds=beds)

    @kernel_function
    def fail(self, why: str) -> str:
        """Fail."""
        assert IS_RECORDED
        raise ValueError(why)

    @kernel_function
    async def slow(self, city: str) -> dict[str, str]:
        """Take a while."""
        assert IS_RECORDED
        await asyncio.sleep(0)
        return {"slow": city}


class Ask(KernelProcessStep):
    @kernel_function
    async def ask(self, kernel: Kernel, what: str) -> str:
        print(await kernel.invoke(plugin_name="Trip", function_name="find", city=what))
        return what


def service() -> OpenAIChatCompletion:
    client = AsyncOpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key="k", max_retries=0)
    return OpenAIChatCompletion("gpt-4o", async_client=client, service_id="default")


def agent(name: str, *plugins: Any) -> ChatCompletionAgent:
    return ChatCompletionAgent(service=service(), name=name, description=f"Is {name}.", plugins=[Trip(), *plugins])


def call(name: str, **arguments: Any) -> str:
    return f"!call {name} {json.dumps(arguments)}"


async def main() -> None:
    asked = call("Trip-find", city="Oslo", beds=2), call("Trip-fail", why="no such place"), call("Trip-nobody", x=1)
    print(await agent("planner").get_response("\n".join(asked)))
    async for part in agent("streaming").invoke_stream(call("Trip-slow", city="Bern")):
        print(part, end="|")
    print(
        await agent("outer", agent("helper")).get_response(
            call("helper-helper", messages=call("Trip-slow", city="Lima"))
        )
    )
    runtime = InProcessRuntime()
    runtime.start()
    task = call("Trip-slow", city="Bari")
    print(await (await SequentialOrchestration([agent("first"), agent("second")]).invoke(task, runtime)).get())
    pair = await (await ConcurrentOrchestration([agent("left"), agent("right")]).invoke(task, runtime)).get()
    print([str(each) for each in pair])
    ann, bob = agent("ann"), agent("bob")
    handoffs = OrchestrationHandoffs().add(ann, bob, "Ask bob.")
    handed = HandoffOrchestration([ann, bob], handoffs=handoffs)
    print(await (await handed.invoke(call("Handoff-transfer_to_bob"), runtime)).get())
    await runtime.stop_when_idle()
    kernel = Kernel(services=[service()])
    kernel.add_plugin(Trip(), "Trip")
    print(await kernel.invoke_prompt("hello {{$name}}", function_name="greet", name="Ann"))
    settings = OpenAIChatPromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto())
    history = ChatHistory()
    history.add_user_message(call("Trip-find", city="Rome"))
    print(await service().get_chat_message_content(history, settings, kernel=kernel))
    builder = ProcessBuilder(name="trip")
    builder.on_input_event("go").send_event_to(builder.add_step(Ask), parameter_name="what")
    await start(builder.build(), kernel, KernelProcessEvent(id="go", data="Bonn"))
    async with MCPStdioPlugin(name="desk", command=sys.executable, args=[str(DESK), "ledger.txt", "desk"]) as desk:
        remote = agent("remote", desk)
        print(await remote.get_response("\n".join((call("desk-weather", city="Oslo"), call("desk-wipe")))))
    try:
        await agent("refused").get_response("\n!fail 400 9")
    except Exception as error:
        print(type(error).__name__)


asyncio.run(main())
