"""Single situations of MCP in memory, with either generation of the SDK."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager
from contextvars import Context as Variables
from functools import partial
from typing import Any

from conformance import conform, failed
from hanging import hang, until_it_hangs, until_nothing_hangs
from mcp import ClientSession, types
from mcp.shared.memory import create_client_server_memory_streams

from instrument import around

try:
    from mcp.server.mcpserver import Context, MCPServer
except ImportError:
    from mcp.server.fastmcp import Context
    from mcp.server.fastmcp import FastMCP as MCPServer

IS_2 = "is_error" in types.CallToolResult.model_fields


@asynccontextmanager
async def connected(server: Any) -> Any:
    lowlevel = getattr(server, "_lowlevel_server", None) or server._mcp_server
    async with create_client_server_memory_streams() as (client_streams, server_streams):
        running = asyncio.create_task(lowlevel.run(*server_streams, lowlevel.create_initialization_options()))
        try:
            async with ClientSession(*client_streams) as session:
                await session.initialize()
                await session.list_tools()
                yield session
        finally:
            running.cancel()
            await asyncio.wait([running])


def adder(name: str = "adder") -> Any:
    server = MCPServer(name, log_level="CRITICAL")

    @server.tool()
    async def add(a: int, b: int) -> int:
        await asyncio.sleep(0)
        return a + b

    @server.tool()
    async def forever() -> str:
        await hang()
        return "never"

    return server


async def parallel() -> Any:
    async with connected(adder()) as session:
        results = await asyncio.gather(*(session.call_tool("add", {"a": n, "b": 1}) for n in range(50)))
    return [[n, result.content[0].text] for n, result in enumerate(results)]


async def told() -> Any:
    async with connected(adder()) as session:
        for name in ("adder__add", "readd"):
            with around("tool_call", tool_name=name, args={"a": 1, "b": 2}, context={"tool_use_id": "use-1"}) as call:
                call.set(result=(await session.call_tool("add", {"a": 1, "b": 2})).content[0].text)
    return "told"


async def proxy() -> Any:
    async with connected(adder("far")) as far:
        near = MCPServer("near", log_level="CRITICAL")

        @near.tool()
        async def add(a: int, b: int) -> str:
            return (await far.call_tool("add", {"a": a, "b": b})).content[0].text

        async with connected(near) as session:
            return (await session.call_tool("add", {"a": 1, "b": 2})).content[0].text


async def called_off() -> Any:
    async with connected(adder()) as session:
        waiting = asyncio.create_task(session.call_tool("forever", {}))
        request_id = 3 if IS_2 else 2
        await until_it_hangs()
        params = types.CancelledNotificationParams(requestId=request_id, reason="changed my mind")
        cancelled = types.CancelledNotification(method="notifications/cancelled", params=params)
        await session.send_notification(cancelled if IS_2 else types.ClientNotification(cancelled))
        if IS_2:
            # This server never answers what was cancelled.
            await until_nothing_hangs()
            waiting.cancel()
        await asyncio.wait([waiting])
        return "cancelled" if waiting.cancelled() else str(waiting.exception())


def changing() -> Any:
    server = adder()

    @server.tool()
    async def change(desk: Context) -> str:
        uri = "guide://lisbon" if IS_2 else types.AnyUrl("guide://lisbon")
        await desk.session.send_tool_list_changed()
        await desk.session.send_resource_updated(uri)
        await desk.report_progress(1, 1)
        return "changed"

    return server


async def changes() -> Any:
    async with connected(changing()) as session:
        result = await session.call_tool("change", {})
        await session.send_roots_list_changed()
        await session.send_ping()
        return result.content[0].text


async def idle() -> Any:
    server, held = adder(), []

    @server.tool()
    async def hold(desk: Context) -> str:
        held.append(desk.session)
        return "held"

    async def stay() -> None:
        async with connected(server) as session:
            await session.call_tool("hold", {})
            for _ in range(3):
                await held[0].send_tool_list_changed()
            await session.send_ping()

    # As in a program that is nothing but a client.
    await asyncio.create_task(stay(), context=Variables())
    return "idle"


async def session() -> Any:
    async with connected(adder()) as session:
        carried = {"baggage": "session.id=trip-42"}
        first = await session.call_tool("add", {"a": 1, "b": 2}, meta=carried)
        second = await session.call_tool("add", {"a": 3, "b": 4})
        return [first.content[0].text, second.content[0].text]


async def refused() -> Any:
    async with connected(adder()) as session:
        try:
            await session.read_resource("guide://nowhere" if IS_2 else types.AnyUrl("guide://nowhere"))
        except Exception as exc:
            failed()
            return exc.error.message


async def brief() -> Any:
    async with connected(adder()) as session:
        return (await session.call_tool("add", {"a": 1, "b": 2})).content[0].text


def lacking() -> tuple[Any, str]:
    if IS_2:
        from mcp.shared import direct_dispatcher

        return direct_dispatcher._DirectDispatchContext, "progress"
    from mcp.shared import session as shared

    return shared.RequestResponder, "cancel"


def cased(case: Callable[[], Coroutine[Any, Any, Any]]) -> list[Any]:
    with around("workflow_run", workflow=case.__name__):
        return [asyncio.run(case())]


CASES = (parallel, told, proxy, called_off, changes, idle, session, refused)
conform(
    {case.__name__: partial(cased, case) for case in CASES},
    lacking=lacking(),
    brief=partial(cased, brief),
)
