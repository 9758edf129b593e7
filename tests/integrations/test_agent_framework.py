import json

import pytest
from recorded_events import facts, overlap

PROGRAM = "agent_framework_agents.py"


@pytest.fixture(scope="module", params=["current", pytest.param("oldest-agents", marks=pytest.mark.slow)])
def parts(request, run):
    return run(PROGRAM, within=request.param).parts


@pytest.fixture(scope="module")
def recorded(parts):
    return parts["all"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(parts):
    for recorded in parts.values():
        assert recorded.compared(recorded.ledger) == ([], [])
        assert "inspector" not in recorded.stderr


def test_the_calls_of_a_turn_overlap(recorded):
    first, second = (event for event in recorded.events if event.name == "execute_tool add" and event.status == "ok")
    assert overlap(first, second)
    assert {facts(each)["gen_ai.tool.call.id"] for each in (first, second)} == {"c1", "c2"}


def test_a_tool_call_names_the_function_behind_it(recorded):
    named = {event.tool: facts(event).get("code.function.name") for event in recorded.events}
    assert str(named["add"]).endswith(".add")


def test_the_session_of_the_outermost_agent_is_the_session_of_all_below(recorded):
    (planner,) = (event for event in recorded.events if event.name == "invoke_agent planner")
    below = [event for event in recorded.events if event.trace_id == planner.trace_id]
    assert {event.session_id for event in below} == {"trip-42"}
    assert {event.session_id for event in recorded.events if event.trace_id != planner.trace_id} == {None}


def test_a_request_for_information_pauses_the_session_and_its_answer_resumes_it(recorded):
    told = [json.loads(bytes(event.events)) for event in recorded.events if event.name == "invoke_workflow shouting"]
    assert [[each["name"] for each in events if each["name"] != "exception"] for events in told] == [
        [],
        [],
        [],
        ["session_paused"],
        ["session_resumed"],
    ]
    assert told[3][0]["attributes"] == {"reason": "Really?"}


def test_the_first_chunk_of_a_stream_is_timed(recorded):
    streamed = next(event for event in recorded.events if event.kind == "llm" and event.agent == "last")
    its = facts(streamed)
    assert 0 < its["gen_ai.response.time_to_first_chunk"] * 1000 <= streamed.duration_ms
    assert its["gen_ai.request.stream"] is True


def test_what_a_model_was_asked_for_is_recorded_with_instructions_and_tools(recorded):
    asked = [event for event in recorded.events if event.kind == "llm" and event.agent == "planner"]
    messages = json.loads(bytes(asked[1].input))
    assert [part["type"] for message in messages for part in message["parts"]] == [
        "text",
        "tool_call",
        "tool_call",
        "tool_call_response",
        "tool_call_response",
    ]
    its = json.loads(bytes(asked[0].attributes))
    assert json.loads(its["gen_ai.system_instructions"]) == [{"type": "text", "content": "Plan."}]
    tools = [tool["function"]["name"] for tool in json.loads(its["gen_ai.tool.definitions"])]
    assert tools == ["add", "fail", "researcher"]
