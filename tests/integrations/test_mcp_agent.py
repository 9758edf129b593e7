import json

import pytest
from recorded_events import drawn, facts, overlap, own, tool_calls

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(run):
    return run("mcp_agent_trial.py", within="mcp-agent", env=(("INSPECTOR_ENABLE_PATCH", "1"),))


@pytest.fixture(scope="module")
def recorded(whole):
    return whole.parts["all"]


def test_agents_workflows_models_and_tools_make_one_tree_for_each_question(recorded):
    assert drawn(own(recorded.events)) == TREE


def test_each_tool_call_is_recorded_once_with_its_arguments_and_its_result(recorded):
    seen = tool_calls(own(recorded.events), lambda result: result["content"][0]["text"])
    for call in seen:
        if "error" in call:
            # A function's own exception is told with what mcp-agent says before it.
            call["error"] = call["error"].removeprefix("Error executing tool crash: ")
    assert sorted(seen, key=str) == sorted(recorded.counted("tool_call"), key=str)


def test_two_tool_calls_of_one_turn_overlap_below_the_same_agent(recorded):
    first, second = (event for event in own(recorded.events) if event.name == "execute_tool add")
    assert first.parent_id == second.parent_id
    assert overlap(first, second)


def test_a_tool_says_where_it_comes_from_and_which_call_of_the_models_it_is(recorded):
    calls = {event.name: facts(event) for event in own(recorded.events) if event.kind == "tool"}
    assert calls["execute_tool crash"]["inspector.tool.source"] == "function"
    shout = calls["execute_tool shout"]
    assert shout["inspector.tool.source"] == "mcp"
    assert shout["inspector.tool.server"] == "clock"
    assert shout["mcp.tool.name"] == "clock_shout"
    assert shout["gen_ai.tool.call.id"] == "call_clock_shout_0"
    assert shout["gen_ai.agent.name"] == "planner"


def test_an_mcp_request_is_shown_on_the_tool_call_that_it_is_for(recorded):
    assert facts(recorded.named("execute_tool shout"))["mcp.method.name"] == "tools/call"


def test_each_request_to_the_provider_is_one_model_call(recorded, whole):
    assert len([event for event in own(recorded.events) if event.kind == "llm"]) == whole.ledger["requests"]


def test_model_calls_carry_request_answer_and_the_tokens_of_the_provider(recorded):
    first = next(event for event in own(recorded.events) if event.kind == "llm")
    its = facts(first)
    assert its["gen_ai.provider.name"] == "openai"
    assert (first.input_tokens, first.output_tokens) == (13, 6)
    assert its["gen_ai.response.finish_reasons"] == ["tool_calls"]
    (message,) = json.loads(its["gen_ai.output.messages"])
    assert [part["arguments"] for part in message["parts"]] == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]


def test_answers_are_those_that_the_program_saw(recorded):
    outer = [event for event in own(recorded.events) if event.parent_id is None and event.status == "ok"]
    seen = [
        json.loads(its.get("mcp.result.agent_call_json") or its["mcp.workflow.output_json"])
        for its in map(facts, outer)
    ]
    assert seen == [each["text"] for each in recorded.counted("answer") if each["text"]]


def test_an_agent_whose_model_failed_has_failed_although_it_returned(recorded):
    assert "" in [each["text"] for each in recorded.counted("answer")]
    failed = [event for event in own(recorded.events) if event.status == "error" and event.kind != "tool"]
    assert [event.name for event in failed] == ["invoke_agent planner", "chat stub"]
    assert {facts(event)["mcp.error.message"] for event in failed} == {"Error code: 400 - the stub fails with 400"}


def test_with_the_patch_enabled_the_module_of_the_contract_is_there_while_the_inspector_is_attached(whole):
    assert whole.ledger["contracts"] == ["instrument", None]
    seen = [name for name in whole.ledger["seen"] if not name.startswith("part ")]
    # The last one comes from the fork's own bus.
    assert seen == ["add", "add", "crash", "clock_shout", "clock_refuse", "forever", "look"]


def test_hooks_of_a_fork_that_emits_them_itself_are_recorded_json_rpc_included(whole):
    forked = whole.named("invoke_workflow forked")
    below = [event for event in whole.events if event.trace_id == forked.trace_id]
    assert [event.name for event in below] == ["invoke_workflow forked", "execute_tool look", "ping"]
    look = facts(below[1])
    assert below[1].parent_id == forked.span_id
    assert json.loads(look["gen_ai.tool.call.arguments"]) == {"at": "this"}
    assert json.loads(look["gen_ai.tool.call.result"]) == {"seen": True}
    assert whole.ledger["left_registered"] == 0


TREE = """\
invoke_agent planner: ok
  chat stub: ok
  execute_tool add: ok
  execute_tool add: ok
  chat stub: ok
invoke_agent planner: ok
  chat stub: ok
  execute_tool crash: error
  chat stub: ok
invoke_agent planner: error
  chat stub: error
invoke_workflow greeting: ok
  invoke_agent greeter: ok
    chat stub: ok
invoke_agent planner: ok
  chat stub: ok
  execute_tool shout: ok
  execute_tool refuse: error
  chat stub: ok
invoke_workflow ParallelLLM: ok
  invoke_agent left: ok
    chat stub: ok
  invoke_agent right: ok
    chat stub: ok
  invoke_agent fan_in: ok
    chat stub: ok
invoke_agent planner: cancelled
  chat stub: ok
  execute_tool forever: cancelled"""
