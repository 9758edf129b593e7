import json

import pytest
from recorded_events import facts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("agno_trial.py", within="agno").parts["everything"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    counted = [each for each in recorded.ledger if each["kind"] != "seen"]
    assert recorded.compared(counted) == ([], [])


def test_a_member_and_its_tools_are_below_the_tool_that_delegates_to_it(recorded):
    assert recorded.trace_of("invoke_agent streaming") == [
        "invoke_agent streaming: ok",
        "  chat scripted-1: ok",
        "  execute_tool delegate_task_to_member: ok",
        "    invoke_agent helper: ok",
        "      chat scripted-1: ok",
        "      execute_tool weather: ok",
        "      chat scripted-1: ok",
        "  chat scripted-1: ok",
    ]


def test_agents_at_once_in_one_loop_are_a_trace_each(recorded):
    both = [recorded.first(f"invoke_agent {name}") for name in ("left", "right")]
    assert both[0].trace_id != both[1].trace_id
    for agent in both:
        names = sorted(event.name for event in recorded.events if event.parent_id == agent.span_id)
        tools = [f"execute_tool {name}" for name in ("broken", "later", "slow", "weather", "words")]
        assert names == ["chat scripted-1", "chat scripted-1", *tools]


def test_an_agent_and_a_tool_name_what_is_behind_them(recorded):
    planner = recorded.first("invoke_agent planner")
    assert facts(planner)["gen_ai.agent.description"] == "Plans."
    assert {event.session_id for event in recorded.events if event.trace_id == planner.trace_id} == {"s1"}
    tools = {event.tool: facts(event) for event in recorded.of("tool") if event.parent_id == planner.span_id}
    assert tools["weather"]["code.function.name"].endswith("weather")
    assert [tools[name]["gen_ai.tool.call.id"] for name in ("weather", "broken", "nobody")] == [
        "call_0",
        "call_1",
        "call_2",
    ]
    delegate = facts(recorded.first("execute_tool delegate_task_to_member"))
    assert delegate["inspector.tool.source"] == "agent"
    assert tools["weather"]["inspector.tool.source"] == "function"


def test_a_failure_that_agno_only_returns_has_its_exception(recorded):
    errors = {event.name: event.error for event in recorded.events if event.status == "error"}
    assert errors["execute_tool broken"].type == "KeyError"
    assert errors["invoke_agent lost"].type in ("OSError", "ValueError")
    assert errors["invoke_agent refused"].type.endswith("ModelProviderError")


def test_a_run_that_waits_for_a_person_says_so(recorded):
    asker = recorded.first("invoke_agent asker")
    assert asker.status == "cancelled"
    assert "session_paused" in [each["name"] for each in json.loads(bytes(asker.events))]


def test_kinds_of_steps_are_told_apart(recorded):
    names = ("note", "both", "if", "again", "which", "all")
    found = [facts(recorded.first(f"invoke_workflow {name}"))["mcp.workflow.type"] for name in names]
    assert found == ["step", "parallel", "condition", "loop", "router", "steps"]
