import asyncio

import pytest
from recorded_events import facts

from inspector.integrations.autogen.tools import served
from instrument import control

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("autogen_trial.py", within="autogen").parts["everything"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    counted = [each for each in recorded.ledger if each["kind"] != "seen"]
    assert recorded.compared(counted) == ([], [])


def test_agents_of_a_team_are_below_it_in_the_order_of_their_turns(recorded):
    assert recorded.trace_of("invoke_workflow Swarm") == [
        "invoke_workflow Swarm: ok",
        "  invoke_agent ann: ok",
        "    chat gpt-4o: ok",
        "    execute_tool transfer_to_bob: ok",
        "  invoke_agent bob: ok",
    ]
    assert facts(recorded.first("invoke_workflow Swarm"))["mcp.workflow.type"] == "swarm"


def test_a_team_in_a_runtime_that_began_before_it_is_one_trace(recorded):
    assert recorded.trace_of("invoke_workflow elsewhere") == [
        "invoke_workflow elsewhere: ok",
        "  invoke_agent first: ok",
        "    chat gpt-4o: ok",
        "    execute_tool weather: ok",
    ]


def test_a_tool_names_what_is_behind_it(recorded):
    tools = {event.tool: facts(event) for event in recorded.of("tool")}
    assert tools["weather"]["code.function.name"].endswith("weather")
    sources = {name: tools[name]["inspector.tool.source"] for name in ("weather", "find", "shelf", "helper", "crew")}
    assert sources == {
        "weather": "function",
        "find": "function",
        "shelf": "function",
        "helper": "agent",
        "crew": "agent",
    }
    assert tools["transfer_to_bob"]["inspector.tool.source"] == "runtime"


def test_a_failure_that_is_told_the_model_has_its_own_exception(recorded):
    errors = {event.name: event.error.type for event in recorded.events if event.status == "error"}
    assert errors["execute_tool broken"] == errors["execute_tool steps"] == "KeyError"
    assert errors["execute_tool nobody"].endswith("ToolFailed")
    assert errors["invoke_agent second"] == "ValueError"


async def call_tool(shelf, name, arguments=None, cancellation_token=None):
    return name, arguments, cancellation_token


@pytest.mark.parametrize("given", [(), ({"of": "books"},), ({"of": "books"}, "token")])
def test_changed_arguments_of_a_workbench_take_the_place_of_those_it_was_called_with(given):
    with control.install(lambda _: control.Proceed({"of": "maps"})):
        name, arguments, token = asyncio.run(served(call_tool)(object(), "shelf", *given))
    assert (name, arguments, token) == ("shelf", {"of": "maps"}, "token" if given[1:] else None)
