"""A visitor of the travel desk in ``mcp_server.py``, over each transport, with either generation of the SDK.

Arguments: the interpreters of the server over HTTP and of those over stdio, then the transports to visit by; ``crash``
is a server that dies. ``alone`` stands before visits without the inspector, of either side, and ``header`` is a visit
by HTTP of a client without it, whose requests name a caller in their headers. Prints what was asked and what was served
under the inspector.
"""

import asyncio
import json
import os
import subprocess
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client, types
from mcp.client import streamable_http
from mcp.client.sse import sse_client
from mcp.shared.memory import create_client_server_memory_streams

import inspector
from instrument import around

IS_2 = not hasattr(types.CallToolResult, "isError") and "is_error" in types.CallToolResult.model_fields
HERE = Path(__file__).parent
CALLER = f"00-{'a' * 32}-{'b' * 16}-01"
LEDGER = Path(os.environ["INSPECTOR_HOME"]).parent / "served.jsonl"
UNRECORDED = Path(os.environ["INSPECTOR_HOME"]).parent / "served-alone.jsonl"

asked: list[dict[str, Any]] = []
visiting = ""
headers: dict[str, str] = {}
is_alone = False


def note(kind: str, name: str, arguments: dict[str, Any], outcome: str, **more: Any) -> None:
    asked.append({"by": visiting, "kind": kind, "name": name, "arguments": arguments, "outcome": outcome, **more})


def error_of(exc: BaseException) -> str:
    return f"error {exc.error.code}" if hasattr(exc, "error") else f"error {type(exc).__name__}"


async def call(session: ClientSession, name: str, arguments: dict[str, Any], **options: Any) -> None:
    heard: list[Any] = []
    if options.pop("progress", False):

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            heard.append([progress, total, message])
            started.set()

        options["progress_callback"] = progressed
    started = options.pop("started", asyncio.Event())
    try:
        result = await session.call_tool(name, arguments, **options)
        failed = result.is_error if IS_2 else result.isError
        note("tool", name, arguments, "error result" if failed else "ok", text=result.content[0].text, heard=heard)
    except asyncio.CancelledError:
        note("tool", name, arguments, "cancelled", heard=heard)
        raise
    except Exception as exc:
        note("tool", name, arguments, error_of(exc), heard=heard)


async def sampled(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    async with around("llm_generate", llm="tiny", prompt={"model": "tiny", "messages": []}) as model:
        await asyncio.sleep(0)
        model.set(response={"model": "tiny"})
    note("sampling", "sampling/createMessage", {}, "ok")
    text = types.TextContent(type="text", text="to the sea")
    return types.CreateMessageResult(role="assistant", content=text, model="tiny")


async def elicited(context: Any, params: Any) -> types.ElicitResult:
    note("elicitation", "elicitation/create", {}, "ok")
    return types.ElicitResult(action="accept", content={"sure": True})


async def call_off(session: ClientSession) -> None:
    """Say that nobody waits for the last request any more, which the 2.x SDK does itself."""
    if not IS_2:
        params = types.CancelledNotificationParams(requestId=session._request_id - 1, reason="not needed")
        cancelled = types.CancelledNotification(method="notifications/cancelled", params=params)
        await session.send_notification(types.ClientNotification(cancelled))


async def visit(streams: Any) -> None:
    session = ClientSession(streams[0], streams[1], sampling_callback=sampled, elicitation_callback=elicited)
    async with session:
        await session.initialize()
        listed = await session.list_tools()
        note("rpc", "tools/list", {}, "ok", count=len(listed.tools))
        await asyncio.gather(call(session, "add", {"a": 1, "b": 2}), call(session, "add", {"a": 3, "b": 4}))
        await call(session, "boom", {})
        await call(session, "nothere", {"x": 1})
        await call(session, "steps", {"count": 3}, progress=True)
        await call(session, "ask", {"question": "where to?"})
        await call(session, "confirm", {})
        started = asyncio.Event()
        slow = asyncio.create_task(call(session, "slow", {}, progress=True, started=started))
        await started.wait()
        slow.cancel()
        await asyncio.wait([slow])
        await call_off(session)
        limit = 0.3 if IS_2 else timedelta(seconds=0.3)
        await call(session, "slow", {}, read_timeout_seconds=limit)
        await call_off(session)
        guide = await session.read_resource("guide://lisbon" if IS_2 else types.AnyUrl("guide://lisbon"))
        note("resource", "guide://lisbon", {}, "ok", text=guide.contents[0].text)
        try:
            await session.read_resource("guide://nowhere" if IS_2 else types.AnyUrl("guide://nowhere"))
        except Exception as exc:
            note("resource", "guide://nowhere", {}, error_of(exc))
        prompt = await session.get_prompt("brief", {"city": "Lisbon"})
        note("prompt", "brief", {"city": "Lisbon"}, "ok", text=prompt.messages[0].content.text)


async def outlive(streams: Any) -> None:
    async with ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        await call(session, "die", {})


def server_arguments(way: str) -> list[str]:
    return [str(HERE / "mcp_server.py"), str(UNRECORDED if is_alone else LEDGER), way]


def server_environment() -> dict[str, str]:
    known = {key: value for key, value in os.environ.items() if not is_alone or not key.startswith("INSPECTOR_")}
    return {**known, "OTEL_SERVICE_NAME": "desk"}


@asynccontextmanager
async def in_memory() -> Any:
    import mcp_server

    mcp_server.ledger_path = str(UNRECORDED if is_alone else LEDGER)
    server = mcp_server.create_server()
    lowlevel = getattr(server, "_lowlevel_server", None) or server._mcp_server
    async with create_client_server_memory_streams() as (client_streams, server_streams):
        running = asyncio.create_task(lowlevel.run(*server_streams, lowlevel.create_initialization_options()))
        try:
            yield client_streams
        finally:
            running.cancel()
            await asyncio.wait([running])


@asynccontextmanager
async def over_http(python: str) -> Any:
    command = [python, *server_arguments("http")]
    server = await asyncio.create_subprocess_exec(*command, env=server_environment(), stdout=subprocess.PIPE)
    try:
        yield f"http://127.0.0.1:{int(await server.stdout.readline())}"
    finally:
        server.terminate()
        await server.wait()


def opened(way: str, python: str, address: str) -> Any:
    if way == "memory":
        return in_memory()
    if way in ("stdio", "crash"):
        return stdio_client(
            StdioServerParameters(command=python, args=server_arguments("stdio"), env=server_environment())
        )
    if way == "sse":
        return sse_client(f"{address}/sse", headers=headers)
    if not hasattr(streamable_http, "streamable_http_client"):
        return streamable_http.streamablehttp_client(f"{address}/mcp", headers=headers)
    client = import_module("httpx2" if IS_2 else "httpx").AsyncClient(headers=headers, timeout=30)
    return streamable_http.streamable_http_client(f"{address}/mcp", http_client=client)


async def main(listening: str, python: str, ways: list[str]) -> None:
    global visiting, is_alone
    async with AsyncExitStack() as stack:
        networked = {"http", "sse"} & set(ways)
        address = await stack.enter_async_context(over_http(listening)) if networked else ""
        recorded, _, unrecorded = " ".join(ways).partition(" alone")
        for visiting in recorded.split():
            with around("workflow_run", workflow=f"visit {visiting}"):
                await visit_by(visiting, python, address)
        found = {"asked": asked.copy(), "served": [json.loads(line) for line in LEDGER.read_text().splitlines()]}
        asked.clear()
        inspector.detach()
        for visiting in unrecorded.split():
            is_alone = visiting != "header"
            headers.update({} if is_alone else {"traceparent": CALLER})
            await visit_by("http" if visiting == "header" else visiting, python, address)
    print(json.dumps(found | {"alone": asked}))


async def visit_by(way: str, python: str, address: str) -> None:
    async with opened(way, python, address) as streams:
        await (outlive if way == "crash" else visit)(streams)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
