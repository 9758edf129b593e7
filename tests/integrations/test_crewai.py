import json

import pytest
from recorded_events import drawn, facts, overlap, own, tool_calls

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(run):
    return run("crewai_trial.py", within="crewai")


@pytest.fixture(scope="module")
def recorded(whole):
    return whole.parts["all"]


def test_crews_tasks_agents_models_and_tools_make_one_tree_for_each_run(recorded):
    assert drawn(own(recorded.events)) == TREE


def test_each_tool_call_is_recorded_once_with_its_arguments_and_its_result(recorded):
    assert tool_calls(own(recorded.events)) == sorted(recorded.counted("tool_call"), key=str)


def test_two_tool_calls_of_one_turn_overlap_below_the_same_agent(recorded):
    first, second = (event for event in own(recorded.events) if event.name == "execute_tool add")
    assert first.parent_id == second.parent_id
    assert overlap(first, second)


def test_a_model_of_the_programs_own_is_recorded_once_a_call(recorded):
    seen = [facts(event).get("mcp.error.message") for event in own(recorded.events) if event.name == "chat own"]
    assert sorted(seen, key=str) == sorted((each["error"] for each in recorded.counted("llm_generate")), key=str)


def test_each_request_to_the_provider_is_one_model_call(recorded, whole):
    # One fails with a status that is not tried again.
    asked = [event for event in own(recorded.events) if event.name == "chat stub"]
    assert len(asked) == whole.ledger["requests"]


def test_model_calls_carry_request_answer_and_the_tokens_of_the_provider(recorded):
    first = next(event for event in own(recorded.events) if event.kind == "llm")
    its = facts(first)
    assert its["gen_ai.provider.name"] == "openai"
    assert its["gen_ai.request.model"] == "stub"
    assert its["gen_ai.request.temperature"] == 0.5
    assert its["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert (first.input_tokens, first.output_tokens) == (49, 6)
    assert its["gen_ai.agent.name"] == "sums agent"
    (message,) = json.loads(its["gen_ai.output.messages"])
    assert [part["arguments"] for part in message["parts"]] == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]


def test_a_stream_tells_how_long_its_first_part_took(recorded):
    (its,) = (facts(event) for event in own(recorded.events) if "gen_ai.response.time_to_first_chunk" in facts(event))
    assert its["gen_ai.response.time_to_first_chunk"] > 0
    assert json.loads(its["gen_ai.output.messages"])[0]["parts"] == [{"type": "text", "content": "one two three"}]


def test_answers_are_those_that_the_program_saw(recorded):
    outer = [event for event in own(recorded.events) if event.parent_id is None and event.status == "ok"]
    seen = [(event.name, json.loads(facts(event)["mcp.workflow.output_json"])) for event in outer]
    assert seen == [(f"invoke_workflow {each['name']}", each["text"]) for each in recorded.counted("answer")]


def test_a_failure_is_the_exception_that_was_raised(recorded):
    failed = [facts(event) for event in own(recorded.events) if event.status == "error"]
    types = {its["error.type"] for its in failed}
    assert types == {"ValueError", "RuntimeError", "openai.BadRequestError"}
    assert all("inspector" not in its["error.type"] for its in failed)


def test_crews_tasks_flows_and_their_methods_are_told_apart(recorded):
    types = {
        event.name: facts(event)["mcp.workflow.type"] for event in own(recorded.events) if event.kind == "workflow"
    }
    assert types["invoke_workflow sums"] == "sequential"
    assert types["invoke_workflow sums task"] == "task"
    assert types["invoke_workflow Route"] == "flow"
    assert types["invoke_workflow second"] == "method"


TREE = """\
invoke_workflow sums: ok
  invoke_workflow sums task: ok
    invoke_agent sums agent: ok
      chat stub: ok
      execute_tool add: ok
      execute_tool add: ok
      chat stub: ok
invoke_workflow crash: ok
  invoke_workflow crash task: ok
    invoke_agent crash agent: ok
      chat stub: ok
      execute_tool crash: error
      chat stub: ok
invoke_workflow nested: ok
  invoke_workflow nested task: ok
    invoke_agent nested agent: ok
      chat stub: ok
      execute_tool ask: ok
        invoke_agent helper: ok
          chat own: ok
      chat stub: ok
invoke_workflow fails: error
  invoke_workflow fails task: error
    invoke_agent fails agent: error
      chat stub: error
invoke_workflow raises: error
  invoke_workflow raises task: error
    invoke_agent raises agent: error
      chat own: error
invoke_workflow streams: ok
  invoke_workflow streams task: ok
    invoke_agent streams agent: ok
      chat stub: ok
invoke_workflow Route: ok
  invoke_workflow first: ok
  invoke_workflow second: ok
    invoke_workflow inner: ok
      invoke_workflow inner task: ok
        invoke_agent inner agent: ok
          chat own: ok
invoke_workflow cancelled: cancelled
  invoke_workflow cancelled task: cancelled
    invoke_agent cancelled agent: cancelled
      chat own: ok"""
