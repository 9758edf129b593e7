import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit import ToolContext, ToolkitError
from toolkit.errors import DefinitionInvalid, ServerFailed, ToolRefused
from toolkit.mcp import HttpServer, McpServers, McpTool, StdioServer


def run(servers, body, **options):
    async def inside():
        async with McpServers(servers, **options) as connected:
            return await body(connected)

    return asyncio.run(inside())


async def by_name(servers):
    return {each.name: each for each in await servers.tools()}


def test_the_tools_of_all_servers_are_there_under_their_servers_names(desk, desk_anew):
    async def body(servers):
        tools = await by_name(servers)
        found = tools["home__weather"]
        result = await tools["away__weather"]({"city": "Porto", "day": "sunday"})
        return list(tools), found, result

    names, tool, result = run({"home": desk(), "away": desk_anew()}, body)

    assert names[0] == "home__weather"
    assert [each.removeprefix("home__") for each in names if each.startswith("home__")] == [
        each.removeprefix("away__") for each in names if each.startswith("away__")
    ]
    assert isinstance(tool, McpTool)
    assert (tool.source, tool.server_name, tool.remote_name) == ("mcp", "home", "weather")
    assert tool.description == "Tell the weather in a city."
    assert tool.input_schema["required"] == ["city"]
    assert tool.output_schema is not None
    assert (result.is_error, result.structured) == (False, {"city": "Porto", "sunday": "sunny"})


def test_a_filter_leaves_the_tools_that_are_wanted(desk):
    async def body(servers):
        return [each.name for each in await servers.tools()]

    names = run({"desk": desk(), "other": desk()}, body, tools={"desk": ["steps", "weather"], "other": ["fail"]})

    assert names == ["desk__weather", "desk__steps", "other__fail"]


def test_a_filter_that_wants_what_is_not_there_says_what_is(desk):
    with pytest.raises(
        DefinitionInvalid,
        match="'desk' has no tool 'wether'; did you mean 'weather'.; it has weather, variables, steps",
    ):
        run({"desk": desk()}, by_name, tools={"desk": ["weather", "wether"]})


def test_a_filter_that_wants_what_is_not_there_is_noticed_when_the_servers_are_started(desk):
    async def enter():
        async with McpServers({"desk": desk()}, tools={"desk": ["wether"]}):
            raise AssertionError

    with pytest.raises(DefinitionInvalid, match="'desk' has no tool 'wether'"):
        asyncio.run(enter())


def test_servers_that_are_none_say_what_was_expected():
    with pytest.raises(DefinitionInvalid, match=r"by name, as in {'time': StdioServer\(…\)}, not list"):
        McpServers(["uvx"])
    with pytest.raises(DefinitionInvalid, match=r"'uvx desk' is no http address; .* is StdioServer\('uvx', "):
        McpServers({"desk": "uvx desk"})
    for command in ("", " "):
        with pytest.raises(DefinitionInvalid, match="is no program; name the one that is the server"):
            StdioServer(command)


@pytest.mark.parametrize(
    ("place", "why"),
    [
        (StdioServer("no-such-program"), "there is no such program; is it installed, and on the PATH?"),
        (StdioServer("env python desk.py"), "there is no such program; write it as StdioServer('env', ['python', 'd"),
        (StdioServer("env", cwd="/gone"), "/gone does not exist"),
    ],
)
def test_a_server_that_cannot_be_started_says_what_is_not_there(place, why):
    async def enter():
        async with McpServers({"desk": place}):
            raise AssertionError

    with pytest.raises(ServerFailed) as raised:
        asyncio.run(enter())
    assert why in str(raised.value)


def test_a_filter_of_an_unknown_server_is_refused_before_anything_is_started():
    with pytest.raises(DefinitionInvalid, match="the unknown MCP server 'dask'; known: desk"):
        McpServers({"desk": StdioServer("true")}, tools={"dask": ["weather"]})


def test_names_without_their_servers_are_refused_where_two_servers_have_one(desk):
    async def body(servers):
        return [each.name for each in await servers.tools()]

    assert run({"desk": desk()}, body, namespaced=False, tools={"desk": ["steps"]}) == ["steps"]
    with pytest.raises(DefinitionInvalid, match="'desk' and 'other' both have a tool 'weather'; use namespaced=True"):
        run({"desk": desk(), "other": desk()}, body, namespaced=False)


def test_a_server_that_cannot_be_started_is_named_and_the_others_are_ended(desk, ledger, is_alive):
    async def enter():
        async with McpServers({"desk": desk(), "lost": StdioServer("/no/such/program", ["--x"])}):
            raise AssertionError

    with pytest.raises(
        ServerFailed, match=r"cannot start MCP server 'lost' \(/no/such/program\): there is no such program"
    ):
        asyncio.run(enter())
    assert [is_alive(pid) for pid in ledger.pids()] in ([], [False])


def test_a_server_that_ends_at_once_is_named():
    with pytest.raises(ServerFailed, match="'short'.*it ended before it answered; its standard error may say why"):
        run({"short": StdioServer(sys.executable, ["-c", "pass"])}, by_name)


def test_a_server_that_never_answers_is_given_up_and_ended(tmp_path, is_alive):
    pid = tmp_path / "pid"
    # Not Python, which takes seconds to start on a busy machine.
    silent = StdioServer("sh", ["-c", f"echo $$ > '{pid}'; exec sleep 60"], start_timeout_s=1.5)
    with pytest.raises(ServerFailed, match="'silent'.*: no answer in 1.5 s"):
        run({"silent": silent}, by_name)
    assert not is_alive(int(pid.read_text()))


def test_an_address_where_nobody_listens_is_named(port):
    with pytest.raises(ServerFailed, match=f"cannot reach MCP server 'web' at http://127.0.0.1:{port}/mcp: ConnectErr"):
        run({"web": f"http://127.0.0.1:{port}/mcp"}, by_name)


def test_a_server_gets_its_own_variables_and_none_that_may_be_secret(desk, monkeypatch):
    monkeypatch.setenv("OUR_API_KEY", "secret")

    async def body(servers):
        return (await (await by_name(servers))["desk__variables"]({})).structured

    variables = run({"desk": desk(env={"TABLE": "7"})}, body)

    assert variables["TABLE"] == "7"
    assert "OUR_API_KEY" not in variables
    assert "PATH" in variables


def test_what_a_server_says_on_standard_error_goes_where_it_is_wanted(desk, tmp_path, capfd):
    async def body(servers):
        return None

    run({"desk": desk()}, body)
    assert "the desk is open" in (tmp_path / "stderr.txt").read_text()
    assert capfd.readouterr().err == ""

    run({"desk": desk(stderr=None)}, body)
    assert "the desk is open" in capfd.readouterr().err


def test_nothing_of_a_token_is_in_the_words_for_a_server():
    server = HttpServer("http://127.0.0.1:1/mcp", headers={"X-Key": "hidden"}, token="hidden")
    assert "hidden" not in repr(server)
    assert "hidden" not in repr(StdioServer("x", env={"KEY": "hidden"}))


def test_a_server_that_is_not_there_is_an_error_that_names_those_that_are(desk):
    servers = McpServers({"desk": desk()})
    with pytest.raises(KeyError, match="no MCP server 'dask'; known: desk"):
        servers["dask"]
    with pytest.raises(ServerFailed, match="not connected; use 'async with McpServers"):
        asyncio.run(servers.tools())


def test_a_tool_that_the_server_learns_is_there_the_next_time(desk):
    async def body(servers):
        before = await by_name(servers)
        await before["desk__learn"]({})
        after = await by_name(servers)
        return "desk__learned" in before, (await after["desk__learned"]({})).text

    assert run({"desk": desk()}, body) == (False, "new")


def test_tools_are_listed_once_while_nothing_changes(desk):
    async def body(servers):
        return [first is second for first, second in zip(await servers.tools(), await servers.tools(), strict=True)]

    assert set(run({"desk": desk()}, body)) == {True}


def test_connections_may_be_entered_and_left_in_different_tasks_and_in_any_order(desk, ledger, is_alive):
    async def body():
        first, second = McpServers({"desk": desk()}), McpServers({"desk": desk()})
        await asyncio.create_task(first.__aenter__())
        await asyncio.create_task(second.__aenter__())
        await asyncio.create_task(first.__aexit__(None, None, None))
        result = await (await by_name(second))["desk__weather"]({"city": "Porto"})
        async with asyncio.timeout(20):
            await asyncio.create_task(second.__aexit__(None, None, None))
        return result.is_error

    assert asyncio.run(body()) is False
    assert [is_alive(pid) for pid in ledger.pids()] == [False, False]


@pytest.mark.slow
def test_no_process_is_left_when_the_block_is_cancelled(desk_anew, ledger, is_alive):
    async def visit():
        async with McpServers({"desk": desk_anew()}) as servers:
            await (await by_name(servers))["desk__wait"]({})

    async def body():
        visiting = asyncio.create_task(visit())
        await ledger.has("waiting")
        visiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await visiting

    asyncio.run(body())
    assert [is_alive(pid) for pid in ledger.pids()] == [False]
    assert "stopped waiting" in ledger.lines()


def test_no_process_is_left_when_leaving_is_cancelled(desk, ledger, is_alive):
    async def body():
        servers = McpServers({"desk": desk()})
        await servers.__aenter__()
        leaving = asyncio.create_task(servers.close())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        return [is_alive(pid) for pid in ledger.pids()]

    assert asyncio.run(body()) == [False]


def test_a_program_that_only_uses_the_toolkit_never_imports_the_sdk():
    program = (
        "import sys, toolkit, toolkit.mcp, toolkit.agents.requests; toolkit.mcp.McpServers({});"
        " print(sorted({'mcp', 'pydantic', 'httpx2', 'anyio', 'starlette'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=Path.cwd(), check=True)
    assert done.stdout == "[]\n"


def test_a_missing_sdk_is_said_before_anything_is_started(monkeypatch, desk):
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(ToolkitError, match=r"a connection to MCP servers needs mcp: pip install .*\[mcp\]"):
        run({"desk": desk()}, by_name)


def test_a_context_without_output_hears_no_progress_and_nothing_fails(desk):
    async def body(servers):
        return await (await by_name(servers))["desk__steps"]({}, ToolContext())

    assert run({"desk": desk()}, body).text == "there"


@pytest.mark.slow
def test_no_process_is_left_when_connecting_is_cancelled(tmp_path, is_alive):
    pid = tmp_path / "pid"
    program = f"import os, pathlib, time; pathlib.Path({str(pid)!r}).write_text(str(os.getpid())); time.sleep(60)"

    async def body():
        entering = asyncio.create_task(
            McpServers({"silent": StdioServer(sys.executable, ["-c", program])}).__aenter__()
        )
        async with asyncio.timeout(20):
            while await asyncio.to_thread(lambda: not pid.exists() or not pid.read_text()):
                assert not entering.done()
        entering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await entering

    asyncio.run(body())
    assert not is_alive(int(pid.read_text()))


def test_a_server_without_a_handshake_is_spoken_to_without_one():
    async def body(servers):
        tools = await by_name(servers)
        return (await tools["modern__now"]({})).text, await tools["modern__book"]({})

    program = Path(__file__).parent / "programs" / "modern.py"
    noon, question = run({"modern": StdioServer(sys.executable, [str(program)])}, body)
    assert noon == "noon"
    assert isinstance(question.exception, ToolRefused)
    assert question.text == "MCP server 'modern' asks for input before it answers modern__book; nobody can be asked"


def test_a_server_that_answers_with_what_is_no_result_is_named_with_what_is_wrong():
    async def body(servers):
        return await (await by_name(servers))["modern__odd"]({})

    program = Path(__file__).parent / "programs" / "modern.py"
    result = run({"modern": StdioServer(sys.executable, [str(program)])}, body)
    assert isinstance(result.exception, ServerFailed)
    assert result.text.startswith("MCP server 'modern' answered modern__odd with what is no result: ")
    assert result.text.endswith("content: Input should be a valid list")


def test_a_server_that_cannot_be_started_is_named_without_its_secrets():
    place = StdioServer("/no/such/program", ["--api-key", "sk-1", "--port", "80", "--token=sk-2", "--verbose", "key"])
    with pytest.raises(ServerFailed) as caught:
        run({"lost": place}, None)
    assert "(/no/such/program)" in str(caught.value)
    assert "sk-" not in str(caught.value)
