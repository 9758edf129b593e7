import json

import pytest
from recorded_events import facts, overlap

PROGRAM = "langchain_agents.py"


@pytest.fixture(scope="module", params=["current", pytest.param("oldest-agents", marks=pytest.mark.slow)])
def parts(request, run):
    return run(PROGRAM, within=request.param).parts


@pytest.fixture(scope="module")
def recorded(parts):
    return parts["all"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(parts):
    for recorded in parts.values():
        assert recorded.compared(recorded.ledger) == ([], [])
        assert recorded.stderr == ""


def test_the_calls_of_a_turn_overlap(recorded):
    first, second = (event for event in recorded.events if event.name == "execute_tool add")
    assert overlap(first, second)
    assert {facts(each)["gen_ai.tool.call.id"] for each in (first, second)} == {"c1", "c2"}


def test_a_tool_call_names_the_function_behind_it(recorded):
    named = {event.tool: facts(event).get("code.function.name") for event in recorded.events}
    assert str(named["add"]).endswith(".add")


def test_a_thread_of_a_graph_is_the_session_of_all_that_happens_in_it(recorded):
    roots = {event.name: event for event in recorded.events if event.parent_id is None}
    for name, session in (("invoke_agent planner", "trip-42"), ("invoke_workflow trip", "trip-43")):
        below = [event for event in recorded.events if event.trace_id == roots[name].trace_id]
        assert {event.session_id for event in below} == {session}


def test_an_interrupt_pauses_the_session_and_resuming_goes_on_with_it(recorded):
    paused, resumed = (event for event in recorded.events if event.name == "invoke_workflow trip")
    (told,) = json.loads(bytes(paused.events))
    assert told["name"] == "session_paused"
    assert told["attributes"] == {"session_id": "trip-43", "reason": "Really?"}
    (told,) = json.loads(bytes(resumed.events))
    assert told["name"] == "session_resumed"


def test_the_first_chunk_of_a_stream_is_timed(recorded):
    streamed = next(event for event in recorded.events if bytes(event.input or b"").find(b"whole") > 0)
    its = facts(streamed)
    assert 0 < its["gen_ai.response.time_to_first_chunk"] * 1000 <= streamed.duration_ms
    assert its["gen_ai.request.stream"] is True


def test_what_a_model_was_asked_for_is_recorded_as_its_provider_would_spell_it(recorded):
    asked = [event for event in recorded.events if event.kind == "llm" and event.agent == "planner"]
    messages = json.loads(bytes(asked[1].input))
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool"]
    assert messages[1]["parts"][0] == {"type": "tool_call", "id": "c1", "name": "add", "arguments": {"a": 1, "b": 2}}
    assert messages[2]["parts"] == [{"type": "tool_call_response", "id": "c1", "response": "3"}]


def test_detaching_gives_the_extension_point_back(run):
    assert run(PROGRAM, within="current").ledger["left_hooks"] == []
