# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "mcp-agent==0.2.6",
#   "mcp==1.30.0",
#   "openai==2.54.0",
#   "httpx",
# ]
# ///
"""An agent of mcp-agent that calls a tool that works and one that fails, of an MCP server."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from exporting import Kept, model, save
from mcp_agent.agents.agent import Agent
from mcp_agent.app import MCPApp
from mcp_agent.config import (
    LoggerSettings,
    MCPServerSettings,
    MCPSettings,
    OpenAISettings,
    OpenTelemetrySettings,
    Settings,
)
from mcp_agent.workflows.llm.augmented_llm_openai import OpenAIAugmentedLLM
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

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


async def main(url: str, kept: Kept) -> None:
    settings = Settings(
        execution_engine="asyncio",
        logger=LoggerSettings(type="none"),
        otel=OpenTelemetrySettings(enabled=True, exporters=[], service_name="trial"),
        mcp=MCPSettings(servers={"clock": MCPServerSettings(command=sys.executable, args=["clock.py"])}),
        openai=OpenAISettings(api_key="none", base_url=f"{url}/v1", default_model="gpt-4o"),
    )
    async with MCPApp("trial", settings=settings, session_id="session-1").run() as app:
        app.context.tracing_config._tracer_provider.add_span_processor(SimpleSpanProcessor(kept))  # noqa: SLF001
        async with Agent(name="forecaster", instruction="Be short.", server_names=["clock"]) as agent:
            llm = await agent.attach_llm(OpenAIAugmentedLLM)
            await llm.generate_str('!call clock_shout {"text": "hi"}\n!call clock_refuse')


with model() as url, tempfile.TemporaryDirectory() as folder:
    kept = Kept()
    Path(folder, "clock.py").write_text(SERVER)
    os.chdir(folder)
    asyncio.run(main(url, kept))
    os.chdir("/")
    # What it does to start and to stop is long and says nothing of a call.
    told = {"generate", "execute_tool_call", "call_tool", "send_request", "execute_many"}
    calls = [span for span in kept.spans if span.name.rpartition(".")[2] in told or span.name == "openai.chat"]
    calls = [span for span in calls if span.attributes.get("mcp.method.name") in (None, "tools/call")]
    save(calls, "mcp-agent", "opentelemetry-instrumentation-openai", "mcp")
