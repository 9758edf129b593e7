import json
import subprocess

import pytest

PROGRAM = "pydantic_ai_agents.py"


@pytest.fixture(scope="module", params=["current", "oldest-agents"])
def recorded(request, run_once):
    return run_once(PROGRAM, "all", within=request.param)


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    assert recorded.compared(recorded.ledger) == ([], [])
    assert recorded.stderr == ""


def test_the_calls_of_a_turn_overlap(recorded):
    first, second = (event for event in recorded.events if event.name == "execute_tool add" and event.status == "ok")
    assert first.start_time_unix_nano < second.end_time_unix_nano
    assert second.start_time_unix_nano < first.end_time_unix_nano
    assert {json.loads(bytes(each.attributes))["gen_ai.tool.call.id"] for each in (first, second)} == {"c1", "c2"}


def test_a_conversation_that_a_run_names_is_its_session(recorded):
    (run,) = (event for event in recorded.events if event.name == "invoke_agent falls back")
    below = [event for event in recorded.events if event.trace_id == run.trace_id]
    assert len(below) == 5
    assert {event.session_id for event in below} == {"trip-42"}
    assert {event.session_id for event in recorded.events if event.trace_id != run.trace_id} == {None}


def test_the_first_chunk_of_a_stream_is_timed(recorded):
    (streamed,) = (event for event in recorded.events if event.kind == "llm" and event.agent == "whole")
    its = json.loads(bytes(streamed.attributes))
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


@pytest.mark.parametrize("recorded", ["current"], indirect=True)
def test_the_program_says_the_same_without_the_inspector(recorded, framework_python, tmp_path, request):
    python = framework_python("current")
    program = request.path.parent / "programs" / PROGRAM
    done = subprocess.run([python, program, "all"], capture_output=True, text=True, cwd=tmp_path, check=True)
    ledger = json.loads(done.stdout.splitlines()[-1])
    assert sorted(map(str, ledger)) == sorted(map(str, recorded.ledger))


@pytest.fixture(scope="module")
def switched(run_once):
    return run_once(PROGRAM, "switched", within="current")


def test_a_version_without_a_patched_function_is_told_of_once_and_recorded(switched):
    assert switched.stderr.count("not there: ToolManager.execute_tool_call") == 1
    assert switched.compared(switched.ledger) == ([], [])


def test_after_detaching_the_framework_is_as_it_was_and_nothing_is_recorded(switched):
    # What the program asserts itself, and does not count.
    assert switched.stderr.count("Traceback") == 0
