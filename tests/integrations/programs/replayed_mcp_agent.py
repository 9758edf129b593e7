"""mcp-agent: function tools that fail, a tool of an MCP server, agents side by side, a workflow."""

import asyncio
import os
import sys
from pathlib import Path

from mcp_agent.agents.agent import Agent
from mcp_agent.app import MCPApp
from mcp_agent.config import LoggerSettings, MCPServerSettings, MCPSettings, OpenAISettings, Settings
from mcp_agent.executor.workflow import Workflow, WorkflowResult
from mcp_agent.logging.transport import AsyncEventBus
from mcp_agent.workflows.llm.augmented_llm_openai import OpenAIAugmentedLLM
from mcp_agent.workflows.parallel.parallel_llm import ParallelLLM

IS_RECORDED = "REPLAYED" not in os.environ
DESK = Path(__file__).with_name("replayed_desk.py")


def find(city: str, beds: int = 1) -> str:
    """Find a room."""
    assert IS_RECORDED
    return f"{beds} beds in Casa {city}"


async def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise KeyError(why)


def settings() -> Settings:
    desk = MCPServerSettings(command=sys.executable, args=[str(DESK), "ledger.txt", "desk"])
    return Settings(
        execution_engine="asyncio",
        logger=LoggerSettings(type="none"),
        mcp=MCPSettings(servers={"desk": desk}),
        openai=OpenAISettings(api_key="planted", base_url=os.environ["OPENAI_BASE_URL"], default_model="stub"),
    )


async def asked(running: MCPApp) -> None:
    planner = Agent(
        name="planner",
        instruction="Plan.",
        server_names=["desk"],
        functions=[find, fail],
        context=running.context,
    )
    async with planner:
        llm = await planner.attach_llm(OpenAIAugmentedLLM)
        print(await llm.generate_str('!call find {"city": "Oslo"}\n!call find {"city": "Rome", "beds": 2}'))
        print(await llm.generate_str('!call fail {"why": "no such place"}'))
        print(await llm.generate_str('!call desk_weather {"city": "Oslo"}\n!call desk_wipe {}'))
        print(await llm.generate_str("!fail 400 99"))


async def main() -> None:
    async with MCPApp(name="trial", settings=settings()).run() as running:
        await asked(running)
        left, right, fan_in = (
            Agent(name=name, instruction="Answer.", context=running.context) for name in ("left", "right", "fan_in")
        )
        both = ParallelLLM(
            fan_in_agent=fan_in,
            fan_out_agents=[left, right],
            llm_factory=OpenAIAugmentedLLM,
            context=running.context,
        )
        print(await both.generate_str("!say done"))

        class Greeting(Workflow[str]):
            async def run(self, name: str) -> WorkflowResult[str]:
                greeter = Agent(name="greeter", instruction="Greet.", context=running.context)
                return WorkflowResult(value=await OpenAIAugmentedLLM(agent=greeter).generate_str(f"!say hello {name}"))

        greeting = await Greeting.create(name="greeting", context=running.context)
        await greeting.run_async("you")
        print((await greeting._run_task).value)


async def stopping() -> None:
    """Run it, and end mcp-agent's log, whose task may take no notice of being cancelled as the loop ends."""
    try:
        await main()
    finally:
        bus = AsyncEventBus.get()
        bus._running = False
        if bus._task is not None:
            bus._stop_event.set()
            await asyncio.wait([bus._task], timeout=10)
        AsyncEventBus.reset()


asyncio.run(stopping())
