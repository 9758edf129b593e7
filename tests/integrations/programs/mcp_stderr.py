"""A client with either generation of the SDK; its servers have none, and write to standard error."""

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from instrument import around

INITIALIZED = {"capabilities": {"tools": {}}, "serverInfo": {"name": "kitchen", "version": "1"}}


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
                print("the stove is cold", file=sys.stderr, flush=True)
                write(id=asked["id"], result={"content": [{"type": "text", "text": "soup"}]})


def break_down() -> None:
    print("reading the menu", file=sys.stderr)
    raise RuntimeError("no menu")


async def visit(role: str) -> None:
    server = StdioServerParameters(command=sys.executable, args=[__file__, role])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await session.call_tool("cook", {})


ROLES = {"serve": serve, "break_down": break_down}


def main() -> None:
    for role in ROLES:
        with around("workflow_run", workflow=role):
            try:
                asyncio.run(visit(role))
            except Exception as exc:
                print(type(exc).__name__)
    print(json.dumps({}))


if __name__ == "__main__":
    ROLES.get(sys.argv[-1], main)()
