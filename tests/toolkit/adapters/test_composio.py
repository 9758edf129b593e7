"""Composio's tools through its own SDK, against a stand-in for its service on loopback; ours as its custom tools."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from instrument.testing import capture
from toolkit.adapters.composio import ComposioTools
from toolkit.errors import DefinitionInvalid
from toolkit.node import ToolNode

# Its SDK takes seconds to import.
pytestmark = pytest.mark.slow

_TOOLKIT = {"slug": "github", "name": "GitHub", "logo": ""}
_STAR = {
    "slug": "GITHUB_STAR",
    "name": "Star",
    "description": "Star a repository.",
    "input_parameters": {"type": "object", "properties": {"repo": {"type": "string"}}, "required": ["repo"]},
    "output_parameters": {},
    "version": "20260101_00",
    "available_versions": [],
    "tags": [],
    "scopes": [],
    "no_auth": False,
    "is_deprecated": False,
    "deprecated": {
        "available_versions": [],
        "displayName": "Star",
        "is_deprecated": False,
        "toolkit": {"logo": ""},
        "version": "1",
    },
    "toolkit": _TOOLKIT,
}
_SESSION = {
    "session_id": "s1",
    "mcp": {"type": "http", "url": "http://127.0.0.1/mcp"},
    "config": {"user_id": "ada", "preload": {"tools": []}},
    "config_version": 1,
}


class _Service:
    """Answers as Composio's REST API does, and keeps what it was asked."""

    def __init__(self):
        self.requests = []
        self.answer = {"data": {"starred": True}, "error": None, "successful": True, "log_id": "l"}
        service = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self):
                body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"null")
                service.requests.append((self.command, self.path, body))
                told = json.dumps(service.told(self.path, body)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            do_GET = do_POST = _answer

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def told(self, path, body):
        if "/execute/" in path:
            return self.answer
        if "/tool_router/session" in path:
            given = body["experimental"]["custom_tools"]
            named = [{**each, "slug": f"LOCAL_{each['slug']}", "original_slug": each["slug"]} for each in given]
            return {**_SESSION, "tool_router_tools": [], "experimental": {"custom_tools": named}}
        if path.startswith("/api/v3.1/tools?"):
            return {"items": [_STAR], "current_page": 1, "total_items": 1, "total_pages": 1, "next_cursor": None}
        return _STAR


@pytest.fixture
def telemetry(monkeypatch):
    """What the SDK would have told its makers; nothing of it leaves the machine."""
    events = []
    import composio.core.models.base as composio_base  # seconds, which every worker would take to list its tests

    monkeypatch.setattr(composio_base, "push_event", lambda event: events.append(event[1]["functionName"]))
    return events


@pytest.fixture
def service(telemetry):
    service = _Service()
    thread = threading.Thread(target=service.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield service
    service.server.shutdown()
    thread.join()
    service.server.server_close()


@pytest.fixture
def client(service):
    from composio import Composio

    client = Composio(api_key="key", base_url=service.url, max_retries=0)
    yield client
    client.client.close()


def test_a_toolkit_is_listed_when_it_is_needed_and_called_for_the_user_in_the_version_listed(client, service):
    node = ToolNode([ComposioTools(client, user_id="ada", toolkits=["github"], limit=5)])
    assert service.requests == []

    async def main():
        told = await node.all_tools()
        return told, await node.invoke([{"name": "GITHUB_STAR", "arguments": {"repo": "x"}}])

    told, (result,) = asyncio.run(main())

    assert told == [
        {
            "type": "function",
            "function": {
                "name": "GITHUB_STAR",
                "description": "Star a repository.",
                "parameters": _STAR["input_parameters"],
            },
        }
    ]
    assert (result.is_error, result.structured) == (False, {"starred": True})
    assert service.requests[0][:2] == (
        "GET",
        "/api/v3.1/tools?toolkit_slug=github&toolkit_versions=latest&limit=5",
    )
    assert service.requests[-1] == (
        "POST",
        "/api/v3.1/tools/execute/GITHUB_STAR",
        {"user_id": "ada", "version": "20260101_00", "arguments": {"repo": "x"}},
    )


def test_they_are_listed_once(client, service):
    tools = ComposioTools(client, user_id="ada", tools=["GITHUB_STAR"])

    async def main():
        assert await tools.tools() is await tools.tools()

    asyncio.run(main())

    assert [path for _, path, _ in service.requests] == [
        "/api/v3.1/tools?tool_slugs=GITHUB_STAR&toolkit_versions=latest"
    ]


def test_each_call_can_be_of_another_user(client, service):
    tools = ComposioTools(client, user_id=lambda context: context.state["user"], toolkits=["github"])

    async def main():
        node = ToolNode([tools])
        for user in ("ada", "bob"):
            await node.invoke([{"name": "GITHUB_STAR", "arguments": {"repo": "x"}}], {"user": user})

    asyncio.run(main())

    assert [body["user_id"] for method, _, body in service.requests if method == "POST"] == ["ada", "bob"]


def test_what_composio_says_failed_is_a_failure(client, service):
    service.answer = {"data": {"status": 404}, "error": "no such repository", "successful": False, "log_id": "l"}

    async def main():
        (tool,) = await ComposioTools(client, user_id="ada", toolkits=["github"]).tools()
        return await tool({"repo": "x"})

    result = asyncio.run(main())

    assert (result.is_error, result.text, result.metadata) == (True, "no such repository", {"data": {"status": 404}})


def test_wrong_arguments_never_reach_composio(client, service):
    async def main():
        (tool,) = await ComposioTools(client, user_id="ada", toolkits=["github"]).tools()
        return await tool({"repo": 1})

    assert asyncio.run(main()).text.startswith("invalid arguments for GITHUB_STAR: repo: expected")
    assert [method for method, _, _ in service.requests] == ["GET"]


def test_a_composio_tool_passes_the_hooks_and_says_who_is_behind_it(client, service):
    with capture() as captured:
        node = ToolNode([ComposioTools(client, user_id="ada", toolkits=["github"])])
        asyncio.run(node.invoke([{"name": "GITHUB_STAR", "arguments": {"repo": "x"}}]))

    assert [name for name, _ in captured] == ["before_tool_call", "after_tool_call"]
    context = captured[0][1]["context"]
    assert (context.server_name, context.tool_source) == ("composio", "runtime")


def test_no_call_of_ours_is_told_to_composios_telemetry(client, service, telemetry):
    async def main():
        (tool,) = await ComposioTools(client, user_id="ada", toolkits=["github"]).tools()
        await tool({"repo": "x"})

    asyncio.run(main())
    assert telemetry == []

    client.tools.get_raw_composio_tools(toolkits=["github"])
    assert telemetry == ["Tools.get_raw_composio_tools"]


def test_all_of_composio_is_not_asked_for(client):
    with pytest.raises(DefinitionInvalid, match="Composio has thousands"):
        ComposioTools(client, user_id="ada")
