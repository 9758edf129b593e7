import asyncio
import json

import pytest
from recorded_events import facts

from inspector.integrations.strands.tools import refused

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("strands_trial.py", within="strands").parts["everything"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    counted = [each for each in recorded.ledger if each["kind"] != "seen"]
    assert recorded.compared(counted) == ([], [])


def test_an_agent_that_is_a_tool_is_below_its_call(recorded):
    assert recorded.trace_of("invoke_agent outer") == [
        "invoke_agent outer: ok",
        "  chat scripted-1: ok",
        "  execute_tool helper: ok",
        "    invoke_agent helper: ok",
        "      chat scripted-1: ok",
        "      execute_tool weather: ok",
        "      chat scripted-1: ok",
        "  chat scripted-1: ok",
    ]


def test_agents_of_graphs_and_swarms_are_below_them(recorded):
    assert recorded.trace_of("invoke_workflow bees") == [
        "invoke_workflow bees: ok",
        "  invoke_agent first: ok",
        "    chat scripted-1: ok",
        "    execute_tool handoff_to_agent: ok",
        "    chat scripted-1: ok",
        "  invoke_agent second: ok",
        "    chat scripted-1: ok",
    ]
    found = [facts(recorded.first(f"invoke_workflow {name}"))["mcp.workflow.type"] for name in ("paths", "bees")]
    assert found == ["graph", "swarm"]


def test_an_agent_and_a_tool_name_what_is_behind_them(recorded):
    one = recorded.first("invoke_agent one")
    assert facts(one)["gen_ai.agent.description"] == "Asks."
    outer = recorded.first("invoke_agent outer")
    assert {event.session_id for event in recorded.events if event.trace_id == outer.trace_id} == {"session-7"}
    assert one.session_id is None
    tools = {event.tool: facts(event) for event in recorded.of("tool") if event.parent_id == one.span_id}
    assert tools["broken"]["code.function.name"].endswith("broken")
    assert tools["broken"]["gen_ai.tool.call.id"] == "call_1"
    kinds = {name: facts(recorded.first(f"execute_tool {name}")) for name in ("words", "helper", "City")}
    sources = {name: each["inspector.tool.source"] for name, each in kinds.items()}
    assert sources == {"words": "function", "helper": "agent", "City": "runtime"}


def test_a_failure_that_strands_tells_only_the_model_has_its_exception(recorded):
    errors = {event.name: event.error for event in recorded.events if event.status in ("error", "denied")}
    assert errors["execute_tool broken"].type == "KeyError"
    assert errors["execute_tool flaky"].type == "OSError"
    assert errors["execute_tool by_request"].type.endswith("ToolFailed")
    assert errors["invoke_workflow default_graph"].type == "ValueError"


def test_a_run_that_waits_for_a_person_says_so(recorded):
    asker = recorded.first("invoke_agent waiting")
    assert asker.status == "cancelled"
    assert "session_paused" in [each["name"] for each in json.loads(bytes(asker.events))]


def test_a_model_of_the_program_is_shown_what_it_is_given(recorded):
    call = next(facts(event) for event in recorded.of("llm") if event.model == "scripted-1")
    offered = [each["toolSpec"]["name"] for each in json.loads(call["gen_ai.tool.definitions"])]
    assert offered == ["weather", "broken", "where", "words", "by_request", "own"]
    assert [each["role"] for each in json.loads(call["gen_ai.input.messages"])] == ["user"]
    assert "Be brief." in call["gen_ai.system_instructions"]
    assert json.loads(call["gen_ai.output.messages"])[0]["parts"][0]["name"] == "weather"


def test_another_version_may_run_its_tools_with_other_arguments():
    async def stream(*, request):
        yield request

    async def events():
        return [event async for event in refused(stream)(request="one")]

    assert asyncio.run(events()) == ["one"]
