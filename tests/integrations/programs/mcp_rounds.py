"""The 2.x SDK's own client, which repeats a call until the server has all the input it asks for; in memory and by HTTP.

With the argument ``provider`` the application exports spans of its own, and prints those of the SDK.
"""

import asyncio
import json
import socket
import sys
from typing import Annotated, Any

from mcp import Client
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.types import ElicitResult
from pydantic import BaseModel

from instrument import around

asked: list[dict[str, Any]] = []


class Seat(BaseModel):
    row: int


async def choose(ctx: Context) -> Elicit[Seat]:
    return Elicit("which row?", Seat)


def create_server() -> Any:
    server = MCPServer("theatre", log_level="CRITICAL")

    @server.tool()
    async def book(play: str, seat: Annotated[Seat, Resolve(choose)], desk: Context) -> str:
        await desk.report_progress(1, 1, "booked")
        return f"{play}, row {seat.row}"

    @server.resource("bill://today")
    def bill() -> str:
        return "Hamlet"

    return server


async def answer(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"row": 4})


async def visit(place: Any, way: str) -> None:
    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        asked.append({"by": way, "progress": [progress, total, message]})

    with around("workflow_run", workflow=f"visit {way}"):
        async with Client(place, elicitation_callback=answer) as client:
            result = await client.call_tool("book", {"play": "Hamlet"}, progress_callback=progressed)
            asked.append({"by": way, "name": "book", "text": result.content[0].text})
            bill = await client.read_resource("bill://today")
            asked.append({"by": way, "name": "bill://today", "text": bill.contents[0].text})


async def main() -> None:
    import uvicorn

    await visit(create_server(), "memory")
    listening = socket.create_server(("127.0.0.1", 0))
    app = create_server().streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server.serve([listening]))
    await visit(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", "http")
    server.should_exit = True
    await serving


def exported(exporter: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": span.name,
            "trace": f"{span.context.trace_id:032x}",
            "id": f"{span.context.span_id:016x}",
            "parent": span.parent and f"{span.parent.span_id:016x}",
        }
        for span in exporter.get_finished_spans()
        if span.instrumentation_scope.name == "mcp-python-sdk"
    ]


if __name__ == "__main__":
    if "provider" not in sys.argv:
        asyncio.run(main())
        print(json.dumps(asked))
    else:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
        asyncio.run(main())
        print(json.dumps({"asked": asked, "exported": exported(exporter)}))
