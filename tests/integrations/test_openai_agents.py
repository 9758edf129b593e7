import json

import pytest
from recorded_events import facts, overlap

PROGRAM = "openai_agents_runs.py"


@pytest.fixture(scope="module", params=["current", pytest.param("oldest-agents", marks=pytest.mark.slow)])
def parts(request, run):
    return run(PROGRAM, within=request.param).parts


@pytest.fixture(scope="module")
def recorded(parts):
    return parts["all"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(parts):
    for recorded in parts.values():
        assert recorded.compared(recorded.ledger) == ([], [])


def test_a_program_that_switched_tracing_off_is_recorded_all_the_same(parts):
    recorded = parts["untraced"]
    assert len(recorded.events) == len(recorded.ledger) > 0
    assert recorded.compared(recorded.ledger) == ([], [])


def test_the_calls_of_a_turn_overlap(recorded):
    first, second = (event for event in recorded.events if event.name == "execute_tool add")
    assert overlap(first, second)
    assert {facts(each)["gen_ai.tool.call.id"] for each in (first, second)} == {"c1", "c2"}


def test_a_group_or_a_session_of_the_sdk_is_the_session(recorded):
    sessions = {event.trace_id: event.session_id for event in recorded.events if event.parent_id is None}
    for event in recorded.events:
        assert event.session_id == sessions[event.trace_id]
    assert [each for each in sessions.values() if each] == ["trip-42", "trip-43"]


def test_agents_that_are_tools_are_told_from_functions(recorded):
    (research,) = (event for event in recorded.events if event.name == "execute_tool research")
    (add, _) = (event for event in recorded.events if event.name == "execute_tool add")
    sources = [facts(each)["inspector.tool.source"] for each in (research, add)]
    assert sources == ["agent", "function"]


def test_a_tool_call_names_the_function_behind_it_where_the_sdk_tells_it(run):
    events = run(PROGRAM, within="current").parts["all"].events
    named = {event.tool: facts(event).get("code.function.name") for event in events}
    assert str(named["crash"]).endswith(".crash")


def test_a_handoff_is_the_tool_call_that_the_model_asked_for(recorded):
    its = json.loads(bytes(recorded.named("execute_tool transfer_to_billing").attributes))
    assert its["gen_ai.tool.call.id"] == "c1"
    assert its["inspector.tool.source"] == "agent"
    assert its["gen_ai.agent.name"] == "triage"


def test_a_tool_that_waits_for_approval_is_cancelled_and_called_anew_where_the_run_goes_on(recorded):
    first, second = (event for event in recorded.events if event.name == "invoke_workflow asks first")
    within = [[each for each in recorded.of("tool") if each.trace_id == run.trace_id] for run in (first, second)]
    assert [[each.status for each in tools if each.tool == "pay"] for tools in within] == [["cancelled"] * 2, ["ok"]]
    assert [json.loads(bytes(run.events or b"[]")) != [] for run in (first, second)] == [False, True]
    (resumed,) = json.loads(bytes(second.events))
    assert resumed["name"] == "session_resumed"


def test_the_first_chunk_of_a_stream_is_timed(recorded):
    streamed = next(event for event in recorded.events if event.kind == "llm" and event.agent == "whole")
    its = facts(streamed)
    assert 0 < its["gen_ai.response.time_to_first_chunk"] * 1000 <= streamed.duration_ms
    assert its["gen_ai.request.stream"] is True
    assert its["gen_ai.request.temperature"] == 0.5


def test_what_a_model_was_asked_for_is_recorded_with_instructions_and_tools(recorded):
    asked = [event for event in recorded.events if event.kind == "llm" and event.agent == "planner"]
    messages = json.loads(bytes(asked[1].input))
    assert [message["role"] for message in messages] == ["user", "assistant", "assistant", "tool", "tool"]
    its = json.loads(bytes(asked[0].attributes))
    assert json.loads(its["gen_ai.system_instructions"]) == [{"type": "text", "content": "Plan."}]
    tools = [tool["name"] for tool in json.loads(its["gen_ai.tool.definitions"])]
    assert tools == ["add", "fail", "crash", "dawdle", "dig", "research"]
