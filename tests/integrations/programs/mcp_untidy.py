"""A client with either generation of the SDK; its server has none, logs as it works, and prints into the protocol.

With the argument ``toolkit`` the client is the toolkit's.
"""

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

INITIALIZED = {"capabilities": {"tools": {}}, "serverInfo": {"name": "kitchen", "version": "1"}}
LOGGED = {"level": "warning", "logger": "stove", "data": {"gas": 0}}


def write(**members: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)


def serve() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        match asked["method"]:
            case "initialize":
                version = asked["params"]["protocolVersion"]
                write(id=asked["id"], result={"protocolVersion": version, **INITIALIZED})
            case "tools/list":
                write(id=asked["id"], result={"tools": [{"name": "cook", "inputSchema": {"type": "object"}}]})
            case "tools/call":
                write(method="notifications/message", params=LOGGED)
                print("debug: here", flush=True)
                write(id=asked["id"], result={"content": [{"type": "text", "text": "soup"}]})


async def visit() -> None:
    server = StdioServerParameters(command=sys.executable, args=[__file__, "serve"])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await session.list_tools()
        print(json.dumps((await session.call_tool("cook", {})).content[0].text))


async def visit_by_toolkit() -> None:
    from toolkit import McpServers, StdioServer, ToolNode

    async with McpServers({"kitchen": StdioServer(sys.executable, [__file__, "serve"])}) as servers:
        [result] = await ToolNode([servers]).invoke([{"name": "kitchen__cook", "arguments": {}}])
        print(json.dumps(result.text))


match sys.argv[1:]:
    case ["serve"]:
        serve()
    case ["toolkit"]:
        asyncio.run(visit_by_toolkit())
    case _:
        asyncio.run(visit())
