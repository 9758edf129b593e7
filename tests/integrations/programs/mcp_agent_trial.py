"""mcp-agent over a loopback model: agents, workflows, tools of every kind, failures and cancelled work.

Runs twice in one process, recorded and then without the inspector, then briefly with a method missing, as in a version
that nobody has tested, and last with a module of hooks of its own, as a fork of it has.
"""

import asyncio
import importlib
import sys
import types
from collections.abc import Coroutine
from pathlib import Path

from conformance import conform, failed
from mcp_agent.agents.agent import Agent
from mcp_agent.app import MCPApp
from mcp_agent.config import LoggerSettings, MCPServerSettings, MCPSettings, OpenAISettings, Settings
from mcp_agent.executor.workflow import Workflow, WorkflowResult
from mcp_agent.logging.transport import AsyncEventBus
from mcp_agent.workflows.llm.augmented_llm_openai import OpenAIAugmentedLLM
from mcp_agent.workflows.parallel.parallel_llm import ParallelLLM
from models import serving

import inspector

KEY = "sk-planted-0123456789abcdef0123456789abcdef"
SERVER = """
from mcp.server.fastmcp import FastMCP
server = FastMCP("clock")
@server.tool()
def shout(text: str) -> str:
    return text.upper()
@server.tool()
def refuse() -> str:
    raise RuntimeError("no")
server.run("stdio")
"""


class Trial:
    """One run, its ledger, and what its tools wait for."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.ledger: list[dict] = []
        self.both_in = asyncio.Barrier(2)
        self.reached = asyncio.Event()

    def note(self, kind: str, name: str, **facts: object) -> None:
        failed()
        self.ledger.append({"kind": kind, "name": name, **facts})

    def app(self, **servers: MCPServerSettings) -> MCPApp:
        settings = Settings(
            execution_engine="asyncio",
            logger=LoggerSettings(type="none"),
            mcp=MCPSettings(servers=servers),
            openai=OpenAISettings(api_key=KEY, base_url=f"{self.url}/v1", default_model="stub"),
        )
        return MCPApp(name="trial", settings=settings)

    async def run(self) -> None:
        servers = {"clock": MCPServerSettings(command=sys.executable, args=["clock.py"])}
        async with self.app(**servers).run() as running:
            planner = Agent(
                name="planner",
                instruction="Plan.",
                server_names=list(servers),
                functions=self.functions(),
                context=running.context,
            )
            async with planner:
                llm = await planner.attach_llm(OpenAIAugmentedLLM)
                await self.ask(llm, '!call add {"a": 1, "b": 2}\n!call add {"a": 3, "b": 4}')
                await self.ask(llm, '!call crash {"reason": "broken"}')
                await self.ask(llm, "!fail 400 99")
                await self.workflow(running)
                await self.rest(llm, running)

    def functions(self) -> list:
        async def add(a: int, b: int) -> int:
            """Add. Each of two calls waits for the other: they overlap, or this fails."""
            await asyncio.wait_for(self.both_in.wait(), 10)
            self.note("tool_call", "add", arguments={"a": a, "b": b}, result=str(a + b))
            return a + b

        def crash(reason: str) -> str:
            """Fail."""
            self.note("tool_call", "crash", arguments={"reason": reason}, error=reason)
            raise ValueError(reason)

        async def forever() -> str:
            """Never return."""
            self.note("tool_call", "forever", arguments={})
            self.reached.set()
            await asyncio.Event().wait()
            return "never"

        return [add, crash, forever]

    async def rest(self, llm: OpenAIAugmentedLLM, running: MCPApp) -> None:
        await self.ask(llm, '!call clock_shout {"text": "hi"}\n!call clock_refuse')
        self.note("tool_call", "shout", arguments={"text": "hi"}, result="HI")
        self.note("tool_call", "refuse", arguments={}, error="Error executing tool refuse: no")
        sides = [Agent(name=name, instruction="Answer.", context=running.context) for name in ("left", "right")]
        fan_in = Agent(name="fan_in", instruction="Join.", context=running.context)
        both = ParallelLLM(
            fan_in_agent=fan_in, fan_out_agents=sides, llm_factory=OpenAIAugmentedLLM, context=running.context
        )
        self.note("answer", "both", text=await both.generate_str("!say done"))
        asking = asyncio.create_task(llm.generate_str("!call forever"))
        await asyncio.wait_for(self.reached.wait(), 10)
        asking.cancel()
        try:
            await asking
        except asyncio.CancelledError:
            self.note("cancelled", "planner")

    async def ask(self, llm: OpenAIAugmentedLLM, question: str) -> None:
        self.note("answer", llm.agent.name, text=await llm.generate_str(question))

    async def workflow(self, running: MCPApp) -> None:
        class Greeting(Workflow[str]):
            async def run(self, name: str) -> WorkflowResult[str]:
                greeter = Agent(name="greeter", instruction="Greet.", context=running.context)
                llm = OpenAIAugmentedLLM(agent=greeter)
                return WorkflowResult(value=await llm.generate_str(f"!say hello {name}"))

        greeting = await Greeting.create(name="greeting", context=running.context)
        await greeting.run_async("you")
        result = await greeting._run_task
        self.note("answer", "greeting", text=result.value)


async def stopping(work: Coroutine) -> None:
    """Run a trial, and end mcp-agent's log, whose task may take no notice of being cancelled as the loop ends."""
    try:
        await work
    finally:
        bus = AsyncEventBus.get()
        bus._running = False
        if bus._task is not None:
            bus._stop_event.set()
            await asyncio.wait([bus._task], timeout=10)
        AsyncEventBus.reset()


def forked() -> types.ModuleType:
    """Make the module of hooks as the contract first published it."""
    module = types.ModuleType("mcp_agent.core.instrument")
    hooks: dict[str, list] = {}

    async def emit(name: str, *args: object, **keywords: object) -> None:
        for subscriber in hooks.get(name, []):
            result = subscriber(*args, **keywords)
            if asyncio.iscoroutine(result):
                await result

    module._hooks = hooks
    module._emit = emit
    module.register = lambda name, subscriber: hooks.setdefault(name, []).append(subscriber)
    module.unregister = lambda name, subscriber: hooks[name].remove(subscriber)
    return module


async def as_the_fork_does(module: types.ModuleType) -> None:
    await module._emit("before_workflow_run", workflow="forked", context=None)
    given = {"tool_name": "look", "args": {"at": "this"}, "context": None}
    await module._emit("before_tool_call", **given)
    await module._emit("before_rpc_request", envelope={"id": 1, "method": "ping"}, transport="stdio")
    await module._emit("after_tool_call", **given, result={"seen": True})
    await module._emit("after_workflow_run", workflow="forked", context=None, result="done")


def contract() -> str | None:
    """Tell whose module ``from mcp_agent.core import instrument`` gives."""
    try:
        return importlib.import_module("mcp_agent.core.instrument").__name__
    except ImportError:
        return None


def trial(url: str) -> list[dict]:
    contracts.append(contract())
    made = Trial(url)
    asyncio.run(stopping(made.run()))
    return made.ledger


def lacking(url: str) -> list[dict]:
    made = Trial(url)

    async def once() -> None:
        async with made.app().run() as running:
            survivor = Agent(name="survivor", instruction="Answer.", context=running.context)
            await made.ask(OpenAIAugmentedLLM(agent=survivor), "!say still here")

    asyncio.run(stopping(once()))
    return made.ledger


def left_registered() -> int:
    """Have a fork emit its own hooks; return how many subscribers it has when the inspector is gone."""
    fork = sys.modules["mcp_agent.core.instrument"] = forked()
    inspector.attach(integrations=["mcp_agent"])
    asyncio.run(as_the_fork_does(fork))
    inspector.detach()
    return sum(map(len, fork._hooks.values()))


seen: list[str] = []
contracts: list[str | None] = []
if contract() is not None:
    from mcp_agent.core import instrument

    instrument.register("before_tool_call", lambda tool_name, **_: seen.append(tool_name))

requests: list[int] = []
with serving() as models:
    Path("clock.py").write_text(SERVER)

    def everything() -> list[dict]:
        ledger = trial(models.url)
        requests.append(len(models.requests))
        return ledger

    conform(
        {"all": everything},
        lacking=(Agent, "call_tool"),
        brief=lambda: lacking(models.url),
        requests=lambda: requests[0],
        left_registered=left_registered,
        contracts=lambda: contracts,
        seen=lambda: seen,
    )
