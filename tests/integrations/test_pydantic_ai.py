import json
from base64 import b64encode

import pytest
from recorded_events import facts, overlap

PROGRAM = "pydantic_ai_agents.py"


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
    first, second = (event for event in recorded.events if event.name == "execute_tool add" and event.status == "ok")
    assert overlap(first, second)
    assert {facts(each)["gen_ai.tool.call.id"] for each in (first, second)} == {"c1", "c2"}


def test_a_tool_that_is_deferred_is_cancelled_and_called_anew_where_it_was_approved(recorded):
    tools = [event for event in recorded.of("tool") if event.tool in ("pay", "later")]
    assert sorted((event.tool, event.status) for event in tools) == [
        ("later", "cancelled"),
        ("pay", "cancelled"),
        ("pay", "ok"),
    ]


def test_a_tool_call_names_the_function_behind_it(recorded):
    named = {event.tool: facts(event).get("code.function.name") for event in recorded.events}
    assert str(named["pay"]).endswith(".pay")


def test_a_conversation_that_a_run_names_is_its_session(recorded):
    (run,) = (event for event in recorded.events if event.name == "invoke_agent falls back")
    below = [event for event in recorded.events if event.trace_id == run.trace_id]
    assert len(below) == 5
    assert {event.session_id for event in below} == {"trip-42"}
    assert {event.session_id for event in recorded.events if event.trace_id != run.trace_id} == {None}


def test_the_first_chunk_of_a_stream_is_timed(recorded):
    (streamed,) = (event for event in recorded.events if event.kind == "llm" and event.agent == "whole")
    its = facts(streamed)
    assert 0 < its["gen_ai.response.time_to_first_chunk"] * 1000 <= streamed.duration_ms
    assert its["gen_ai.request.stream"] is True


def test_what_a_model_was_asked_for_is_recorded_as_its_provider_would_spell_it(recorded):
    asked = [event for event in recorded.events if event.kind == "llm" and event.agent == "planner"]
    messages = json.loads(bytes(asked[2].input))
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "tool",
    ]
    assert messages[2]["parts"][0] == {"type": "tool_call", "id": "c1", "name": "add", "arguments": {"a": 1, "b": 2}}
    assert messages[3]["parts"] == [{"type": "tool_call_response", "id": "c1", "response": 3}]
    tools = json.loads(json.loads(bytes(asked[0].attributes))["gen_ai.tool.definitions"])
    assert [tool["function"]["name"] for tool in tools] == ["add", "guess", "research", "fail"]


def test_an_image_of_a_prompt_is_recorded_whole_as_an_image(recorded):
    (call,) = (event for event in recorded.events if event.kind == "llm" and event.agent == "sees")
    (message,) = json.loads(bytes(call.input))
    assert message["parts"] == [
        {"type": "text", "content": "What is it?"},
        {
            "type": "blob",
            "modality": "image",
            "mime_type": "image/png",
            "content": b64encode(bytes(5000)).decode(),
        },
        {"type": "uri", "modality": "image", "mime_type": None, "uri": "https://example.com/scan"},
    ]
    (agent,) = (event for event in recorded.events if event.name == "invoke_agent sees")
    assert json.loads(bytes(agent.input))[1]["media_type"] == "image/png"
