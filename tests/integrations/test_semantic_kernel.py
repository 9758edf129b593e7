import asyncio
from types import SimpleNamespace

import pytest
from recorded_events import facts

from inspector.integrations.calls import opened
from inspector.integrations.semantic_kernel.functions import decided
from instrument import control

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("semantic_kernel_trial.py", within="semantic-kernel").parts["everything"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    counted = [each for each in recorded.ledger if each["kind"] != "seen"]
    assert recorded.compared(counted) == ([], [])


def test_agents_of_an_orchestration_are_below_it_though_its_runtime_began_before(recorded):
    assert recorded.trace_of("invoke_workflow HandoffOrchestration") == [
        "invoke_workflow HandoffOrchestration: ok",
        "  invoke_agent ann: ok",
        "    chat gpt-4o: ok",
        "    execute_tool Handoff-transfer_to_bob: ok",
        "  invoke_agent bob: ok",
        "    chat scripted-1: ok",
    ]
    assert facts(recorded.first("invoke_workflow HandoffOrchestration"))["mcp.workflow.type"] == "handoff"


def test_a_model_that_is_asked_without_an_agent_is_one_trace_with_its_functions(recorded):
    assert recorded.trace_of("invoke_workflow OpenAIChatCompletion") == [
        "invoke_workflow OpenAIChatCompletion: ok",
        "  chat gpt-4o: ok",
        "  execute_tool Trip-weather: ok",
        "  chat gpt-4o: ok",
    ]


def test_a_function_names_what_is_behind_it(recorded):
    tools = {event.tool: facts(event) for event in recorded.of("tool")}
    assert tools["Trip-broken"]["code.function.name"].endswith("broken")
    names = ("Trip-broken", "helper-helper", "Handoff-transfer_to_bob")
    assert [tools[name]["inspector.tool.source"] for name in names] == ["function", "agent", "runtime"]


def test_a_failure_that_is_told_the_model_has_its_own_exception(recorded):
    errors = {event.name: event.error.type for event in recorded.events if event.status == "error"}
    assert errors["execute_tool Trip-broken"] == "KeyError"
    assert errors["execute_tool Trip-nobody"].endswith("CallRefused")
    assert errors["invoke_workflow Plan.plan"] == "ValueError"


def test_a_thread_is_a_session_if_the_program_named_it(recorded):
    sessions = {event.name: event.session_id for event in recorded.of("agent")}
    assert (sessions["invoke_agent streaming"], sessions["invoke_agent planner"]) == ("talk-1", None)


def test_changed_arguments_are_for_one_call_and_not_for_others_with_the_same_object():
    async def book(function, context):
        context.result = SimpleNamespace(value=dict(context.arguments))

    given = {"city": "Oslo", "seats": 4, "user": "ada"}
    context = SimpleNamespace(arguments=given)
    named = {"tool_name": "book", "args": {"city": "Oslo", "seats": 4}}
    with control.install(lambda _: control.Proceed({"city": "Rome"})):
        with opened("tool_call", lambda: named, emitter="semantic_kernel") as call:
            asyncio.run(decided(book)(None, context))
        call.ended()
    assert context.result.value == {"city": "Rome", "user": "ada"}
    assert given == {"city": "Oslo", "seats": 4, "user": "ada"}
