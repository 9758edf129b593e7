import json

import pytest
from recorded_events import drawn, facts, overlap, tool_calls

from inspector.tape import NotReplayable, tape_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(run):
    return run("google_adk_trial.py", within="earlier")


@pytest.fixture(scope="module")
def recorded(whole):
    return whole.parts["all"]


def test_invocations_agents_models_and_tools_make_one_tree_for_each_question(recorded):
    assert drawn(recorded.events) == TREE


def test_each_tool_call_is_recorded_once_with_its_arguments_and_its_result(recorded):
    asked = [event for event in recorded.events if event.tool in ("add", "crash", "forever")]
    assert tool_calls(asked) == sorted(recorded.counted("tool_call"), key=str)


def test_a_tool_call_names_the_function_behind_it(recorded):
    named = {event.tool: facts(event).get("code.function.name") for event in recorded.events}
    assert str(named["add"]).endswith(".add")


def test_each_model_call_is_recorded_once_with_its_tokens(recorded):
    seen = [[event.input_tokens, event.output_tokens] for event in recorded.events if event.kind == "llm"]
    assert sorted(seen, key=str) == sorted((each["tokens"] for each in recorded.counted("llm_generate")), key=str)


def test_two_tool_calls_of_one_turn_overlap_below_the_same_agent(recorded):
    first, second = (event for event in recorded.events if event.name == "execute_tool add")
    assert first.parent_id == second.parent_id
    assert overlap(first, second)


def test_a_model_call_is_over_before_the_tools_that_it_asked_for_begin(recorded):
    at = next(index for index, event in enumerate(recorded.events) if event.name == "execute_tool add")
    asked, tool = recorded.events[at - 1 : at + 1]
    assert asked.name == "chat scripted"
    assert int(asked.end_time_unix_nano) <= int(tool.start_time_unix_nano)


def test_a_run_belongs_to_the_session_that_the_framework_has_it_in(recorded, whole):
    runs = [event for event in recorded.events if event.parent_id is None]
    assert [event.session_id for event in runs] == whole.ledger["sessions"]
    traces = {event.trace_id: event.session_id for event in runs}
    assert all(event.session_id == traces[event.trace_id] for event in recorded.events)


def test_model_calls_carry_request_and_answer(recorded):
    its = next(facts(event) for event in recorded.events if event.kind == "llm")
    assert its["gen_ai.request.model"] == "scripted"
    assert its["gen_ai.response.model"] == "scripted-1"
    assert its["gen_ai.response.finish_reasons"] == ["STOP"]
    assert its["gen_ai.agent.name"] == "planner"
    assert json.loads(its["gen_ai.system_instructions"])[0]["content"].startswith("Plan.")
    (message,) = json.loads(its["gen_ai.output.messages"])
    assert [(part["name"], part["arguments"]) for part in message["parts"]] == [
        ("add", {"a": 1, "b": 2}),
        ("add", {"a": 3, "b": 4}),
    ]


def test_a_stream_tells_how_long_its_first_part_took(recorded):
    streamed = [facts(event) for event in recorded.events if "gen_ai.response.time_to_first_chunk" in facts(event)]
    (its,) = streamed
    assert its["gen_ai.response.time_to_first_chunk"] > 0
    (message,) = json.loads(its["gen_ai.output.messages"])
    assert message["parts"] == [{"type": "text", "content": "echo: slowly now"}]


def test_answers_are_those_that_the_program_saw(recorded):
    said = [each["said"] for each in recorded.counted("answer") if each["name"] in ("planner", "steps")]
    outer = [
        json.loads(facts(event)["mcp.workflow.output_json"])
        for event in recorded.events
        if event.parent_id is None and recorded.ending(event) == "ok"
    ]
    expected = [texts[-1][1] for texts in said if texts]
    assert [text for text in outer if text in expected] == expected


def test_the_result_of_a_graph_is_that_of_its_last_function(recorded):
    (event,) = (event for event in recorded.events if event.name == "invoke_workflow graph")
    (loud,) = recorded.counted("loud")
    assert loud["given"] == "echo: go"
    assert json.loads(facts(event)["mcp.workflow.output_json"]) == {"loud": "ECHO: GO"}


def test_an_answer_that_is_an_error_code_is_an_error(recorded):
    refused = [event for event in recorded.events if facts(event).get("mcp.error.message") == "SAFETY: not that"]
    assert [event.name for event in refused] == ["invoke_workflow planner", "invoke_agent planner", "chat scripted"]


def test_a_tool_that_waits_for_a_confirmation_pauses_and_runs_once_it_has_it(recorded):
    paying = [event for event in recorded.events if event.name == "execute_tool pay"]
    paused = [[each["name"] for each in json.loads(bytes(event.events or b"[]"))] for event in paying]
    assert [event.status for event in paying] == ["cancelled", "ok", "cancelled", "denied"]
    assert [names.count("session_paused") for names in paused] == [1, 0, 1, 0]
    assert len(recorded.counted("paid")) == 1


def test_a_tool_says_what_it_is(recorded):
    sources = {event.name: facts(event)["inspector.tool.source"] for event in recorded.events if event.kind == "tool"}
    assert sources["execute_tool helper"] == "agent"
    assert sources["execute_tool add"] == "function"
    patterns = {facts(event).get("mcp.workflow.type") for event in recorded.events if event.kind == "workflow"}
    assert patterns == {None, "sequential", "parallel"}


@pytest.mark.slow
def test_a_run_over_a_live_connection_says_that_it_cannot_be_replayed(run):
    events = run("google_adk_live.py", within="earlier").events
    assert [event.name for event in events] == ["invoke_workflow trip", "invoke_agent planner", "execute_tool find"]
    with pytest.raises(NotReplayable, match="its model is asked over a live connection"):
        tape_of("run", events)


TREE = """\
invoke_workflow planner: ok
  invoke_agent planner: ok
    chat scripted: ok
    execute_tool add: ok
    execute_tool add: ok
    chat scripted: ok
invoke_workflow planner: error
  invoke_agent planner: error
    chat scripted: ok
    execute_tool crash: error
invoke_workflow planner: ok
  invoke_agent planner: ok
    chat scripted: ok
    execute_tool helper: ok
      invoke_workflow planner: ok
        invoke_agent helper: ok
          chat scripted: ok
    chat scripted: ok
invoke_workflow planner: ok
  invoke_agent planner: ok
    chat scripted: ok
    execute_tool nothing: error
    chat scripted: ok
invoke_workflow planner: error
  invoke_agent planner: error
    chat scripted: error
invoke_workflow planner: error
  invoke_agent planner: error
    chat scripted: error
invoke_workflow planner: ok
  invoke_agent planner: ok
    chat scripted: ok
    execute_tool transfer_to_agent: ok
  invoke_agent specialist: ok
    chat scripted: ok
invoke_workflow planner: ok
  invoke_agent planner: ok
    chat scripted: ok
invoke_workflow planner: ok
  invoke_agent planner: cancelled
    chat scripted: cancelled
invoke_workflow planner: abandoned
  invoke_agent planner: ok
    chat scripted: ok
invoke_workflow planner: cancelled
  invoke_agent planner: cancelled
    chat scripted: ok
    execute_tool forever: cancelled
invoke_workflow payer: ok
  invoke_agent payer: ok
    chat scripted: ok
    execute_tool pay: cancelled
invoke_workflow payer: ok
  invoke_agent payer: ok
    execute_tool pay: ok
    chat scripted: ok
invoke_workflow payer: ok
  invoke_agent payer: ok
    chat scripted: ok
    execute_tool pay: cancelled
invoke_workflow payer: ok
  invoke_agent payer: ok
    execute_tool pay: denied
    chat scripted: ok
invoke_workflow steps: ok
  invoke_workflow steps: ok
    invoke_agent one: ok
      chat scripted: ok
    invoke_agent two: ok
      chat scripted: ok
invoke_workflow at_once: ok
  invoke_workflow at_once: ok
    invoke_agent left: ok
      chat scripted: ok
    invoke_agent right: ok
      chat scripted: ok
invoke_workflow graph: ok
  invoke_agent writer: ok
    chat scripted: ok"""
