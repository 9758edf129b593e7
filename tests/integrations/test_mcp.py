import asyncio
import json
from collections import Counter
from contextlib import ExitStack
from functools import cache

import pytest
from forking import forking
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import ToolManager

from inspector.integrations.mcp.server import run_tool

CURRENT, EARLIER, OLDEST = "current", "earlier", "mcp-oldest"
GENERATIONS = (CURRENT, EARLIER)
of_each_generation = pytest.mark.parametrize("sdk", [CURRENT, pytest.param(EARLIER, marks=pytest.mark.slow)])
OUTCOMES = {"ok": "ok", "error result": "error", "cancelled": "cancelled"}
SERVED_OUTCOMES = {"add": "ok", "steps": "ok", "ask": "ok", "confirm": "ok", "boom": "error", "slow": "cancelled"}


PAIRS = {
    (CURRENT, CURRENT): ("memory", "stdio", "http", "sse"),
    (EARLIER, EARLIER): ("memory", "stdio", "http", "sse"),
    (CURRENT, EARLIER): ("stdio", "http"),
    (EARLIER, CURRENT): ("stdio", "http"),
    (OLDEST, OLDEST): ("memory", "stdio"),
}

FORKED = {
    CURRENT: ("mcp.server.mcpserver", "inspector.record", "inspector.recording."),
    EARLIER: ("mcp.server.fastmcp", "inspector.record", "inspector.recording."),
}
"""What servers over stdio have imported already, before they record; those over HTTP record before they import it."""


@pytest.fixture(scope="module")
def stdio_python(framework_python):
    """The interpreter of a generation's servers over stdio, which are started often, and forked where that pays."""
    with ExitStack() as stack:

        @cache
        def find(sdk: str) -> str:
            python = framework_python(sdk)
            if sdk not in FORKED:
                return str(python)
            return stack.enter_context(forking(*FORKED[sdk], python=python)).stand_in

        yield find


@pytest.fixture(scope="module")
def visited(run, framework_python, stdio_python):
    """What was recorded of a client and a server of these generations, over every transport."""

    @cache
    def visit(client: str, server: str):
        more = ("crash", "alone", "memory", "stdio", "header") if client in GENERATIONS and client == server else ()
        pythons = (str(framework_python(server)), stdio_python(server))
        return run("mcp_client.py", *pythons, *PAIRS[client, server], *more, within=client)

    return visit


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("client", "server"), PAIRS)
def test_what_a_client_asked_and_a_server_did_is_one_tree_whatever_the_transport_and_the_sdk(visited, client, server):
    recorded, ways = visited(client, server), PAIRS[client, server]

    assert [event.name for event in roots(recorded)][: len(ways)] == [f"invoke_workflow visit {way}" for way in ways]
    for way in ways:
        visit = recorded.named(f"invoke_workflow visit {way}")
        calls = [entry for entry in asked(recorded, way) if entry["kind"] in ("rpc", "tool", "resource", "prompt")]
        initialize, *children = below(recorded, visit)
        assert {child.trace_id for child in children} == {visit.trace_id}
        assert shape(recorded, initialize) == ("initialize", "ok", [("initialize", "ok", [])])
        assert [shape(recorded, child) for child in children] == [expected_shape(entry) for entry in calls]
        for entry, event in zip(calls, children, strict=True):
            compare(entry, event, attributes(event), way)
    compare_served(recorded, ways)
    assert all(line == "stray output of a tool" for line in recorded.stderr.splitlines())


def asked(recorded, *ways):
    return [entry for entry in recorded.ledger["asked"] if entry["by"] in ways]


def compare(entry, event, facts, way):
    assert event.status == OUTCOMES.get(entry["outcome"], "error")
    assert facts["mcp.rpc.transport"] == way
    assert facts["mcp.rpc.direction"] == "outbound"
    assert json.loads(facts["mcp.rpc.request_json"])["jsonrpc"] == "2.0"
    if entry["outcome"].startswith("error "):
        word = entry["outcome"].removeprefix("error ")
        assert word == "result" or facts["mcp.error.code"] == int(word)
    if entry["kind"] == "tool":
        assert facts["inspector.tool.server"] == "desk"
        assert facts["gen_ai.tool.type"] == "extension"
        assert json.loads(facts["gen_ai.tool.call.arguments"]) == entry["arguments"]
        if "text" in entry:
            assert json.loads(facts["gen_ai.tool.call.result"])["content"][0]["text"] == entry["text"]
        assert heard(event) == entry["heard"]
    elif entry["outcome"] == "ok" and entry["kind"] in ("resource", "prompt"):
        content = facts.get("inspector.resource.content_json") or facts["inspector.prompt.rendered_json"]
        assert entry["text"] in content


def compare_served(recorded, ways):
    """The runs of the tools, told apart from the clients' calls by where the tool is from."""
    visits = {recorded.named(f"invoke_workflow visit {way}").trace_id for way in ways}
    runs = [
        (facts["gen_ai.tool.name"], facts["gen_ai.tool.call.arguments"], event.status)
        for event in recorded.of("tool")
        if (facts := attributes(event))["inspector.tool.source"] == "function" and event.trace_id in visits
    ]
    unknown = ("nothere", '{"x":1}', "error")
    served = [
        (entry["tool"], json.dumps(entry["args"], separators=(",", ":")), entry["outcome"])
        for entry in recorded.ledger["served"]
    ]
    assert Counter(runs) == Counter([*served, *[unknown] * len(ways)])


def attributes(event) -> dict:
    return json.loads(bytes(event.attributes or b"{}"))


def heard(event) -> list:
    found = [each for each in event_list(event) if each["name"] == "progress_update"]
    return [[each["attributes"].get(key) for key in ("progress", "total", "message")] for each in found]


def event_list(event) -> list:
    return json.loads(bytes(event.events or b"[]"))


def roots(recorded) -> list:
    return [event for event in recorded.events if recorded.parent(event) is None]


def below(recorded, event) -> list:
    return [each for each in recorded.events if each.parent_id == event.span_id]


def shape(recorded, event):
    return event.name, event.status, sorted(shape(recorded, each) for each in below(recorded, event))


def expected_shape(entry):
    """What a request leaves: the client's call, below it what came in at the server, below that what the server did."""
    status = OUTCOMES.get(entry["outcome"], "error")
    if entry["kind"] == "rpc":
        return entry["name"], status, [(entry["name"], status, [])]
    if entry["kind"] == "resource":
        return "resources/read", status, [("resources/read", status, [])]
    name = entry["name"]
    if entry["kind"] == "prompt":
        return f"prompts/get {name}", status, [(f"prompts/get {name}", status, [])]
    served = SERVED_OUTCOMES.get(name, "error")
    back = {
        "ask": [("sampling/createMessage", "ok", [("sampling/createMessage", "ok", [("chat tiny", "ok", [])])])],
        "confirm": [("elicitation/create", "ok", [("elicitation/create", "ok", [])])],
    }
    ran = (f"execute_tool {name}", served, back.get(name, []))
    return f"execute_tool {name}", status, [(f"tools/call {name}", served, [ran])]


@of_each_generation
def test_a_server_that_dies_in_the_middle_of_a_call_leaves_an_error(visited, sdk):
    called, ran = sorted(
        (event for event in visited(sdk, sdk).events if event.name == "execute_tool die"),
        key=lambda event: event.start_time_unix_nano,
    )
    facts = attributes(called)
    assert called.status == "error"
    assert facts["mcp.error.code"] == -32000
    assert facts["mcp.error.message"] == "Connection closed"
    # It left by os._exit, before which what it has begun is written.
    assert ran.status == "lost"


@of_each_generation
def test_the_server_s_own_span_has_what_the_tool_raised_also_where_the_client_gets_no_text(visited, sdk):
    recorded = visited(sdk, sdk)
    ran = [facts for event in recorded.of("tool") if (facts := attributes(event)).get("gen_ai.tool.name") == "boom"]
    failed = [facts for facts in ran if facts["inspector.tool.source"] == "function"]
    assert len(failed) >= len(PAIRS[sdk, sdk])
    for facts in failed:
        assert facts["mcp.error.message"].endswith("the boiler broke")


@of_each_generation
def test_the_program_sees_the_same_with_and_without_the_inspector(visited, sdk):
    recorded = visited(sdk, sdk)
    alone = [entry for entry in recorded.ledger["alone"] if entry["by"] != "header"]
    assert alone == asked(recorded, "memory", "stdio")


@of_each_generation
def test_without_a_context_in_the_message_the_http_headers_name_the_caller(visited, sdk):
    recorded = visited(sdk, sdk)
    below_caller = [event for event in recorded.events if event.trace_id == "a" * 32]
    inbound = [event for event in below_caller if attributes(event).get("mcp.rpc.direction") == "inbound"]
    assert len(inbound) == 14
    # The request that brought it stands in between, where it is a run's own part.
    requests = {event.span_id: event.parent_id for event in below_caller if event.hook == "request"}
    assert {requests.get(event.parent_id, event.parent_id) for event in inbound} == {"b" * 16}


@pytest.fixture(scope="module")
def cases(run):
    return lambda sdk: run("mcp_cases.py", within=sdk).parts


def tool_calls(recorded) -> list:
    """The calls of the clients, below the workflow that the case is."""
    return [event for event in below(recorded, recorded.events[0]) if event.kind == "tool"]


@of_each_generation
def test_fifty_calls_at_once_are_each_told_once_with_their_own_arguments(cases, sdk):
    recorded = cases(sdk)["parallel"]
    clients = tool_calls(recorded)
    results = {
        json.loads(facts["gen_ai.tool.call.arguments"])["a"]: json.loads(facts["gen_ai.tool.call.result"])["content"][0]
        for facts in map(attributes, clients)
    }
    assert [[n, results[n]["text"]] for n in range(50)] == recorded.ledger[0]
    assert len(clients) == 50
    for event in clients:
        ((inbound, (run_of_tool,)),) = [(each, below(recorded, each)) for each in below(recorded, event)]
        arguments = attributes(event)["gen_ai.tool.call.arguments"]
        assert attributes(run_of_tool)["gen_ai.tool.call.arguments"] == arguments
        assert json.loads(attributes(inbound)["mcp.rpc.request_json"])["params"]["arguments"] == json.loads(arguments)


@of_each_generation
def test_a_call_that_a_framework_has_told_of_is_not_told_again(cases, sdk):
    recorded = cases(sdk)["told"]
    served = ("tools/call add", "ok", [("execute_tool add", "ok", [])])
    assert [shape(recorded, event) for event in tool_calls(recorded)] == [
        ("execute_tool adder__add", "ok", [served]),
        # A tool whose name only ends alike is another one.
        ("execute_tool readd", "ok", [("execute_tool add", "ok", [served])]),
    ]
    assert attributes(recorded.named("execute_tool adder__add"))["mcp.rpc.method"] == "tools/call"


@of_each_generation
def test_a_server_that_passes_a_call_on_under_the_same_name_makes_a_call_of_its_own(cases, sdk):
    recorded = cases(sdk)["proxy"]
    (called,) = tool_calls(recorded)
    far = ("execute_tool add", "ok", [("tools/call add", "ok", [("execute_tool add", "ok", [])])])
    near = ("tools/call add", "ok", [("execute_tool add", "ok", [far])])
    assert shape(recorded, called) == ("execute_tool add", "ok", [near])
    line = [event for event in recorded.of("tool") if event.trace_id == called.trace_id]
    assert [attributes(event)["inspector.tool.server"] for event in line] == ["near", "near", "far", "far"]


@of_each_generation
def test_a_call_that_the_program_calls_off_by_notification_is_cancelled_on_both_sides(cases, sdk):
    recorded = cases(sdk)["called_off"]
    assert recorded.ledger[0] == ("cancelled" if sdk == CURRENT else "Request cancelled")
    (called,) = tool_calls(recorded)
    ran = ("execute_tool forever", "cancelled", [])
    assert shape(recorded, called) == (
        "execute_tool forever",
        "cancelled",
        [("tools/call forever", "cancelled", [ran])],
    )
    (told,) = (each for each in event_list(called) if each["name"] == "operation_cancelled")
    assert told["attributes"]["reason"] == "changed my mind"


@of_each_generation
def test_a_notification_is_recorded_once_where_it_is_received_with_what_it_says(cases, sdk):
    recorded = cases(sdk)["changes"]
    heard = [event for event in recorded.of("rpc") if event.name.startswith("notifications/")]
    assert [(event.name, event.status) for event in heard] == [
        ("notifications/tools/list_changed", "ok"),
        ("notifications/resources/updated", "ok"),
        ("notifications/roots/list_changed", "ok"),
    ]
    facts = attributes(heard[1])
    assert json.loads(facts["mcp.rpc.request_json"])["params"]["uri"] == "guide://lisbon"
    assert facts["mcp.resource.uri"] == "guide://lisbon"
    assert {attributes(event)["mcp.rpc.direction"] for event in heard} == {"inbound"}


@of_each_generation
def test_what_a_server_announces_while_nothing_is_asked_is_below_the_connection_s_first_request(cases, sdk):
    recorded = cases(sdk)["idle"]
    heard = [event for event in recorded.of("rpc") if event.name == "notifications/tools/list_changed"]
    (initialize,) = [event for event in roots(recorded) if event.name == "initialize"]
    assert [(event.trace_id, event.parent_id) for event in heard] == [(initialize.trace_id, initialize.span_id)] * 3


@pytest.mark.slow
@pytest.mark.parametrize(("sdk", "client"), [(CURRENT, ()), (EARLIER, ()), (CURRENT, ("toolkit",))])
def test_a_call_has_what_its_server_logged_and_what_it_wrote_beside_the_protocol(run, sdk, client):
    called = run("mcp_untidy.py", *client, within=sdk).named("execute_tool cook")
    assert called.status == "ok"
    assert [each["attributes"] for each in event_list(called) if each["name"] == "log"] == [
        {"log.level": "warning", "log.logger": "stove", "log.message": '{"gas": 0}'},
        {
            "log.level": "error",
            "log.logger": "mcp",
            "log.message": "the server wrote what is no message of MCP: debug: here",
        },
    ]


@pytest.fixture(scope="module")
def unreachable(run):
    return cache(lambda sdk: run("mcp_unreachable.py", within=sdk))


@of_each_generation
def test_a_server_that_cannot_be_started_or_speaks_another_revision_is_a_failed_beginning(unreachable, sdk):
    recorded = unreachable(sdk)
    old, missing = (below(recorded, recorded.named(f"invoke_workflow {name}")) for name in ("old", "missing"))
    for (begun,), why in ((old, "Unsupported protocol version"), (missing, "no-such-kitchen")):
        assert (begun.name, begun.status) == ("initialize", "error")
        assert why in attributes(begun)["mcp.error.message"]
    assert attributes(missing[0])["error.type"] == "FileNotFoundError"
    assert attributes(missing[0])["inspector.rpc.server_command"] == ["no-such-kitchen", "serve"]


def test_a_client_that_may_not_ask_a_server_for_its_revision_has_failed(unreachable):
    recorded = unreachable(CURRENT)
    for path, status in (("locked", "401"), ("broken", "500")):
        asked, *_ = below(recorded, recorded.named(f"invoke_workflow discover {path}"))
        assert (asked.name, asked.status) == ("server/discover", "error")
        assert any(status in each["attributes"].get("log.message", "") for each in event_list(asked))


@of_each_generation
def test_a_request_to_a_server_that_cannot_be_reached_has_failed_with_the_reason(unreachable, sdk):
    recorded = unreachable(sdk)
    nobody, locked, gone = (
        below(recorded, recorded.named(f"invoke_workflow {name}"))[-1] for name in ("nobody", "locked", "gone")
    )
    assert [(each.name, each.status) for each in (nobody, locked, gone)] == [
        ("initialize", "error"),
        ("initialize", "error"),
        ("execute_tool cook", "error"),
    ]
    assert "ConnectError" in attributes(nobody)["error.type"]
    assert attributes(gone)["error.type"].endswith(("ReadError", "RemoteProtocolError"))
    noted = [each["attributes"]["log.message"] for each in event_list(locked) if each["name"] == "log"]
    why = attributes(locked)["mcp.error.message"] if sdk == EARLIER else noted[0]
    assert "401 Unauthorized" in why
    assert sdk == EARLIER or 'Bearer error="invalid_token"' in why


@of_each_generation
def test_a_request_is_handled_in_the_session_that_its_baggage_names_and_the_next_one_is_not(cases, sdk):
    recorded = cases(sdk)["session"]
    for called, session in zip(tool_calls(recorded), ("trip-42", None), strict=True):
        (inbound,) = below(recorded, called)
        (ran,) = below(recorded, inbound)
        # As each process recorded it: the store gives all spans of a trace its session.
        told = [attributes(each).get("session.id") for each in (called, inbound, ran)]
        assert told == [None, session, session]


@pytest.mark.slow
def test_a_server_made_with_fastmcp_has_the_runs_of_its_tools_with_what_they_raised(run):
    recorded = run("mcp_fastmcp.py", within="agno")
    assert "stove" not in recorded.ledger
    cooked, failed, planned, served_changed = [event for event in roots(recorded) if event.kind == "tool"]
    for called, status in ((cooked, "ok"), (failed, "error")):
        served = ("tools/call cook", status, [("execute_tool cook", status, [])])
        assert shape(recorded, called)[:2] == ("execute_tool cook", status)
        assert served in shape(recorded, called)[2]
    ((ran,),) = [below(recorded, each) for each in below(recorded, failed)]
    facts = attributes(ran)
    assert facts["gen_ai.tool.call.arguments"] == '{"dish":"stone"}'
    assert facts["inspector.tool.server"] == "kitchen"
    assert facts["mcp.error.message"] == "the stove broke"
    run_by_an_agent = ("execute_tool plan", "ok", [("execute_tool cook", "ok", [])])
    assert ("tools/call plan", "ok", [run_by_an_agent]) in shape(recorded, planned)[2]
    # A tool that changes another one is one run, of the tool that was called.
    assert ("tools/call serve", "ok", [("execute_tool serve", "ok", [])]) in shape(recorded, served_changed)[2]


@pytest.mark.slow
def test_a_call_that_takes_several_rounds_of_input_is_one_tool_call(run):
    recorded = run("mcp_rounds.py", within=CURRENT)
    assert [event.name for event in roots(recorded)] == ["invoke_workflow visit memory", "invoke_workflow visit http"]
    for way in ("memory", "http"):
        compare_rounds(recorded, way, [entry for entry in recorded.ledger if entry["by"] == way])


def compare_rounds(recorded, way, entries):
    progress, booked, bill = entries
    visit = recorded.named(f"invoke_workflow visit {way}")
    served = ("tools/call book", "ok", [("execute_tool book", "ok", [])])
    # The SDK lists the tools when it first has a result to check.
    listed = ("tools/list", "ok", [("tools/list", "ok", [])])
    assert [shape(recorded, event) for event in below(recorded, visit)] == [
        ("server/discover", "ok", [("server/discover", "ok", [])]),
        ("execute_tool book", "ok", [served, served, listed]),
        ("resources/read", "ok", [("resources/read", "ok", [])]),
    ]
    _, tool, resource = below(recorded, visit)
    assert heard(tool) == [progress["progress"]]
    assert json.loads(attributes(tool)["gen_ai.tool.call.result"])["content"][0]["text"] == booked["text"]
    assert json.loads(attributes(resource)["inspector.resource.content_json"]) == bill["text"]
    assert {
        attributes(event)["mcp.rpc.transport"] for event in recorded.of("rpc") if event.trace_id == visit.trace_id
    } == {way}


@pytest.mark.slow
def test_an_application_with_spans_of_its_own_keeps_them_as_they_are_and_the_record_is_one_tree(run):
    recorded = run("mcp_rounds.py", "provider", within="fast-agent")
    for way in ("memory", "http"):
        compare_rounds(recorded, way, [entry for entry in recorded.ledger["asked"] if entry["by"] == way])
    traces = {span["trace"] for span in recorded.ledger["exported"]}
    assert traces == {event.trace_id for event in roots(recorded)}
    by_http = recorded.named("invoke_workflow visit http").trace_id
    exported = [span for span in recorded.ledger["exported"] if span["trace"] == by_http]
    sent = {span["id"]: span["name"] for span in exported if span["name"].startswith("MCP send ")}
    handled = [span for span in exported if span["id"] not in sent]
    assert len(sent) == len(handled) == 5
    assert [f"MCP send {span['name']}" for span in handled] == [sent[span["parent"]] for span in handled]


def test_a_call_of_a_tool_that_the_server_does_not_have_is_nothing_to_warn_about(caplog):
    async def refuse(tools, name, arguments, context=None):
        raise ToolError(f"Unknown tool: {name}")

    with pytest.raises(ToolError):
        asyncio.run(run_tool(refuse)(ToolManager(), "nothere", {}))
    assert caplog.messages == []
