# /// script
# requires-python = ">=3.12"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "fast-agent-mcp==0.10.46",
# ]
# ///
"""An agent of fast-agent that calls a tool of an MCP server, a tool that fails and a local function."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from exporting import exporting, model
from fast_agent import FastAgent
from opentelemetry import trace

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
default_model: generic.gpt-4o
generic: {{api_key: none, base_url: "{url}/v1"}}
logger: {{type: none, progress_display: false, show_chat: false, show_tools: false}}
mcp: {{servers: {{clock: {{command: "{python}", args: ["clock.py"]}}}}}}
"""


def weather(city: str) -> str:
    """Tells the weather."""
    return f"sunny in {city}"


async def main() -> None:
    fast = FastAgent("trial", parse_cli_args=False, quiet=True)

    @fast.agent("forecaster", "Be short.", servers=["clock"], function_tools=[weather])
    async def _() -> None: ...

    async with fast.run() as app:
        await app.forecaster.send(
            '!call clock__shout {"text": "hi"}\n!call weather {"city": "Paris"}\n!call clock__refuse'
        )


with model() as url, tempfile.TemporaryDirectory() as folder, exporting("fast-agent-mcp", "mcp") as provider:
    Path(folder, "clock.py").write_text(SERVER)
    Path(folder, "fastagent.config.yaml").write_text(CONFIG.format(url=url, python=sys.executable))
    os.chdir(folder)
    trace.set_tracer_provider(provider)
    asyncio.run(main())
    os.chdir("/")
