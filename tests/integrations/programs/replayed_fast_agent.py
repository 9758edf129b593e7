"""fast-agent: function tools that fail, a tool of an MCP server, agents as tools, a chain, an error of the provider."""

import asyncio
import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

from fast_agent import FastAgent
from fast_agent.mcp.mcp_aggregator import MCPAttachOptions

# On a busy machine a server takes longer to start than the ten seconds that it is given, which no setting changes.
MCPAttachOptions.__init__.__defaults__ = tuple(
    120.0 if each == 10.0 else each for each in MCPAttachOptions.__init__.__defaults__
)
IS_RECORDED = "REPLAYED" not in os.environ
DESK = Path(__file__).with_name("replayed_desk.py")
CONFIG = f"""
generic:
  api_key: planted
  base_url: {os.environ["OPENAI_BASE_URL"]}
llm_retries: 0
logger: {{type: none, progress_display: false, show_chat: false, show_tools: false}}
mcp:
  servers:
    desk: {{command: "{sys.executable}", args: ["{DESK}", "ledger.txt", "desk"]}}
"""


def find(city: str, beds: int = 1) -> str:
    assert IS_RECORDED
    return f"{beds} beds in Casa {city}"


async def fail(why: str) -> str:
    assert IS_RECORDED
    raise KeyError(why)


async def nothing() -> None:
    """What the decorators of the framework decorate."""


def application() -> FastAgent:
    fast = FastAgent("trial", config_path="fast-agent.yaml", parse_cli_args=False, quiet=True)
    planner = {"servers": ["desk"], "function_tools": [find, fail], "model": "generic.stub"}
    fast.agent("planner", default=True, **planner)(nothing)
    fast.agent("helper", instruction="You help.", function_tools=[find], model="generic.stub")(nothing)
    fast.agent("boss", agents=["helper"], model="generic.stub")(nothing)
    fast.chain("pipeline", sequence=["helper", "planner"])(nothing)
    return fast


async def main() -> None:
    # What fast-agent shows of its tools has times in it.
    with redirect_stdout(io.StringIO()):
        answers = await asked()
    print(*answers, sep="\n")


async def asked() -> list[str]:
    async with application().run() as app:
        return [
            await app.planner.send('!call find {"city": "Oslo"}\n!call find {"city": "Rome", "beds": 2}'),
            await app.planner.send('!call fail {"why": "no such place"}'),
            await app.planner.send('!call desk__weather {"city": "Oslo"}\n!call desk__wipe {}'),
            await app.boss.send('!call agent__helper {"message": "!call find {\\"city\\": \\"Bonn\\"}"}'),
            await app.planner.send("!fail 404 99"),
            await app.pipeline.send("in a chain"),
        ]


Path("fast-agent.yaml").write_text(CONFIG)
asyncio.run(main())
