"""Requests to MCP servers, and ways to these, that a controller decides about."""

import asyncio
import sys

import anyio
import pytest
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client import stdio, streamable_http
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer

from inspector.integrations.enabling import Enabled, chosen
from instrument import control
from instrument.control import Answer, Denied, Proceed
from instrument.testing import capture

NOWHERE = "/nowhere/at/all"
LIST = {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}


@pytest.fixture(autouse=True)
def watched():
    enabled = Enabled()
    enabled.enable(chosen(("mcp",)))
    yield
    enabled.disable()


@pytest.fixture
def added():
    """A server in this process, and what it added."""
    server, added = MCPServer("sums"), []

    @server.tool()
    def add(a: int, b: int) -> int:
        added.append((a, b))
        return a + b

    return server, added


def decided(decide, body):
    async def inside():
        with anyio.fail_after(60):
            return await body()

    with control.install(decide, name="gate"), capture() as emitted:
        result = asyncio.run(inside())
    return result, emitted


def call_add(server):
    async def body():
        async with Client(server) as client:
            try:
                return await client.call_tool("add", {"a": 1, "b": 2})
            except Exception as error:
                # Past the client, it would come in a group.
                return error

    return body


def on_call(decision):
    def decide(call):
        if call.name != "tools/call":
            return None
        if isinstance(decision, Exception):
            raise decision
        return decision(call) if callable(decision) else decision

    return decide


def test_a_request_is_sent_with_the_params_that_the_controller_gives_it(added):
    server, sums = added
    change = on_call(lambda call: Proceed({**call.args, "arguments": {"a": 40, "b": 2}}))
    result, emitted = decided(change, call_add(server))
    assert (result.structured_content, sums) == ({"result": 42}, [(40, 2)])
    told = next(
        keywords
        for name, keywords in emitted
        if name == "after_rpc_response" and keywords.get("controlled", {}).get("did") == "changed"
    )
    assert told["controlled"]["args"]["after"]["arguments"] == {"a": 40, "b": 2}


def test_a_result_or_an_error_is_answered_in_place_of_the_server(added):
    server, sums = added
    seven = {"content": [], "structuredContent": {"result": 7}, "resultType": "complete"}
    result, _ = decided(on_call(Answer({"result": seven})), call_add(server))
    assert result.structured_content == {"result": 7}
    error = {"code": -32000, "message": "closed on Sundays", "data": [1]}
    raised, _ = decided(on_call(Answer({"error": error})), call_add(server))
    assert isinstance(raised, MCPError)
    assert (raised.code, str(raised), raised.data, sums) == (-32000, "closed on Sundays", [1], [])


def test_a_refused_request_is_not_sent_and_raises_what_refused_it(added):
    server, sums = added
    denied = Denied("not today")
    raised, _ = decided(on_call(denied), call_add(server))
    assert (raised, sums) == (denied, [])


def test_an_answer_that_is_no_response_is_named(added):
    raised, _ = decided(on_call(Answer("7")), call_add(added[0]))
    assert isinstance(raised, TypeError)
    assert str(raised) == "the controller answered tools/call with str; pass a dict with its 'result' or its 'error'"


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_server_that_is_answered_for_is_neither_started_nor_reached(way):
    asked = []

    def mock(call):
        asked.append((call.noun, call.name, call.subject))
        if call.noun == "connection":
            return Answer(None)
        initialized = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "n", "version": "1"}}
        return Answer({"result": initialized if call.name == "initialize" else LIST})

    if way == "stdio":
        subject = [NOWHERE, "desk"]
        line = stdio.stdio_client(StdioServerParameters(command=NOWHERE, args=["desk"]))
    else:
        subject = "http://127.0.0.1:9/mcp"
        line = streamable_http.streamable_http_client(subject)

    async def body():
        async with line as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await session.list_tools()

    listed, emitted = decided(mock, body)
    assert [tool.name for tool in listed.tools] == ["add"]
    assert asked == [
        ("connection", way, subject),
        ("rpc_request", "initialize", subject),
        ("rpc_request", "tools/list", subject),
    ]
    ids = [keywords["envelope"]["id"] for name, keywords in emitted if name == "before_rpc_request"]
    assert ids == [1, 2]


def test_requests_at_the_same_time_have_ids_of_their_own_while_somebody_decides(added):
    server, sums = added
    waiting = anyio.Event()

    async def decide(call):
        if call.name == "tools/call":
            waiting.set() if call.args["arguments"]["a"] == 2 else await waiting.wait()

    async def body():
        async with Client(server) as client:
            both = (client.call_tool("add", {"a": a, "b": 0}) for a in (1, 2))
            return [each.structured_content["result"] for each in await asyncio.gather(*both)]

    results, emitted = decided(decide, body)
    assert (results, sorted(sums)) == ([1, 2], [(1, 0), (2, 0)])
    ids = [
        keywords["envelope"]["id"]
        for name, keywords in emitted
        if name == "before_rpc_request" and keywords["direction"] == "outbound"
    ]
    assert len(ids) == len(set(ids)) > 2


@pytest.mark.slow
def test_a_real_server_is_started_where_the_controller_lets_it(tmp_path):
    desk = tmp_path / "desk.py"
    desk.write_text("from mcp.server.mcpserver import MCPServer\nMCPServer('real').run('stdio')\n")

    async def body():
        parameters = StdioServerParameters(command=sys.executable, args=[str(desk)])
        async with stdio.stdio_client(parameters) as streams, ClientSession(*streams) as session:
            return (await session.initialize()).server_info.name

    assert decided(lambda _: None, body)[0] == "real"
