import json
from dataclasses import replace

import msgspec
import pytest

from inspector.model import Event
from inspector.redaction import Redactor
from inspector.tape import NotReplayable, index_of, read_tape, tape_of, write_tape
from inspector.tape.calls import key_of
from inspector.tape.mcp_requests import server_at
from inspector.tape.request_parts import parts_of_body

BODY = {"model": "m-1", "messages": [{"role": "user", "content": "hi"}], "temperature": 0}
EXCHANGE = {"status": 200, "headers": {"content-type": "application/json"}, "text": ["{}"]}


def event(number, kind="llm", *, parent=None, status="ok", hook=None, name="chat m-1", **attributes):
    given = {key: value for key, value in attributes.items() if value is not None}
    held = {key: value if isinstance(value, str | bool) else json.dumps(value) for key, value in given.items()}
    return Event(
        seq=number,
        trace_id="a" * 32,
        span_id=f"{number:016x}",
        parent_id=None if parent is None else f"{parent:016x}",
        session_id=None,
        kind=kind,
        name=name,
        status=status,
        hook=hook,
        dialect=None,
        service=None,
        agent=None,
        model=None,
        tool=None,
        start_time_unix_nano=str(number),
        end_time_unix_nano=None,
        duration_ms=None,
        input_tokens=None,
        output_tokens=None,
        cached_tokens=None,
        cost_usd=None,
        error=None,
        attributes=msgspec.Raw(json.dumps(held).encode()),
    )


def call(number, body=BODY, *, emitter="openai", exchanges=(EXCHANGE,), parent=None, status="ok", **more):
    known = {"inspector.emitter": emitter, "mcp.llm.prompt_json": body, "inspector.raw.exchanges": list(exchanges)}
    return event(number, parent=parent, status=status, hook="llm_generate", **(known | more))


def server_request(number, params=None, *, parent=None, status="ok", kind="rpc", hook="rpc_request", **more):
    known = {
        "inspector.emitter": "mcp",
        "mcp.rpc.method": "tools/call",
        "mcp.rpc.direction": "outbound",
        "mcp.rpc.request_json": {"method": "tools/call", **({} if params is None else {"params": params})},
        "mcp.rpc.response_json": {"result": {}},
        "url.full": "http://a/mcp",
    }
    return event(number, kind, parent=parent, status=status, hook=hook, name="tools/call a", **known | more)


def key(request):
    return key_of("llm_generate", "", (), request.parts)


def refused(*events):
    with pytest.raises(NotReplayable) as raised:
        tape_of("r1", events)
    return str(raised.value)


def test_a_tape_has_each_call_with_the_agents_around_it_and_each_text_once(tmp_path):
    longer = {**BODY, "messages": [*BODY["messages"], {"role": "assistant", "content": "yes"}]}
    outer = event(1, "workflow", hook="workflow_run", name="invoke_workflow trip")
    inner = event(2, "agent", parent=1, hook="agent_call", name="invoke_agent planner")
    tape = tape_of("r1", [outer, inner, call(3, parent=2), call(4, longer)])
    assert [each.path for each in tape.calls] == [("invoke_workflow trip", "invoke_agent planner"), ()]
    assert list(tape.calls[1].parts) == ["parameter model", "message 1", "message 2", "parameter temperature"]
    assert sorted(tape.texts.values()) == [
        '"m-1"',
        "0",
        '{"content":"hi","role":"user"}',
        '{"content":"yes","role":"assistant"}',
    ]
    write_tape(tape, tmp_path / "tape")
    assert read_tape(tmp_path / "tape") == tape


def test_a_request_is_divided_into_what_a_person_calls_its_parts():
    body = {"system": "be brief", "tools": [{"name": "a"}], "contents": [1], "input": "text", "seed": 1}
    labels = ["system text", "tool 1", "message 1", "parameter input", "parameter seed"]
    assert list(parts_of_body(body).parts) == labels
    assert list(parts_of_body("text").parts) == ["request"]


def test_the_order_of_fields_makes_no_other_request_and_a_value_does():
    first, second = {"a": 1, "messages": [{"x": 1, "y": 2}]}, {"messages": [{"y": 2, "x": 1}], "a": 1}
    assert key(parts_of_body(first)) == key(parts_of_body(second))
    assert key(parts_of_body({**first, "a": 1.5})) != key(parts_of_body(first))


def test_results_of_tools_called_at_once_are_one_request_in_any_order_and_others_are_not():
    asked = {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]}
    one, two = ({"role": "tool", "tool_call_id": name, "content": name} for name in "ab")
    parts = parts_of_body({"messages": [asked, one, two]}).parts
    assert parts_of_body({"messages": [asked, two, one]}).parts == parts
    assert parts_of_body({"messages": [one, asked, two]}).parts != parts
    assert parts_of_body({"messages": [asked, one, {**two, "tool_call_id": "c"}]}).parts != parts
    outputs = [{"type": "function_call_output", "call_id": name, "output": name} for name in "ab"]
    assert parts_of_body({"input": outputs}).parts == parts_of_body({"input": outputs[::-1]}).parts


@pytest.mark.parametrize(
    ("messages", "content", "result"),
    [
        ("messages", "content", lambda name: {"type": "tool_result", "tool_use_id": name, "content": name}),
        ("messages", "content", lambda name: {"toolResult": {"toolUseId": name, "content": [{"text": name}]}}),
        ("contents", "parts", lambda name: {"functionResponse": {"id": name, "name": "f", "response": {"r": name}}}),
    ],
)
def test_results_in_one_message_are_one_request_in_any_order_and_other_parts_are_not(messages, content, result):
    def parts(*items):
        return parts_of_body({messages: [{"role": "user", content: list(items)}]}).parts

    one, two, text = result("a"), result("b"), {"text": "hurry"}
    assert parts(one, two, text) == parts(two, one, text)
    assert parts(one, text, two) != parts(two, text, one)
    assert parts(text, {**text, "text": "please"}) != parts({**text, "text": "please"}, text)
    assert parts(one, two) != parts(one, result("c"))


@pytest.mark.parametrize(
    ("messages", "call", "result"),
    [
        (
            "messages",
            lambda each: {"role": "assistant", "tool_calls": [{"id": each, "name": "find", "args": {"id": "a"}}]},
            lambda each: {"role": "tool", "tool_call_id": each, "content": "found"},
        ),
        (
            "input",
            lambda each: {"type": "function_call", "call_id": each, "name": "find"},
            lambda each: {"type": "function_call_output", "call_id": each, "output": "found"},
        ),
        (
            "messages",
            lambda each: {"role": "assistant", "content": [{"type": "tool_use", "id": each, "name": "find"}]},
            lambda each: {"role": "user", "content": [{"type": "tool_result", "tool_use_id": each}]},
        ),
        (
            "messages",
            lambda each: {"role": "assistant", "content": [{"toolUse": {"toolUseId": each, "name": "find"}}]},
            lambda each: {"role": "user", "content": [{"toolResult": {"toolUseId": each, "content": []}}]},
        ),
        (
            "contents",
            lambda each: {"role": "model", "parts": [{"functionCall": {"id": each, "name": "find"}}]},
            lambda each: {"role": "user", "parts": [{"functionResponse": {"id": each, "name": "find"}}]},
        ),
    ],
    ids=["chat", "responses", "anthropic", "bedrock", "gemini"],
)
def test_ids_that_a_client_makes_up_for_calls_make_no_other_request_unless_a_result_has_the_wrong_one(
    messages, call, result
):
    def parts(first, second, *results):
        return parts_of_body({messages: [call(first), call(second), *map(result, results)]}).parts

    assert parts("4f1c", "e07a", "4f1c", "e07a") == parts("b3d2", "0c55", "b3d2", "0c55")
    assert parts("4f1c", "e07a", "4f1c") == parts("b3d2", "0c55", "b3d2") != parts("b3d2", "0c55", "0c55")
    assert parts("4f1c", "e07a", "9999") != parts("4f1c", "e07a", "4f1c")


@pytest.mark.parametrize(
    ("messages", "call"),
    [
        ("messages", lambda each, of: {"content": [{"type": "tool_use", "id": each, "input": {"id": of}}]}),
        ("messages", lambda each, of: {"content": [{"toolUse": {"toolUseId": each, "input": {"id": of}}}]}),
        ("contents", lambda each, of: {"parts": [{"functionCall": {"id": each, "args": {"id": of}}}]}),
        ("messages", lambda each, of: {"parts": [{"type": "tool_call", "id": each, "arguments": {"id": of}}]}),
    ],
    ids=["anthropic", "bedrock", "gemini", "opentelemetry"],
)
def test_an_argument_that_looks_like_the_id_of_its_call_is_compared_as_it_is(messages, call):
    def parts(each, of):
        return parts_of_body({messages: [call(each, of)]}).parts

    assert parts("0", "7") == parts("1", "7")
    assert parts("0", "0") != parts("1", "1")


def test_which_cache_of_the_provider_is_looked_in_makes_no_other_request():
    body = {"model": "gpt-5-mini", "input": "hi"}
    drawn = {**body, "prompt_cache_key": "agents-sdk:run:685db5a13c1a499b9eeed66f278dd6cd"}
    assert key(parts_of_body(drawn)) == key(parts_of_body(body)) != key(parts_of_body({**body, "user": "ann"}))


def test_the_frames_of_a_traceback_in_a_text_make_no_other_request_and_its_error_does():
    def told(*lines):
        text = "\n".join(("Error in find:", "Traceback (most recent call last):", *lines, "", 'the "end"'))
        return parts_of_body({"messages": [{"content": text}]}).parts

    one = told('  File "C:\\new\\app.py", line 3, in find', "    ^^^^", "KeyError: 'x'")
    assert told('  File "lib.py", line 9, in call', "    return", '  File "a"', "KeyError: 'x'") == one
    assert told("KeyError: 'x'") == one
    assert told('  File "lib.py", line 9, in call', "KeyError: 'y'") != one


def test_two_marks_of_one_secret_are_equal_in_whatever_process_they_were_made():
    one, two = ({"messages": [f"key [redacted:openai 51 chars #{digits}]"]} for digits in ("1f0c", "a2b3"))
    assert key(parts_of_body(one)) == key(parts_of_body(two))


@pytest.mark.parametrize(
    ("unplayable", "why"),
    [
        (call(1, emitter="another"), "yet: it was recorded by the integration another, not by openai, anthropic"),
        (call(1, **{"inspector.emitter": None}), "yet: it was recorded by the program itself"),
        (call(1, **{"mcp.llm.prompt_json_truncated": True}), "its request was too long to be recorded whole"),
        (call(1, status="cancelled"), "it did not end"),
        (call(1, status="denied"), "it did not end"),
        (call(1, exchanges=[{**EXCHANGE, "text": ["cut", 3]}]), "the recorded exchange cannot be read"),
        (call(1, exchanges=[{"status": 200, "left_out": "a secret"}]), "its answer was not recorded (a secret)"),
        (call(1, exchanges=[{**EXCHANGE, "text": ['"[redacted:x 9 chars #1f0c]"']}]), "a secret was taken out of its"),
        (call(1, emitter="requests", exchanges=[{**EXCHANGE, "end": "left"}]), "its stream was not read to its end"),
        (server_request(1, status="cancelled"), "it did not end"),
        (server_request(1, **{"mcp.rpc.response_json": None}), "what it gave was not recorded"),
        (server_request(1, **{"mcp.rpc.request_json": None}), "it was recorded without content"),
        (server_request(1, **{"mcp.rpc.request_json": "null"}), "it was recorded without its request"),
        (server_request(1, **{"mcp.rpc.request_json": "{"}), "it was recorded without its request"),
        (server_request(1, **{"mcp.rpc.request_json_truncated": True}), "its request was too long"),
        (server_request(1, **{"mcp.rpc.response_json_truncated": True}), "its answer was too long"),
        (
            server_request(1, **{"mcp.rpc.response_json": {"result": "[redacted:x 9 chars #1f0c]"}}),
            "a secret was taken",
        ),
        (event(1, "tool", hook="tool_call", name="execute_tool wipe"), "announces it by hooks of its own"),
        (event(1, "rpc", hook="rpc_request", name="tools/call a"), "a replay does not withhold rpc calls of this"),
        (event(1, "agent", name="run"), "so it runs again; if it may, record without --otel"),
    ],
)
def test_a_run_with_a_call_that_cannot_be_replayed_is_refused_with_the_call_and_the_reason(unplayable, why):
    said = refused(call(2), unplayable)
    assert said.startswith(f"the call {unplayable.name} (00000000) cannot be replayed")
    assert why in said


def test_a_run_without_a_model_call_has_nothing_to_replay():
    assert refused(event(1, "other", hook="run", name="block")) == (
        "the run r1 has no call of a model or a tool, so there is nothing to replay"
    )


def test_parents_in_a_circle_are_walked_once():
    around = [
        event(1, "agent", parent=2, hook="agent_call", name="invoke_agent a"),
        event(2, "agent", parent=1, hook="agent_call", name="invoke_agent b"),
    ]
    (made,) = tape_of("r1", [*around, call(3, parent=1)]).calls
    assert made.path == ("invoke_agent b", "invoke_agent a")


def tool(number, *, parent=None, status="ok", **more):
    known = {
        "inspector.emitter": "instrument",
        "mcp.tool.name": "find",
        "mcp.tool.input_json": {"city": "Oslo"},
        "inspector.raw.result": '"same"',
    }
    return event(
        number, "tool", parent=parent, status=status, hook="tool_call", name="execute_tool find", **known | more
    )


HANDOFF = {
    "value": {
        "class": "langgraph.types:Command",
        "fields": {"update": {"messages": [{"fields": {"id": "f0d10f8c-72ad-4557-9983-139e58f59c04"}}]}, "goto": "b"},
    }
}


def agent_with_handoff(asked, result=HANDOFF, **more):
    program = json.dumps({"argv": ["app.py"], **more})
    around = event(1, "agent", hook="agent_call", name="invoke_agent a", **{"inspector.raw.program": program})
    asked = msgspec.Raw(json.dumps([{"type": "human", "id": asked, "content": "hi"}]).encode())
    handoff = tool(2, parent=1, **{"inspector.raw.result": json.dumps(result, separators=(",", ":"))})
    return replace(around, input=asked), handoff


def test_a_handoff_with_messages_of_the_state_needs_random_numbers_that_are_known():
    events = agent_with_handoff("f0d10f8c-72ad-4557-9983-139e58f59c04")
    assert refused(*events).endswith("whose random ids are others in a replay; record with --freeze")
    frozen = agent_with_handoff("f0d10f8c-72ad-4557-9983-139e58f59c04", frozen="1764000000000000000:7")
    assert len(tape_of("r1", frozen).calls) == 1
    of_another = agent_with_handoff("00d10f8c-72ad-4557-9983-139e58f59c04")
    assert len(tape_of("r1", of_another).calls) == 1
    of_no_graph = agent_with_handoff("f0d10f8c-72ad-4557-9983-139e58f59c04", {"value": HANDOFF["value"]["fields"]})
    assert len(tape_of("r1", of_no_graph).calls) == 1


def test_what_a_withheld_tool_calls_is_not_on_the_tape():
    tape = tape_of("r1", [tool(1), call(2, parent=1), event(3, "rpc", parent=2, hook="rpc_request"), call(4)])
    assert [each.span for each in tape.calls] == [f"{1:016x}", f"{4:016x}"]
    assert (tape.calls[0].noun, tape.calls[0].subject, list(tape.calls[0].parts)) == (
        "tool_call",
        "find",
        ["argument city"],
    )


def test_a_refusal_by_the_tools_own_side_is_given_back_like_any_answer_of_it():
    passed = {"inspector.controlled_json": {"controller": "gate", "did": "passed"}}
    calls = tape_of("r1", [tool(1, status="denied"), tool(2, status="denied", **passed)]).calls
    assert [each.result for each in calls] == ['"same"', '"same"']


@pytest.mark.parametrize(
    ("unplayable", "why"),
    [
        (tool(1, status="denied", **{"inspector.controlled_json": {"did": "denied"}}), "it did not end"),
        (tool(1, **{"inspector.raw.result": None}), "what it gave was not recorded"),
        (tool(1, **{"mcp.tool.input_json": None}), "it was recorded without content"),
        (tool(1, **{"mcp.tool.input_json_truncated": True}), "its arguments were too long to be recorded whole"),
        (tool(1, **{"mcp.tool.output_json_truncated": True}), "its result was too long to be recorded whole"),
        (tool(1, **{"inspector.raw.result": {"value": "[redacted:x 9 chars #1f0c]"}}), "a secret was taken out of its"),
        (
            tool(1, **{"inspector.raw.result": {"unrecordable": "builtins:generator", "at": ".rows"}}),
            "its result cannot be replayed (builtins:generator, at .rows)",
        ),
        (
            tool(1, **{"inspector.raw.result": None, "inspector.raw.error": {"class": "a:B", "unrecordable": "a:B"}}),
            "its result cannot be replayed (a:B)",
        ),
    ],
)
def test_a_tool_call_that_cannot_be_given_back_is_refused_with_the_reason(unplayable, why):
    assert why in refused(call(2), unplayable)


@pytest.mark.parametrize("status", ["cancelled", "lost", "running", "abandoned"])
def test_a_tool_call_of_a_framework_that_did_not_end_is_refused_as_its_body_may_have_begun(status):
    of_framework = {"inspector.emitter": "openai_agents", "inspector.raw.result": None}
    assert "it did not end" in refused(tool(1, status=status, **of_framework), tool(2))


@pytest.mark.parametrize("status", ["error", "denied"])
def test_a_tool_call_that_a_framework_refused_by_itself_is_made_again(status):
    of_framework = {"inspector.emitter": "openai_agents", "inspector.raw.result": None}
    tape = tape_of("r1", [tool(1, status=status, **of_framework), tool(2)])
    assert [each.span for each in tape.calls] == [f"{2:016x}"]


def test_a_request_to_a_server_is_on_the_tape_and_what_the_server_did_is_not():
    params = {"name": "a", "arguments": {"b": 1}, "_meta": {"progressToken": 1, "traceparent": "00-1", "kept": 2}}
    inbound = server_request(2, parent=1, **{"mcp.rpc.direction": "inbound"})
    served = event(
        3, "tool", parent=2, hook="tool_call", name="execute_tool a", **{"inspector.tool.source": "function"}
    )
    note = server_request(4, **{"mcp.rpc.method": "notifications/initialized"})
    tape = tape_of("r1", [server_request(1, params), inbound, served, note])
    (made,) = tape.calls
    assert (made.noun, made.subject, made.server) == ("rpc_request", "tools/call", "http://a/mcp")
    assert made.output == '{"result": {}}'
    assert sorted(tape.texts.values()) == ['"a"', '{"b":1}', '{"kept":2}']


def test_a_tool_call_of_a_client_stands_for_its_request_or_leaves_it_to_one_below():
    of_client = {"kind": "tool", "hook": "tool_call"}
    alone = event(2, "tool", hook="tool_call", name="execute_tool b", **{"inspector.emitter": "mcp"})
    tape = tape_of("r1", [server_request(1, **of_client), alone, server_request(3, parent=2)])
    assert [call.span for call in tape.calls] == [f"{1:016x}", f"{3:016x}"]


def test_what_a_client_asks_its_server_for_a_call_is_on_the_tape_too():
    of_client = {"kind": "tool", "hook": "tool_call"}
    listing = server_request(2, parent=1, **{"mcp.rpc.method": "tools/list"})
    served = server_request(3, parent=2, **{"mcp.rpc.direction": "inbound"})
    of_server = server_request(4, parent=3)
    tape = tape_of("r1", [server_request(1, **of_client), listing, served, of_server])
    assert [call.span for call in tape.calls] == [f"{1:016x}", f"{2:016x}"]


def test_a_call_that_is_sent_again_with_what_its_server_asked_for_cannot_be_replayed_yet():
    again = server_request(1, {"name": "a", "inputResponses": {"row": 4}})
    assert "its server asked the program for input in the middle of it" in refused(again)


def test_a_request_that_stays_open_while_its_client_listens_is_not_on_the_tape():
    listening = server_request(2, **{"mcp.rpc.method": "subscriptions/listen"})
    assert [call.span for call in tape_of("r1", [server_request(1), listening]).calls] == [f"{1:016x}"]


def test_a_server_that_asks_the_program_something_cannot_be_replayed_yet():
    back = server_request(2, parent=1, **{"mcp.rpc.direction": "inbound", "mcp.rpc.method": "sampling/createMessage"})
    assert refused(server_request(1), back).endswith("cannot be replayed yet: a server asks it of the program")
    assert len(tape_of("r1", [tool(1), back]).calls) == 1


def test_servers_are_told_apart_by_their_addresses_or_their_commands():
    command = {"url.full": None, "inspector.rpc.server_command": ["python", "desk.py"]}
    (made,) = tape_of("r1", [server_request(1, **command)]).calls
    assert made.server == server_at(["python", "desk.py"], Redactor())
    assert server_at("http://user:word@a/mcp?key=1", Redactor()) == "http://a/mcp"
    assert server_at(None, Redactor()) == ""


def of_toolkit(number, **more):
    known = {"inspector.raw.exchanges": None, "mcp.llm.response_json": {"choices": []}}
    return call(number, emitter="toolkit", **known | more)


def test_a_model_of_the_toolkit_is_answered_or_goes_on_to_the_client_that_it_asks():
    tape = tape_of("r1", [of_toolkit(1), of_toolkit(2), call(3, parent=2)])
    assert [(each.subject, each.goes_on, each.output) for each in tape.calls] == [
        ("toolkit", False, '{"choices": []}'),
        ("toolkit", True, '{"choices": []}'),
        ("", False, ""),
    ]
    failed = {"mcp.llm.response_json": None, "inspector.raw.error": {"class": "builtins:ValueError", "args": []}}
    assert tape_of("r1", [of_toolkit(1, status="error", **failed)]).calls[0].error is not None


@pytest.mark.parametrize(
    ("lacking", "why"),
    [
        ({"status": "cancelled"}, "it did not end"),
        ({"mcp.llm.response_json": None}, "what it answered was not recorded"),
        ({"mcp.llm.response_json_truncated": True}, "its answer was too long to be recorded whole"),
        ({"mcp.llm.response_json": "[redacted:x 9 chars #1f0c]"}, "a secret was taken out of its answer"),
        (
            {"mcp.llm.response_json": None, "inspector.raw.error": {"class": "a:B", "unrecordable": "c:D", "at": ".e"}},
            "its result cannot be replayed (c:D, at .e)",
        ),
    ],
)
def test_an_answer_of_a_model_of_the_toolkit_that_is_not_whole_is_refused(lacking, why):
    assert why in refused(of_toolkit(1, **lacking))


def test_an_agent_as_a_tool_of_the_toolkit_runs_again_and_its_calls_are_answered():
    agent = tool(1, **{"inspector.emitter": "toolkit", "inspector.tool.source": "agent", "inspector.raw.result": None})
    tape = tape_of("r1", [agent, call(2, parent=1)])
    assert [each.goes_on for each in tape.calls] == [True, False]


def test_a_call_is_found_by_the_id_of_any_recorder_that_saw_it():
    of_framework = event(1, hook="llm_generate", **{"inspector.emitter": "openai_agents"})
    of_client = replace(call(2, parent=1), folded_into=of_framework.span_id)
    below = replace(event(3, "other", parent=2, hook="request"), folded_into=of_client.span_id)
    tape = tape_of("r", [of_framework, of_client, below, call(4)])
    assert [each.span for each in tape.calls] == [of_client.span_id, f"{4:016x}"]
    assert [index_of(tape, each.span_id) for each in (of_framework, of_client, below)] == [0, 0, 0]
    assert index_of(tape, f"{4:016x}") == 1
    with pytest.raises(NotReplayable, match="^several calls that a replay answers begin with 000 in the run r;"):
        index_of(tape, "000")
    with pytest.raises(NotReplayable, match="^no call that a replay answers begins with f in the run r; it has chat"):
        index_of(tape, "f")


def test_a_model_call_of_a_framework_over_litellm_which_sends_it_itself_is_answered_where_it_is_sent():
    of_framework = event(1, hook="llm_generate", **{"inspector.emitter": "google_adk"})
    sent = replace(call(2, emitter="litellm", parent=1), folded_into=of_framework.span_id)
    assert [each.span for each in tape_of("r", [of_framework, sent]).calls] == [sent.span_id]
    assert "the integration google_adk" in refused(of_framework, replace(sent, attributes=of_framework.attributes))
