# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "mcp==2.3.0",
# ]
# ///
"""A server and its client: a tool that works, one that fails, one that does not exist, a resource and a prompt."""

import anyio
from exporting import exporting
from mcp import ClientSession
from mcp.server import MCPServer
from mcp.shared.memory import create_client_server_memory_streams
from opentelemetry import trace

server = MCPServer("weather")


@server.tool()
def weather(city: str) -> str:
    return f"sunny in {city}"


@server.tool()
def broken() -> str:
    raise RuntimeError("no weather today")


@server.resource("weather://today")
def today() -> str:
    return "sunny"


@server.prompt()
def ask(city: str) -> str:
    return f"How is the weather in {city}?"


async def main() -> None:
    low = server._lowlevel_server  # noqa: SLF001 - streams, because what is called in memory has no client's spans
    async with create_client_server_memory_streams() as (mine, theirs), anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: low.run(*theirs, low.create_initialization_options()))
        async with ClientSession(*mine) as client:
            await client.initialize()
            await client.call_tool("weather", {"city": "Paris"})
            await client.call_tool("broken", {})
            await client.read_resource("weather://today")
            await client.get_prompt("ask", {"city": "Paris"})
        tasks.cancel_scope.cancel()


with exporting("mcp") as provider:
    trace.set_tracer_provider(provider)
    anyio.run(main)
