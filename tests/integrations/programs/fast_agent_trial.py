"""fast-agent over a loopback model: tools of every kind, agents as tools, workflows, failures and cancelled work.

Runs three times in one process, since the framework takes seconds to import: recorded, then without the inspector, and
a last, short time with a method missing, as in a version that nobody has tested.
"""

import asyncio
import sys
from pathlib import Path

from conformance import conform, failed
from fast_agent import FastAgent, PromptMessageExtended
from fast_agent.agents.workflow.agents_as_tools_agent import AgentsAsToolsAgent
from mcp_types import TextContent
from models import serving
from pydantic import BaseModel

SERVER = """
from mcp.server import MCPServer
server = MCPServer("clock")
@server.tool()
def shout(text: str) -> str:
    return text.upper()
@server.tool()
def refuse() -> str:
    raise RuntimeError("no")
server.run("stdio")
"""
CONFIG = """
default_model: passthrough
generic:
  api_key: sk-planted-0123456789abcdef0123456789abcdef
  base_url: {url}/v1
llm_retries: 0
logger: {{type: none, progress_display: false, show_chat: false, show_tools: false}}
mcp:
  servers:
    clock: {{command: "{python}", args: ["clock.py"]}}
"""


class Point(BaseModel):
    x: int


class Trial:
    """One run, its ledger, and what its tools wait for."""

    def __init__(self) -> None:
        self.ledger: list[dict] = []
        self.both_in = asyncio.Barrier(2)
        self.reached = asyncio.Event()

    def note(self, kind: str, name: str, **facts: object) -> None:
        failed()
        self.ledger.append({"kind": kind, "name": name, **facts})

    async def add(self, a: int, b: int) -> int:
        # Each of two calls waits for the other: they overlap, or this fails.
        await asyncio.wait_for(self.both_in.wait(), 10)
        self.note("tool_call", "add", arguments={"a": a, "b": b}, result=str(a + b))
        return a + b

    def crash(self, reason: str) -> str:
        self.note("tool_call", "crash", arguments={"reason": reason}, error=f"Error: {reason}")
        raise ValueError(reason)

    async def forever(self) -> str:
        self.note("tool_call", "forever", arguments={})
        self.reached.set()
        await asyncio.Event().wait()
        return "never"

    async def run(self) -> list[dict]:
        async with self.app().run() as app:
            await self.ask(app.planner, '!call add {"a": 1, "b": 2}\n!call add {"a": 3, "b": 4}')
            await self.ask(app.planner, '!call crash {"reason": "broken"}')
            await self.ask(app.boss, '!call agent__helper {"message": "!say helped"}')
            self.note("tool_call", "agent__helper", arguments={"message": "!say helped"}, result="helped")
            await self.ask(app.planner, "!fail 404 99")
            await self.ask(app.pipeline, "chained")
            await self.rest(app)
        return self.ledger

    async def rest(self, app: object) -> None:
        await self.ask(app.planner, '!call clock__shout {"text": "hi"}\n!call clock__refuse')
        self.note("tool_call", "shout", arguments={"text": "hi"}, result="HI")
        self.note("tool_call", "refuse", arguments={}, error="Error executing tool refuse")
        await self.ask(app.at_once, "both")
        routed = '***FIXED_RESPONSE {"agent": "second", "confidence": "high", "reasoning": "it fits"}'
        await app.dispatch._llm.generate(
            [PromptMessageExtended(role="user", content=[TextContent(type="text", text=routed)])]
        )
        await self.ask(app.dispatch, "routed")
        verdict = '{"rating": "EXCELLENT", "feedback": "fine", "needs_improvement": false, "focus_areas": []}'
        await self.ask(app.judge, "***FIXED_RESPONSE " + verdict)
        await self.ask(app.polish, "draft")
        point, _ = await app.first.structured('***FIXED_RESPONSE {"x": 7}', Point)
        self.note("answer", "first", text=point.model_dump_json())
        await self.ask(app.player, "loaded")
        await self.ask(app.second, "***SAVE_HISTORY saved.json")
        asking = asyncio.create_task(app.planner.send("!call forever"))
        await asyncio.wait_for(self.reached.wait(), 10)
        asking.cancel()
        try:
            await asking
        except asyncio.CancelledError:
            self.note("cancelled", "planner")

    async def ask(self, agent: object, question: str) -> None:
        self.note("answer", agent.name, text=await agent.send(question))

    def app(self) -> FastAgent:
        fast = FastAgent("trial", config_path="fast-agent.yaml", parse_cli_args=False, quiet=True)
        tools = [self.add, self.crash, self.forever]
        for name in ("first", "second", "judge"):
            fast.agent(name, model="passthrough")(_nothing)
        fast.agent("planner", servers=["clock"], function_tools=tools, model="generic.stub", default=True)(_nothing)
        fast.agent("helper", instruction="You help.", model="generic.stub")(_nothing)
        fast.agent("boss", agents=["helper"], model="generic.stub")(_nothing)
        fast.agent("player", model="playback")(_nothing)
        fast.chain("pipeline", sequence=["first", "second"])(_nothing)
        fast.parallel("at_once", fan_out=["first", "second"])(_nothing)
        fast.router("dispatch", agents=["first", "second"], model="passthrough")(_nothing)
        fast.evaluator_optimizer("polish", generator="first", evaluator="judge", max_refinements=1)(_nothing)
        return fast


async def _nothing() -> None:
    """What the decorators of the framework decorate."""


async def one_more_time() -> str:
    fast = FastAgent("crippled", config_path="fast-agent.yaml", parse_cli_args=False, quiet=True)
    fast.agent("survivor", model="passthrough")(_nothing)
    async with fast.run() as app:
        return await app.survivor.send("still here")


with serving() as models:
    Path("fast-agent.yaml").write_text(CONFIG.format(url=models.url, python=sys.executable))
    Path("clock.py").write_text(SERVER)
    conform(
        {"all": lambda: asyncio.run(Trial().run())},
        lacking=(AgentsAsToolsAgent, "_invoke_child_agent"),
        brief=lambda: asyncio.run(one_more_time()),
    )
