import json

import pytest
from recorded_events import facts

from inspector.integrations.haystack.tools import resolved

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("haystack_trial.py", within="haystack").parts["everything"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    counted = [each for each in recorded.ledger if each["kind"] != "seen"]
    assert recorded.compared(counted) == ([], [])


def test_the_model_of_a_pipeline_is_below_its_component(recorded):
    assert recorded.trace_of("invoke_workflow answers") == [
        "invoke_workflow answers: ok",
        "  invoke_workflow find: ok",
        "  invoke_workflow build: ok",
        "  invoke_workflow llm: ok",
        "    chat gpt-4o: ok",
    ]
    kinds = {name: facts(recorded.first(f"invoke_workflow {name}")) for name in ("answers", "find")}
    assert kinds["answers"]["mcp.workflow.type"] == "pipeline"
    assert kinds["find"]["mcp.workflow.type"] == "component"


def test_found_documents_are_shown_without_their_vectors(recorded):
    (found,) = json.loads(facts(recorded.first("invoke_workflow find"))["mcp.workflow.output_json"])["documents"]
    assert (found["id"], found["content"]) == ("d1", "Sun in Oslo")
    assert "embedding" not in found


def test_an_agent_in_a_pipeline_has_the_name_of_its_component(recorded):
    planner = recorded.first("invoke_agent planner")
    assert recorded.first("invoke_workflow Pipeline").span_id != planner.parent_id
    (around,) = [event for event in recorded.events if event.span_id == planner.parent_id]
    assert around.name == "invoke_workflow Pipeline"


def test_a_tool_names_what_is_behind_it(recorded):
    tools = {event.tool: facts(event) for event in recorded.of("tool")}
    assert tools["weather"]["code.function.name"].endswith("weather")
    sources = {name: tools[name]["inspector.tool.source"] for name in ("weather", "slow", "shout", "helper")}
    assert sources == {"weather": "function", "slow": "function", "shout": "function", "helper": "agent"}


def test_a_failure_that_haystack_wraps_or_tells_the_model_has_its_own_exception(recorded):
    errors = {event.name: event.error.type for event in recorded.events if event.status == "error"}
    assert errors["execute_tool broken"] == "KeyError"
    assert errors["execute_tool nobody"].endswith("ToolFailed")
    assert errors["invoke_workflow shout"] == errors["invoke_workflow Pipeline"] == "ValueError"


def test_another_version_may_find_the_tools_that_a_model_asks_for_by_other_arguments():
    assert resolved(lambda *, calls: calls)(calls=1) == 1
