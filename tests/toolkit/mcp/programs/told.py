"""A client and a server of the toolkit in one process, with the hooks that they emitted and the spans of a recorder.

Arguments: the inspector's home, whether its integrations are on, and the command of a server over stdio.
Prints what was emitted.
"""

import asyncio
import json
import sys

import inspector
from instrument.testing import capture
from toolkit.functions import tool
from toolkit.mcp import HttpServer, McpServers, StdioServer
from toolkit.serving import ToolServer

HOME, INTEGRATIONS, DESK = sys.argv[1], sys.argv[2] == "on", sys.argv[3:]


@tool
async def double(number: int) -> int:
    """Double a number."""
    return 2 * number


async def approve(_request) -> bool:
    return True


async def visit() -> None:
    async with ToolServer([double], name="box", mode="http", port=0) as box:
        places = {"box": HttpServer(box.mcp_url), "desk": StdioServer(DESK[0], DESK[1:])}
        async with McpServers({"box": places["box"]}) as boxes:
            tools = {each.name: each for each in await boxes.tools()}
            await tools["box__double"]({"number": 4})
        async with McpServers({"desk": places["desk"]}, approver=approve) as desks:
            tools = {each.name: each for each in await desks.tools()}
            await tools["desk__confirm"]({})
            await tools["desk__steps"]({})
            await tools["desk__fail"]({})
            await desks["desk"].read("guide://lisbon")
            await desks["desk"].prompt("brief", {"city": "Lisbon"})


def told(name: str, keywords: dict) -> list:
    envelope = keywords.get("envelope") or {}
    method = envelope.get("method") or sorted(envelope)
    subject = keywords.get("tool_name") or keywords.get("uri") or keywords.get("template_id") or keywords.get("message")
    return [name, method, subject, keywords.get("transport"), keywords.get("direction")]


if __name__ == "__main__":
    inspector.attach(home=HOME, service="told", integrations=["mcp"] if INTEGRATIONS else False)
    with capture() as emitted:
        asyncio.run(visit())
    inspector.detach()
    print(json.dumps([told(name, keywords) for name, keywords in emitted]))
