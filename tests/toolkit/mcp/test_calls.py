import asyncio

import pytest

from instrument.testing import capture
from toolkit import ToolContext
from toolkit.context import Progress
from toolkit.errors import ServerFailed, ToolTimedOut
from toolkit.mcp import HttpServer, McpServers


def run(servers, body, **options):
    async def inside():
        async with McpServers(servers, **options) as connected:
            return await body(connected)

    return asyncio.run(inside())


async def by_name(servers):
    return {each.remote_name: each for each in await servers.tools()}


def test_a_tool_that_fails_is_a_result_that_the_model_reads(desk):
    async def body(servers):
        tools = await by_name(servers)
        return await tools["fail"]({}), await tools["weather"]({"town": "Porto"})

    failed, mistaken = run({"desk": desk()}, body)

    assert failed.is_error and "no such hotel" in failed.text
    assert mistaken.is_error and mistaken.text.startswith("invalid arguments for desk__weather: ")


def test_a_tool_that_is_gone_is_a_result_too(desk):
    async def body(servers):
        tool = (await by_name(servers))["weather"]
        tool.remote_name = "gone"
        return await tool({"city": "Porto"})

    result = run({"desk": desk()}, body)
    assert result.is_error and "gone" in result.text


def test_progress_reaches_the_output_and_the_hooks_of_the_call(desk):
    heard = []

    async def hear(value):
        heard.append(value)

    async def body(servers):
        return await (await by_name(servers))["steps"]({}, ToolContext(output=hear))

    with capture() as emitted:
        assert run({"desk": desk()}, body).text == "there"

    assert heard == [Progress(float(each), 3.0, f"step {each}") for each in (1, 2, 3)]
    call_id = next(kwargs["call_id"] for name, kwargs in emitted if name == "before_tool_call")
    told = [kwargs for name, kwargs in emitted if name == "progress_update"]
    assert [(each["message"], each["call_id"]) for each in told] == [(f"step {n}", call_id) for n in (1, 2, 3)]


def test_a_call_that_takes_too_long_is_ended_at_the_server_too(desk, ledger):
    async def body(servers):
        result = await (await by_name(servers))["wait"]({})
        await ledger.has("stopped waiting")
        return result

    result = run({"desk": desk()}, body, timeout_s=1.0)
    assert result.text == "desk__wait took longer than 1 s"
    assert isinstance(result.exception, ToolTimedOut)


def test_a_cancelled_call_is_ended_at_the_server_and_the_connection_goes_on(desk, ledger):
    async def body(servers):
        tools = await by_name(servers)
        call = asyncio.create_task(tools["wait"]({}))
        await ledger.has("waiting")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await ledger.has("stopped waiting")
        return await tools["weather"]({"city": "Porto"})

    with capture() as emitted:
        assert not run({"desk": desk()}, body).is_error

    ended = [(name, type(kwargs["exc"]).__name__) for name, kwargs in emitted if name.startswith("error_")]
    assert ended == [("error_rpc_request", "CancelledError"), ("error_tool_call", "CancelledError")]


def test_after_the_server_died_the_next_call_finds_a_new_one(desk, ledger):
    async def body(servers):
        tools = await by_name(servers)
        died = await tools["die"]({})
        return died, await tools["weather"]({"city": "Porto"})

    died, result = run({"desk": desk()}, body)

    assert died.is_error
    assert died.text == "the connection to MCP server 'desk' was lost; whether desk__die was done is not known"
    assert not result.is_error
    assert ledger.lines() == ["died", "weather Porto"]
    assert len(ledger.pids()) == 2


def test_a_call_that_the_server_calls_idempotent_is_sent_again(desk, ledger):
    async def body(servers):
        return await (await by_name(servers))["die_once"]({})

    assert run({"desk": desk()}, body).text == "alive"
    assert ledger.lines() == ["died once", "died once"]


def test_calls_at_the_same_time_share_the_new_connection(desk, ledger):
    async def body(servers):
        tools = await by_name(servers)
        await tools["die"]({})
        return await asyncio.gather(*(tools["weather"]({"city": str(each)}) for each in range(5)))

    results = run({"desk": desk()}, body)
    assert [each.is_error for each in results] == [False] * 5
    assert len(ledger.pids()) == 2


def test_a_server_that_listens_is_found_again_after_it_was_restarted(listening_desk, ledger, port):
    async def body():
        with listening_desk(port) as url:
            servers = McpServers({"web": url})
            await servers.__aenter__()
            tool = (await by_name(servers))["weather"]
            await tool({"city": "before"})
        away = await tool({"city": "away"})
        with listening_desk(port):
            back = await tool({"city": "after"})
            await servers.close()
        return away, back

    away, back = asyncio.run(body())

    assert away.text == "the connection to MCP server 'web' was lost; whether web__weather was done is not known"
    assert (back.is_error, back.structured) == (False, {"city": "after", "saturday": "sunny"})
    assert ledger.lines() == ["weather before", "weather after"]


def test_a_call_is_done_once_where_the_server_was_restarted_in_between(listening_desk, ledger, port):
    async def body():
        with listening_desk(port) as url:
            servers = McpServers({"web": HttpServer(url)})
            await servers.__aenter__()
            tool = (await by_name(servers))["weather"]
        with listening_desk(port):
            result = await tool({"city": "Porto"})
            await servers.close()
        return result

    assert asyncio.run(body()).is_error is False
    assert ledger.lines() == ["weather Porto"]


def test_a_call_under_way_when_a_listening_server_dies_is_not_sent_again(listening_desk, ledger, port):
    async def body():
        with listening_desk(port) as url:
            servers = McpServers({"web": HttpServer(url)})
            await servers.__aenter__()
            result = await (await by_name(servers))["die"]({})
            await servers.close()
        return result

    result = asyncio.run(body())
    assert result.text == "the connection to MCP server 'web' was lost; whether web__die was done is not known"
    assert ledger.lines() == ["died"]


def test_a_resource_is_read_and_a_prompt_filled_in(desk):
    async def body(servers):
        desk = servers["desk"]
        return (
            await desk.read("guide://lisbon"),
            await desk.prompt("brief", {"city": "Lisbon"}),
        )

    with capture() as emitted:
        [content], [message] = run({"desk": desk()}, body)

    assert (content.text, content.mime_type) == ("# Lisbon", "text/markdown")
    assert message == {"role": "user", "content": "Plan 2 nights in Lisbon."}
    told = dict(emitted)
    assert told["after_resource_fetch"] | {"call_id": ""} == {
        "uri": "guide://lisbon",
        "content": "# Lisbon",
        "mime_type": "text/markdown",
        "context": {"server_name": "desk"},
        "call_id": "",
        "emitter": "toolkit",
    }
    assert told["after_prompt_apply"]["template_id"] == "brief"
    assert told["after_prompt_apply"]["rendered"][0]["content"]["text"] == "Plan 2 nights in Lisbon."


def test_a_prompt_that_is_not_there_is_an_error_with_the_servers_words(desk):
    async def body(servers):
        with pytest.raises(ServerFailed, match="MCP server 'desk' refused the prompt nothing: Unknown prompt: nothing"):
            await servers["desk"].prompt("nothing")

    with capture() as emitted:
        run({"desk": desk()}, body)
    assert [name for name, _ in emitted][-3:] == ["before_rpc_request", "after_rpc_response", "error_prompt_apply"]
    assert emitted[-2][1]["envelope"]["error"]["message"] == "Unknown prompt: nothing"


@pytest.mark.parametrize(("answer", "said"), [(True, "accept True"), (False, "decline")])
def test_a_question_that_a_yes_answers_goes_to_the_approver(desk, answer, said):
    asked = []

    async def approve(request):
        asked.append((request.tool_name, request.question))
        return answer

    async def body(servers):
        tools = await by_name(servers)
        return (await tools["confirm"]({})).text, (await tools["age"]({})).text

    assert run({"desk": desk()}, body, approver=approve) == (said, "decline")
    assert asked == [("desk", "book it?")]


def test_questions_of_a_server_are_recorded_as_requests_that_come_in(desk):
    async def approve(request):
        return True

    async def body(servers):
        tools = await by_name(servers)
        return [(await tools[name]({})).text for name in ("age", "confirm")]

    with capture() as emitted:
        answers = run({"desk": desk()}, body, approver=approve)

    assert answers == ["decline", "accept True"]
    asked = [
        (name, kwargs["envelope"].get("method"), "error" in kwargs["envelope"])
        for name, kwargs in emitted
        if kwargs.get("direction") == "inbound"
    ]
    assert asked == [("before_rpc_request", "elicitation/create", False), ("after_rpc_response", None, False)] * 2


def test_each_request_is_told_of_once_and_inside_its_call(desk):
    async def body(servers):
        await (await by_name(servers))["weather"]({"city": "Porto"})

    with capture() as emitted:
        run({"desk": desk()}, body)

    told = [
        (name, kwargs["envelope"].get("method"), kwargs["transport"], kwargs["direction"])
        if "rpc" in name
        else (name, kwargs["tool_name"], kwargs["context"].server_name, kwargs["context"].tool_source)
        for name, kwargs in emitted
    ]
    assert told == [
        ("before_rpc_request", "initialize", "stdio", "outbound"),
        ("after_rpc_response", None, "stdio", "outbound"),
        ("before_rpc_request", "tools/list", "stdio", "outbound"),
        ("after_rpc_response", None, "stdio", "outbound"),
        ("before_tool_call", "desk__weather", "desk", "mcp"),
        ("before_rpc_request", "tools/call", "stdio", "outbound"),
        ("after_rpc_response", None, "stdio", "outbound"),
        ("after_tool_call", "desk__weather", "desk", "mcp"),
    ]
    sent, answered = emitted[5][1], emitted[6][1]
    assert sent["call_id"] == answered["call_id"]
    assert sent["envelope"]["params"] == {"name": "weather", "arguments": {"city": "Porto"}}
    assert sent["envelope"]["id"] == answered["envelope"]["id"]
    assert answered["envelope"]["result"]["structuredContent"] == {"city": "Porto", "saturday": "sunny"}
