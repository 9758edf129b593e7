import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult

from instrument.testing import capture
from toolkit.context import ToolContext
from toolkit.functions import tool
from toolkit.mcp import HttpServer, McpServers
from toolkit.serving import ToolServer

PROGRAM = str(Path(__file__).parent / "programs" / "box.py")
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@MODES
def test_the_official_client_lists_and_calls_tools_over_http(box, serve, official, mode):
    async def body():
        async with serve(box.tools) as server, official(server, mode=mode) as client:
            listed = {each.name: each for each in (await client.list_tools()).tools}
            return (
                listed,
                await client.call_tool("double", {"number": 21}),
                await client.call_tool("search", {"topic": "x"}),
                await client.call_tool("picture", {}),
            )

    listed, doubled, searched, picture = asyncio.run(body())

    assert list(listed) == ["double", "search", "wait", "fail", "late", "picture", "note"]
    schema = listed["search"].input_schema
    assert schema["required"] == ["topic"]
    assert schema["properties"]["order"] == {"description": "Which first.", "enum": ["up", "down"], "default": "up"} | (
        {"type": "string"} if "type" in schema["properties"]["order"] else {}
    )
    assert listed["double"].output_schema["properties"]["result"] == {"type": "integer"}
    assert (doubled.structured_content, doubled.is_error) == ({"result": 42}, False)
    assert searched.structured_content == {"topic": "x", "limit": 10}
    assert [each.type for each in picture.content] == ["text", "image"]
    assert picture.content[1].mime_type == "image/png"


@MODES
def test_a_message_that_is_returned_for_a_dict_reaches_the_client(serve, official, mode):
    def get_weather(city: str) -> dict:
        return {"role": "tool", "content": f"24 in {city}"}

    async def body():
        async with serve([get_weather]) as server, official(server, mode=mode) as client:
            await client.list_tools()
            return await client.call_tool("get_weather", {"city": "Bonn"})

    result = asyncio.run(body())
    assert (result.is_error, result.content[0].text) == (False, "24 in Bonn")


@MODES
def test_output_that_middleware_took_away_does_not_reach_the_client_in_its_other_form(serve, official, mode):
    @tool
    def read_log() -> list[str]:
        return ["token=abc0"]

    async def blank(ctx, args, call_next):
        result = await call_next(args)
        result.content[0].text = result.content[0].text.replace("abc0", "[secret]")
        return result

    async def withhold(ctx, args, call_next):
        result = await call_next(args)
        result.content[0].text = "withheld"
        return result

    async def body(hook):
        async with serve([read_log], tool_hooks=[hook]) as server, official(server, mode=mode) as client:
            await client.list_tools()
            return await client.call_tool("read_log", {})

    blanked, withheld = asyncio.run(body(blank)), asyncio.run(body(withhold))
    assert (blanked.is_error, blanked.structured_content) == (False, {"result": ["token=[secret]"]})
    assert blanked.content[0].text == '["token=[secret]"]'
    assert (withheld.is_error, withheld.structured_content) == (True, None)
    assert withheld.content[0].text == "withheld"


@MODES
def test_mistakes_and_failures_are_results_and_an_unknown_tool_is_an_error(box, serve, official, mode):
    async def body():
        async with serve(box.tools) as server, official(server, mode=mode) as client:
            mistaken = await client.call_tool("double", {"number": "x"})
            failed = await client.call_tool("fail", {})
            with pytest.raises(MCPError, match="unknown tool 'nothing'"):
                await client.call_tool("nothing", {})
            return mistaken, failed

    mistaken, failed = asyncio.run(body())
    assert mistaken.is_error and mistaken.content[0].text.startswith("invalid arguments for double: number")
    assert failed.is_error and failed.content[0].text == "fail failed; the log of its server says why"


@pytest.mark.parametrize(
    ("mode", "answer", "said"),
    [
        ("legacy", ElicitResult(action="accept", content={"approve": True}), "booked"),
        ("legacy", ElicitResult(action="decline"), "a person refused book: Book Ritz?"),
        # In the revision of 2026-07-28 servers send no requests, so that a call under way cannot ask.
        ("auto", None, "book needs a person's approval and nobody can be asked"),
    ],
)
def test_the_person_behind_a_client_is_asked_where_its_protocol_can(serve, official, mode, answer, said):
    @tool
    async def book(hotel: str, context: ToolContext) -> str:
        await context.ask(f"Book {hotel}?")
        return "booked"

    async def elicit(context, params):
        assert params.message.startswith("Book Ritz?")
        return answer

    async def body():
        async with serve([book]) as server, official(server, mode=mode, elicitation_callback=elicit) as client:
            return await client.call_tool("book", {"hotel": "Ritz"})

    result = asyncio.run(body())
    assert (result.content[0].text, result.is_error) == (said, said != "booked")


@MODES
def test_progress_goes_to_the_client_and_its_cancellation_to_the_tool(box, serve, official, mode):
    heard = []
    both = asyncio.Event()

    async def hear(progress, total, message):
        heard.append((progress, total, message))
        if len(heard) == 2:
            both.set()

    async def body():
        async with serve(box.tools) as server, official(server, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("wait", {}, progress_callback=hear))
            async with asyncio.timeout(20):
                await both.wait()
                call.cancel()
                await box.stopped.wait()

    asyncio.run(body())
    assert heard == [(1.0, 2.0, "step 1"), (2.0, 2.0, "step 2")]


def test_a_request_that_comes_in_is_told_of_once_with_the_call_inside(box, serve, official):
    async def body():
        async with serve(box.tools) as server, official(server, mode="legacy") as client:
            await client.list_tools()
            await client.call_tool("double", {"number": 4})
            with pytest.raises(MCPError):
                await client.call_tool("nothing", {})

    with capture() as emitted:
        asyncio.run(body())

    told = [
        (name, kwargs["envelope"].get("method") or min(kwargs["envelope"]), kwargs["transport"])
        if "rpc" in name
        else (name, kwargs["tool_name"], kwargs["args"])
        for name, kwargs in emitted
    ]
    assert told == [
        ("before_rpc_request", "initialize", "http"),
        ("after_rpc_response", "id", "http"),
        ("before_rpc_request", "tools/list", "http"),
        ("after_rpc_response", "id", "http"),
        ("before_rpc_request", "tools/call", "http"),
        ("before_tool_call", "double", {"number": 4}),
        ("after_tool_call", "double", {"number": 4}),
        ("after_rpc_response", "id", "http"),
        ("before_rpc_request", "tools/call", "http"),
        ("after_rpc_response", "error", "http"),
    ]
    assert {kwargs["direction"] for name, kwargs in emitted if "rpc" in name} == {"inbound"}


def test_a_tool_that_is_registered_while_the_server_runs_is_offered(box, official):
    async def body():
        server = ToolServer([box.double], name="box", mode="http", port=0)
        async with server, official(server) as client:
            before = [each.name for each in (await client.list_tools()).tools]
            server.tools.register(box.fail)
            await client.session.list_tools()
            after = [each.name for each in (await client.session.list_tools()).tools]
            return before, after

    assert asyncio.run(body()) == (["double"], ["double", "fail"])


def test_clients_are_told_the_servers_version_and_hints_about_its_tools(serve, official):
    @tool(annotations={"title": "Look", "readOnlyHint": True})
    async def look() -> str:
        """Look around."""
        return "trees"

    async def body():
        async with serve([look], version="2.1") as server, official(server) as client:
            [listed] = (await client.list_tools()).tools
            document = await server.openapi()
            async with McpServers({"box": HttpServer(server.mcp_url)}) as servers:
                [remote] = await servers.tools()
            return listed.annotations, document["info"]["version"], client.server_info.version, remote

    annotations, documented, told, remote = asyncio.run(body())
    assert (annotations.title, annotations.read_only_hint) == ("Look", True)
    assert (documented, told) == ("2.1", "2.1")
    assert (remote.definition.annotations["readOnlyHint"], remote.repeatable) == (True, True)


def test_the_official_client_calls_tools_over_stdio_whatever_they_print(tmp_path):
    stopped = tmp_path / "stopped"
    program = StdioServerParameters(command=sys.executable, args=[PROGRAM, str(stopped)], cwd=Path.cwd())
    heard = []
    once = asyncio.Event()

    async def hear(progress, total, message):
        heard.append((progress, total, message))
        once.set()

    async def body():
        async with Client(program, read_timeout_seconds=60) as client:
            names = [each.name for each in (await client.list_tools()).tools]
            doubled = await client.call_tool("double", {"number": 4})
            call = asyncio.create_task(client.call_tool("wait", {}, progress_callback=hear))
            async with asyncio.timeout(20):
                await once.wait()
                call.cancel()
                while not await asyncio.to_thread(stopped.exists):
                    pass
            return names, doubled

    names, doubled = asyncio.run(body())
    assert names == ["double", "wait"]
    assert (doubled.structured_content, doubled.is_error) == ({"result": 8}, False)
    assert heard == [(1.0, 3.0, "begun")]


@pytest.mark.slow
def test_what_tools_print_over_stdio_never_becomes_part_of_the_protocol():
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    messages = [
        {"id": 1, "method": "initialize", "params": opening},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "double", "arguments": {"number": 4}}},
    ]

    async def body():
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            PROGRAM,
            os.devnull,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"},
        )
        async with asyncio.timeout(120):
            for message in messages:
                process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            answers = [await process.stdout.readline(), await process.stdout.readline()]
            rest, err = await process.communicate(b"")
        return [json.loads(each)["id"] for each in answers], rest, err

    answered, rest, err = asyncio.run(body())
    assert (answered, rest) == ([1, 2], b"")
    assert b"doubling" in err


@pytest.mark.slow
def test_a_stdio_server_ends_when_its_input_does():
    async def body():
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            PROGRAM,
            os.devnull,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(120):
            out, err = await process.communicate(b"")
        return process.returncode, out, err

    assert asyncio.run(body()) == (0, b"", b"")


def run_inspector(inspector_cli, *arguments):
    async def run():
        node, program = inspector_cli
        pipe = asyncio.subprocess.PIPE
        # It finds its own name and version in ../package.json only when it is started where it is.
        process = await asyncio.create_subprocess_exec(
            node, program, "--cli", *arguments, stdout=pipe, stderr=pipe, cwd=program.parent
        )
        async with asyncio.timeout(60):
            out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        return json.loads(out)

    return run()


@pytest.mark.slow
def test_the_official_inspectors_command_line_works_over_http(box, serve, inspector_cli):
    async def body():
        async with serve(box.tools, auth_required=True, tokens={"s3cret": ["read"]}) as server:
            target = (server.mcp_url, "--transport", "http", "--header", "Authorization: Bearer s3cret")
            listed = await run_inspector(inspector_cli, *target, "--method", "tools/list")
            call = ("--method", "tools/call", "--tool-name", "double", "--tool-arg", "number=21")
            return listed, await run_inspector(inspector_cli, *target, *call)

    listed, called = asyncio.run(body())
    assert [each["name"] for each in listed["tools"]] == ["double", "search", "wait", "fail", "late", "picture"]
    assert called["structuredContent"] == {"result": 42}


@pytest.mark.slow
def test_the_official_inspectors_command_line_works_over_stdio(inspector_cli):
    call = ("--method", "tools/call", "--tool-name", "double", "--tool-arg", "number=21")
    called = asyncio.run(run_inspector(inspector_cli, sys.executable, PROGRAM, os.devnull, *call))
    assert called == {
        "content": [{"type": "text", "text": "42"}],
        "structuredContent": {"result": 42},
        "isError": False,
    }


def test_our_own_client_and_server_understand_each_other(box, serve):
    async def body():
        async with serve(box.tools) as server, McpServers({"box": HttpServer(server.mcp_url)}) as servers:
            tools = {each.remote_name: each for each in await servers.tools()}
            doubled = await tools["double"]({"number": 21})
            assert tools["double"].output_schema == box.double.output_schema
            assert doubled.structured == (await box.double({"number": 21})).structured == 42
            return await tools["search"]({"topic": "x", "order": "down"}), await tools["picture"]({})

    searched, picture = asyncio.run(body())
    assert searched.structured == {"topic": "x", "limit": 10}
    assert [each.type for each in picture.content] == ["text", "image"]


def test_an_answer_may_be_large_and_one_that_is_too_large_is_told_as_that(serve):
    asked = []

    @tool
    async def letters(count: int) -> str:
        """Return so many letters."""
        asked.append(count)
        return "x" * count

    async def body():
        async with serve([letters]) as server:
            places = {"wide": HttpServer(server.mcp_url), "narrow": HttpServer(server.mcp_url, max_bytes=1000)}
            async with McpServers(places) as servers:
                tools = {each.name: each for each in await servers.tools()}
                tools["narrow__letters"].definition.annotations["readOnlyHint"] = True
                return [
                    await tools[f"{place}__letters"]({"count": count})
                    for place, count in (("wide", 3_000_000), ("narrow", 2000), ("narrow", 10))
                ]

    large, too_large, after = asyncio.run(body())
    assert len(large.text) == 3_000_000
    assert too_large.text == (
        "MCP server 'narrow' answered narrow__letters with more than 1,000 bytes; "
        "ask for less, or pass HttpServer(max_bytes=…)"
    )
    assert after.text == "x" * 10
    assert asked == [3_000_000, 2000, 10]


def test_the_tools_of_a_connected_server_can_be_offered_on(box, serve, official):
    async def body():
        async with serve(box.tools) as inner, McpServers({"box": HttpServer(inner.mcp_url)}) as servers:
            async with serve([servers], name="outer") as outer, official(outer) as client:
                names = [each.name for each in (await client.list_tools()).tools]
                return names, (await client.call_tool("box__double", {"number": 2})).structured_content

    names, doubled = asyncio.run(body())
    assert "box__double" in names
    assert doubled == {"result": 4}
