import json

import pytest
from recorded_events import drawn, facts, overlap, own, tool_calls

pytestmark = pytest.mark.slow

PLANNER = "invoke_agent planner"


@pytest.fixture(scope="module")
def whole(run):
    return run("fast_agent_trial.py", within="fast-agent")


@pytest.fixture(scope="module")
def recorded(whole):
    return whole.parts["all"]


def test_an_application_is_one_tree_of_its_agents_workflows_models_and_tools(recorded):
    assert drawn(own(recorded.events)) == TREE


def test_what_its_mcp_servers_are_asked_as_they_start_is_part_of_the_application(recorded):
    asked = {event.name for event in recorded.events if event.kind == "rpc"}
    assert "tools/list" in asked
    assert [event.name for event in recorded.events if event.parent_id is None] == ["invoke_workflow trial"]
    assert {event.trace_id for event in recorded.events} == {recorded.events[0].trace_id}


def test_each_tool_call_is_recorded_once_with_its_arguments_and_its_result(recorded):
    seen = tool_calls(own(recorded.events), lambda result: result["content"][0]["text"])
    assert seen == sorted(recorded.counted("tool_call"), key=str)


def test_two_tool_calls_of_one_turn_overlap_below_the_same_agent(recorded):
    first, second = (event for event in own(recorded.events) if event.name == "execute_tool add")
    assert first.parent_id == second.parent_id
    assert overlap(first, second)


def test_a_tool_says_where_it_comes_from_and_who_called_it(recorded):
    calls = {event.name: facts(event) for event in own(recorded.events) if event.kind == "tool"}
    sources = {name: its["inspector.tool.source"] for name, its in calls.items()}
    assert sources == {
        "execute_tool add": "function",
        "execute_tool crash": "function",
        "execute_tool forever": "function",
        "execute_tool agent__helper": "agent",
        "execute_tool shout": "mcp",
        "execute_tool refuse": "mcp",
    }
    shout = calls["execute_tool shout"]
    assert shout["mcp.tool.name"] == "clock__shout"
    assert shout["inspector.tool.server"] == "clock"
    assert shout["gen_ai.tool.call.id"] == "call_clock__shout_0"
    assert shout["gen_ai.agent.name"] == "planner"


def test_an_mcp_request_is_shown_on_the_tool_call_that_it_is_for(recorded):
    shout = facts(recorded.named("execute_tool shout"))
    assert shout["mcp.method.name"] == "tools/call"


def test_model_calls_carry_request_answer_and_the_tokens_of_the_provider(recorded):
    asked = [
        event
        for event in own(recorded.events)
        if event.kind == "llm" and facts(event).get("gen_ai.request.model") == "stub"
    ]
    # A status that nobody tries again.
    assert len(asked) == len([event for event in asked if event.status != "error"]) + 1
    first = asked[0]
    its = facts(first)
    assert its["gen_ai.provider.name"] == "generic"
    assert (first.input_tokens, first.output_tokens) == (its["gen_ai.usage.input_tokens"], 6)
    assert its["gen_ai.response.finish_reasons"] == ["toolUse"]
    assert its["gen_ai.response.time_to_first_chunk"] > 0
    assert {tool["name"] for tool in json.loads(its["gen_ai.tool.definitions"])} >= {"add", "crash", "clock__shout"}
    (message,) = json.loads(its["gen_ai.output.messages"])
    assert [part["arguments"] for part in message["parts"]] == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]


def test_answers_are_those_that_the_program_saw(recorded):
    answers = [each for each in recorded.ledger if each["kind"] == "answer"]
    root = recorded.named("invoke_workflow trial")
    outer = [
        facts(event)
        for event in own(recorded.events)
        if event.parent_id == root.span_id and event.kind in ("agent", "workflow") and event.status == "ok"
    ]
    seen = [json.loads(its.get("mcp.result.agent_call_json") or its["mcp.workflow.output_json"]) for its in outer]
    expected = [each["text"] for each in answers if "internal error" not in each["text"]]
    assert [text if isinstance(text, str) else json.dumps(text, separators=(",", ":")) for text in seen] == expected


def test_a_failed_model_call_that_became_an_answer_is_an_error(recorded):
    failed = [event for event in own(recorded.events) if event.status == "error" and event.kind != "tool"]
    assert [event.name for event in failed] == [PLANNER, "chat stub"]
    for event in failed:
        assert "the stub fails with 404" in facts(event)["mcp.error.message"]


def test_workflows_tell_their_pattern(recorded):
    types = {
        event.name: facts(event).get("mcp.workflow.type") for event in own(recorded.events) if event.kind == "workflow"
    }
    assert types == {
        "invoke_workflow trial": None,
        "invoke_workflow pipeline": "chain",
        "invoke_workflow at_once": "parallel",
        "invoke_workflow dispatch": "router",
        "invoke_workflow polish": "evaluator-optimizer",
    }


TREE = """\
invoke_workflow trial: ok
  invoke_agent planner: ok
    chat stub: ok
    execute_tool add: ok
    execute_tool add: ok
    chat stub: ok
  invoke_agent planner: ok
    chat stub: ok
    execute_tool crash: error
    chat stub: ok
  invoke_agent boss: ok
    chat stub: ok
    execute_tool agent__helper: ok
      invoke_agent helper[1]: ok
        chat stub: ok
    chat stub: ok
  invoke_agent planner: error
    chat stub: error
  invoke_workflow pipeline: ok
    invoke_agent first: ok
      chat passthrough: ok
    invoke_agent second: ok
      chat passthrough: ok
  invoke_agent planner: ok
    chat stub: ok
    execute_tool shout: ok
    execute_tool refuse: error
    chat stub: ok
  invoke_workflow at_once: ok
    invoke_agent first: ok
      chat passthrough: ok
    invoke_agent second: ok
      chat passthrough: ok
    invoke_agent at_once_fan_in: ok
      chat passthrough: ok
  chat passthrough: ok
  invoke_workflow dispatch: ok
    chat passthrough: ok
    invoke_agent second: ok
      chat passthrough: ok
  invoke_agent judge: ok
    chat passthrough: ok
  invoke_workflow polish: ok
    invoke_agent first: ok
      chat passthrough: ok
    invoke_agent judge: ok
      chat passthrough: ok
  invoke_agent first: ok
    chat passthrough: ok
  invoke_agent player: ok
    chat playback: ok
  invoke_agent second: ok
  invoke_agent planner: cancelled
    chat stub: ok
    execute_tool forever: cancelled"""
