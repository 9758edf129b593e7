import asyncio

from instrument import control
from instrument.control import Answer, Proceed
from instrument.testing import capture
from toolkit.errors import ServerFailed, ToolkitError
from toolkit.mcp import McpServers


def decided(desk, decide):
    async def call():
        async with McpServers({"desk": desk}, namespaced=False) as servers:
            tool = next(each for each in await servers.tools() if each.name == "weather")
            return await tool({"city": "Porto"})

    with control.install(decide, name="gate"), capture() as emitted:
        result = asyncio.run(call())
    return result, emitted


def on_call(decision):
    return lambda call: decision(call) if call.name == "tools/call" else None


def test_a_request_to_a_server_is_sent_with_other_params_or_answered(desk, ledger):
    def to_lisbon(call):
        return Proceed({**call.args, "arguments": {"city": "Lisbon"}})

    sent, _ = decided(desk(), on_call(to_lisbon))
    assert "Lisbon" in sent.text
    done = ledger.lines()
    said = {"city": "Porto", "weather": "hail"}
    response = {"result": {"content": [{"type": "text", "text": "hail"}], "structuredContent": said}}
    answered, emitted = decided(desk(), on_call(lambda _: Answer(response)))
    assert (answered.text, ledger.lines()) == ("hail", done)
    told = [keywords["controlled"]["did"] for name, keywords in emitted if name == "after_rpc_response"]
    assert told.count("answered") == 1


def test_an_error_is_answered_as_if_the_server_had_refused(desk):
    result, _ = decided(desk(), on_call(lambda _: Answer({"error": {"code": -32602, "message": "closed"}})))
    assert isinstance(result.exception, ServerFailed)
    assert "closed" in result.text


def test_an_answer_that_is_no_response_is_named(desk):
    result, _ = decided(desk(), on_call(lambda _: Answer(7)))
    assert isinstance(result.exception, ToolkitError)
    assert "the controller answered tools/call with int; pass a dict with its 'result' or its 'error'" in result.text


def test_a_controller_is_asked_about_each_request_with_the_command_of_the_server(desk):
    asked = []
    decided(desk(), lambda call: asked.append((call.noun, call.name, call.subject)))
    of_server = [each for each in asked if each[0] == "rpc_request"]
    assert [name for _, name, _ in of_server] == ["initialize", "tools/list", "tools/call"]
    assert all(isinstance(subject, list) for _, _, subject in of_server)
