"""A box of tools, served over HTTP in this process."""

import asyncio
import importlib.util
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from toolkit import ToolContext, ToolResult
from toolkit.content import ImageContent, TextContent
from toolkit.errors import ToolTimedOut
from toolkit.functions import mcp_route, tool
from toolkit.serving import ToolServer

HERE = Path(__file__).parent


@pytest.fixture
def box():
    """Tools of all kinds, and what they saw."""

    class Box:
        def __init__(self):
            self.seen = []
            self.started = asyncio.Event()
            self.stopped = asyncio.Event()
            self.tools = [self.double, self.search, self.wait, self.fail, self.late, self.picture, self.note]

        @tool
        async def double(self, number: int) -> int:
            """Double a number."""
            return 2 * number

        @tool
        @mcp_route("/search", permissions=["read"])
        async def search(
            self, context: ToolContext, topic: str, limit: int = 10, order: Literal["up", "down"] = "up"
        ) -> dict[str, str | int]:
            """Search what is there.

            Args:
                topic: What to look for.
                limit: How many.
                order: Which first.
            """
            self.seen.append((context.state, context.correlation_id, context.permissions))
            return {"topic": topic, "limit": limit}

        @tool
        async def wait(self, context: ToolContext) -> str:
            """Wait for ever."""
            for done in (1, 2):
                await context.progress(done, 2, f"step {done}")
            self.started.set()
            try:
                await asyncio.sleep(3600)
            finally:
                self.stopped.set()
            return ""

        @tool
        async def fail(self) -> str:
            """Fail."""
            raise ValueError("no such hotel")

        @tool
        async def late(self) -> str:
            """Be late."""
            raise ToolTimedOut("late took longer than 1 s")

        @tool
        async def picture(self) -> ToolResult:
            """Draw."""
            return ToolResult([TextContent("here"), ImageContent("aGk=", "image/png")])

        @tool(permissions=["write"])
        async def note(self, text: str) -> str:
            """Note it."""
            return f"noted {text}"

    return Box()


@pytest.fixture
def serve():
    @asynccontextmanager
    async def run(tools, **options):
        async with ToolServer(tools, **({"name": "box", "mode": "http", "port": 0} | options)) as server:
            yield server

    return run


@pytest.fixture
def official():
    """The SDK's own client of a server."""

    @asynccontextmanager
    async def connect(server, token=None, **options):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(server.mcp_url, http_client=http), **options) as client:
                yield client

    return connect


@pytest.fixture(scope="session")
def inspector_cli(tmp_path_factory):
    """Node, and the published inspector's command line."""
    path = HERE.parents[1] / "otlp" / "javascript.py"
    spec = importlib.util.spec_from_file_location("javascript_of_mcp", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    node, place = module.installed(tmp_path_factory.mktemp("npm"), HERE / "js", "mcp-clients")
    return node, place / "node_modules" / "@modelcontextprotocol" / "inspector-cli" / "build" / "cli.js"


def ask_of(serve, tools, *requests, **options):
    """Serve, send each request (method, path, options of httpx), and return the answers."""

    async def body():
        async with serve(tools, **options) as server, httpx2.AsyncClient(base_url=server.url) as client:
            return [
                await client.request(method, path, **more) for method, path, more in (each(server) for each in requests)
            ]

    return asyncio.run(body())


def post(path, json=None, token=None, **more):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    headers |= more.pop("headers", {})
    return lambda _: (
        "POST",
        path,
        {"json": json, "headers": headers, **more} if json is not None else {"headers": headers, **more},
    )


def get(path, token=None, headers=None):
    given = {"Authorization": f"Bearer {token}"} if token else {}
    return lambda _: ("GET", path, {"headers": given | (headers or {})})


def problem(response):
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["status"] == response.status_code
    return response.status_code, told["detail"]


@pytest.fixture
def ask(serve):
    return partial(ask_of, serve)


@pytest.fixture(name="post")
def make_post():
    return post


@pytest.fixture(name="get")
def make_get():
    return get


@pytest.fixture(name="problem")
def read_problem():
    return problem
