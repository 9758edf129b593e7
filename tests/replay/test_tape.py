import json

import msgspec
import pytest

from inspector.model import Event
from inspector.replay import NotReplayable, read_tape, tape_of, write_tape
from inspector.replay.asked import asked
from inspector.replay.tape import key_of

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
    assert list(asked(body).parts) == labels
    assert list(asked("text").parts) == ["request"]


def test_the_order_of_fields_makes_no_other_request_and_a_value_does():
    first, second = {"a": 1, "messages": [{"x": 1, "y": 2}]}, {"messages": [{"y": 2, "x": 1}], "a": 1}
    assert key(asked(first)) == key(asked(second))
    assert key(asked({**first, "a": 1.5})) != key(asked(first))


def test_two_marks_of_one_secret_are_equal_in_whatever_process_they_were_made():
    one, two = ({"messages": [f"key [redacted:openai 51 chars #{digits}]"]} for digits in ("1f0c", "a2b3"))
    assert key(asked(one)) == key(asked(two))


@pytest.mark.parametrize(
    ("unplayable", "why"),
    [
        (call(1, emitter="langchain"), "yet: it was recorded by the integration langchain, not by openai, anthropic"),
        (call(1, **{"inspector.emitter": None}), "yet: it was recorded by the program itself"),
        (call(1, **{"mcp.llm.prompt_json_truncated": True}), "its request was too long to be recorded whole"),
        (call(1, status="cancelled"), "it did not end"),
        (call(1, status="denied"), "it did not end"),
        (call(1, exchanges=[{**EXCHANGE, "text": ["cut", 3]}]), "the recorded exchange cannot be read"),
        (call(1, exchanges=[{"status": 200, "left_out": "a secret"}]), "its answer was not recorded (a secret)"),
        (call(1, exchanges=[{**EXCHANGE, "text": ['"[redacted:x 9 chars #1f0c]"']}]), "a secret was taken out of its"),
        (call(1, emitter="requests", exchanges=[{**EXCHANGE, "end": "left"}]), "its stream was not read to its end"),
        (event(1, "tool", hook="tool_call", name="execute_tool wipe"), "a replay does not withhold tool calls of this"),
        (event(1, "rpc", hook="rpc_request", name="tools/call a"), "a replay does not withhold rpc calls of this"),
        (event(1, "other", name="somebody's span"), "a replay does not withhold other calls of this"),
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


def test_what_a_withheld_tool_calls_is_not_on_the_tape():
    tape = tape_of("r1", [tool(1), call(2, parent=1), event(3, "rpc", parent=2, hook="rpc_request"), call(4)])
    assert [each.span for each in tape.calls] == [f"{1:016x}", f"{4:016x}"]
    assert (tape.calls[0].noun, tape.calls[0].subject, list(tape.calls[0].parts)) == (
        "tool_call",
        "find",
        ["argument city"],
    )


@pytest.mark.parametrize(
    ("unplayable", "why"),
    [
        (tool(1, status="denied"), "it did not end"),
        (tool(1, **{"inspector.raw.result": None}), "what it gave was not recorded"),
        (tool(1, **{"mcp.tool.input_json": None}), "it was recorded without content"),
        (tool(1, **{"mcp.tool.input_json_truncated": True}), "its arguments were too long to be recorded whole"),
        (tool(1, **{"mcp.tool.output_json_truncated": True}), "its result was too long to be recorded whole"),
        (tool(1, **{"inspector.raw.result": {"value": "[redacted:x 9 chars #1f0c]"}}), "a secret was taken out of its"),
        (
            tool(1, **{"inspector.raw.result": {"unrecordable": "builtins:generator", "at": ".rows"}}),
            "what it gave cannot be given back (builtins:generator, at .rows)",
        ),
        (
            tool(1, **{"inspector.raw.result": None, "inspector.raw.error": {"class": "a:B", "unrecordable": "a:B"}}),
            "what it gave cannot be given back (a:B)",
        ),
    ],
)
def test_a_tool_call_that_cannot_be_given_back_is_refused_with_the_reason(unplayable, why):
    assert why in refused(call(2), unplayable)
