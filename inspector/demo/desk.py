"""The demo's side of the Model Context Protocol: a connection to the travel desk that emits a hook for every request.

The SDK puts the current trace context into ``params._meta`` of what it sends, so a request that is sent inside its own
hook pair becomes the parent of whatever the server does about it.
"""

import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.shared.dispatcher import CallOptions, Dispatcher, OnNotify, OnNotifyIntercept, OnRequest
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp.types import CallToolResult, TextContent, TextResourceContents, Tool

from inspector.demo.errors import DeskClosedError
from inspector.demo.server import OPEN
from instrument import _emit, around  # pyright: ignore[reportPrivateUsage] - the contract's name

SERVER = "travel_desk"


class RecordedDispatcher(Dispatcher[TransportContext]):
    """Emits the RPC hooks around every request; the wire is the SDK's dispatcher's business."""

    def __init__(self, wire: JSONRPCDispatcher[TransportContext]) -> None:
        self._wire = wire
        self._ids = count(1)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Send a request under an id of our own, since the hook before it has to know the id."""
        chosen = opts or CallOptions()
        request_id = chosen.setdefault("request_id", next(self._ids))
        request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params or {})}
        async with around("rpc_request", envelope=request, transport="stdio") as call:
            result = await self._wire.send_raw_request(method, params, chosen)
            call.set(envelope={"jsonrpc": "2.0", "id": request_id, "result": result})
            return result

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Send a notification; nothing answers it, so there is no pair of hooks for it."""
        await self._wire.notify(method, params, opts)

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Read from the server until it goes away."""
        await self._wire.run(on_request, on_notify, on_notify_intercept, task_status=task_status)


@dataclass(frozen=True, slots=True)
class TravelDesk:
    """An open connection to the travel desk's MCP server."""

    session: ClientSession

    async def tools(self) -> list[Tool]:
        """Return what the desk can do."""
        return (await self.session.list_tools()).tools

    async def call(self, name: str, args: dict[str, Any], *, call_id: str) -> CallToolResult:
        """Call a tool and pass on how far it is, as progress of the call ``call_id``."""

        async def pass_on(progress: float, total: float | None, message: str | None) -> None:
            await _emit(
                "progress_update", progress=progress, total=total, message=message, context=None, call_id=call_id
            )

        return await self.session.call_tool(name, args, progress_callback=pass_on)

    async def guide(self, city: str) -> str:
        """Read the desk's guide to a city."""
        uri = f"guide://{city.lower()}"
        async with around("resource_fetch", uri=uri, context={"server_name": SERVER}) as call:
            contents = (await self.session.read_resource(uri)).contents
            text = "\n".join(each.text for each in contents if isinstance(each, TextResourceContents))
            call.set(content=text, mime_type=contents[0].mime_type)
            return text

    async def brief(self, parameters: dict[str, str]) -> str:
        """Have the desk's prompt template filled in."""
        async with around(
            "prompt_apply", template_id="trip_brief", parameters=parameters, context={"server_name": SERVER}
        ) as call:
            messages = (await self.session.get_prompt("trip_brief", parameters)).messages
            text = "\n".join(each.content.text for each in messages if isinstance(each.content, TextContent))
            call.set(rendered=text)
            return text


@asynccontextmanager
async def open_desk(home: Path, *, capture_content: bool) -> AsyncGenerator[TravelDesk]:
    """Start the desk's server as a process of its own, which records into ``home`` too, and wait until it is up.

    The handshake is left to the caller, so that it happens inside the workflow it belongs to.

    Raises:
        DeskClosedError: The server did not start.
    """
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "inspector.demo.server"],
        env={**os.environ, "INSPECTOR_HOME": str(home), "INSPECTOR_CAPTURE_CONTENT": str(capture_content)},
        # `-m` looks in the working directory first: make that the place this package was imported from.
        cwd=Path(__file__).parents[2],
    )
    heard, said = os.pipe()
    errlog = os.fdopen(said, "w")
    try:
        async with stdio_client(server, errlog=errlog) as (incoming, outgoing):
            errlog.close()
            # The SDK would import it inside the first tool call, which would look slow; the server starts meanwhile.
            import_module("jsonschema.validators")
            await _wait_until_open(heard)
            wire = JSONRPCDispatcher[TransportContext](incoming, outgoing)
            async with ClientSession(dispatcher=RecordedDispatcher(wire)) as session:
                yield TravelDesk(session)
    finally:
        errlog.close()
        os.close(heard)


async def _wait_until_open(stderr: int) -> None:
    said = ""
    while OPEN not in said:
        await anyio.wait_readable(stderr)
        heard = os.read(stderr, 65536).decode(errors="replace")
        if not heard:
            last = (said.splitlines() or ["it ended without a word"])[-1]
            raise DeskClosedError(f"the demo's MCP server did not start: {last}; try 'inspector doctor'")
        said += heard
