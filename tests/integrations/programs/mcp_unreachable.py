"""A client with either generation of the SDK: nothing listens, its token is refused, its server goes away,
speaks another revision, cannot be started, and, with the current SDK, does not let it ask for its revision.
"""

import asyncio
import json
import socket
import sys
from collections.abc import Callable, Coroutine
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from instrument import around

INITIALIZED = {"capabilities": {"tools": {}}, "serverInfo": {"name": "kitchen", "version": "1"}}


class Kitchen(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/locked":
            self.answer(401, {"error": "invalid_token"})
        elif self.path == "/broken":
            self.answer(500, {"error": "no memory"})
        elif self.path == "/old":
            self.answer(200, {"jsonrpc": "2.0", "id": asked["id"], "result": {**INITIALIZED, "protocolVersion": "1"}})
        elif asked["method"] == "initialize":
            result = {"protocolVersion": asked["params"]["protocolVersion"], **INITIALIZED}
            self.answer(200, {"jsonrpc": "2.0", "id": asked["id"], "result": result})
        elif "id" in asked:
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.answer(202, None)

    def do_GET(self) -> None:
        self.answer(405, None)

    def answer(self, status: int, body: Any) -> None:
        text = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        if status == 401:
            self.send_header("www-authenticate", 'Bearer error="invalid_token"')
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        pass


async def visit(url: str) -> None:
    async with streamable_http_client(url) as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        await session.call_tool("cook", {})


async def start(command: str) -> None:
    async with stdio_client(StdioServerParameters(command=command, args=["serve"])) as streams:
        await ClientSession(*streams).initialize()


async def discover(url: str) -> None:
    from mcp import Client

    async with Client(url):
        pass


def visited(name: str, url: str, visit: Callable[[str], Coroutine[Any, Any, None]] = visit) -> str:
    with around("workflow_run", workflow=name):
        try:
            asyncio.run(visit(url))
        except BaseException as exc:
            return type(exc).__name__
    return "ok"


with socket.socket() as silent, HTTPServer(("127.0.0.1", 0), Kitchen) as kitchen:
    silent.bind(("127.0.0.1", 0))
    Thread(target=kitchen.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{kitchen.server_port}"
    nowhere = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"
    cases = {"nobody": nowhere, "locked": f"{here}/locked", "gone": f"{here}/mcp"}
    seen = [visited(name, url) for name, url in cases.items()]
    seen += [visited("old", f"{here}/old"), visited("missing", "no-such-kitchen", start)]
    if "mcp.shared.dispatcher" in sys.modules:
        seen += [visited(f"discover {path}", f"{here}/{path}", discover) for path in ("locked", "broken")]
    print(json.dumps(seen))
    kitchen.shutdown()
