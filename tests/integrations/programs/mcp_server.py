"""A travel desk that speaks MCP with either generation of the SDK; it records itself, and keeps a ledger of its own.

Arguments: the ledger's path, then ``stdio``, or ``http`` for streamable HTTP and SSE on a port that it prints.
"""

import asyncio
import json
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from typing import Any

import inspector

if __name__ == "__main__" and os.environ.get("INSPECTOR_HOME"):
    inspector.attach(service="desk")

try:
    from mcp.server.mcpserver import Context, MCPServer
except ImportError:
    from mcp.server.fastmcp import Context
    from mcp.server.fastmcp import FastMCP as MCPServer

from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

ledger_path = ""


class Confirmation(BaseModel):
    sure: bool


def count(entry: dict[str, Any]) -> None:
    with Path(ledger_path).open("a") as ledger:
        ledger.write(json.dumps(entry) + "\n")


def counted(tool: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @wraps(tool)
    async def run(*args: Any, **kwargs: Any) -> Any:
        given = {key: value for key, value in kwargs.items() if not isinstance(value, Context)}
        outcome = "cancelled"
        try:
            result = await tool(*args, **kwargs)
            outcome = "ok"
            return result
        except Exception:
            outcome = "error"
            raise
        finally:
            count({"tool": tool.__name__, "args": given, "outcome": outcome})

    return run


@counted
async def add(a: int, b: int) -> int:
    await asyncio.sleep(0.02)
    return a + b


@counted
async def boom() -> str:
    raise ValueError("the boiler broke")


@counted
async def steps(count: int, desk: Context) -> str:
    for step in range(count):
        await desk.report_progress(step + 1, count, f"step {step + 1}")
    return "climbed"


@counted
async def slow(desk: Context) -> str:
    await desk.report_progress(0, None, "started")
    await asyncio.sleep(60)
    return "at last"


@counted
async def ask(question: str, desk: Context) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=question))
    related = desk.request_id
    answer = await desk.session.create_message([message], max_tokens=5, related_request_id=related)
    return answer.content.text


@counted
async def confirm(desk: Context) -> bool:
    answer = await desk.elicit("sure?", Confirmation)
    return answer.data.sure


@counted
async def die() -> str:
    print("stray output of a tool", file=sys.stderr)
    os._exit(3)


def brief(city: str) -> str:
    return f"Plan a trip to {city}."


def create_server() -> MCPServer:
    server = MCPServer("desk", log_level="CRITICAL")
    for tool in (add, boom, steps, slow, ask, confirm, die):
        server.add_tool(tool)
    server.prompt()(brief)

    @server.resource("guide://lisbon", mime_type="text/markdown")
    def guide() -> str:
        return "# Lisbon"

    return server


def serve_http(server: MCPServer) -> None:
    import uvicorn
    from starlette.applications import Starlette

    streamable, sse = server.streamable_http_app(), server.sse_app()
    app = Starlette(routes=[*streamable.routes, *sse.routes], lifespan=streamable.router.lifespan_context)
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)).run([listening])


if __name__ == "__main__":
    ledger_path = sys.argv[1]
    if sys.argv[2] == "stdio":
        create_server().run("stdio")
    else:
        serve_http(create_server())
