import pytest
from recorded_events import facts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("ag2_trial.py", within="ag2").parts["everything"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    counted = [each for each in recorded.ledger if each["kind"] != "seen"]
    assert recorded.compared(counted) == ([], [])


def test_a_tool_names_what_is_behind_it(recorded):
    tools = {event.tool: facts(event) for event in recorded.of("tool")}
    assert tools["weather"]["code.function.name"].endswith("weather")
    sources = {name: tools[name]["inspector.tool.source"] for name in ("weather", "found")}
    assert sources == {"weather": "function", "found": "function"}
    assert {tools[name]["inspector.tool.source"] for name in ("ask_helper", "run_subtask")} == {"agent"}


def test_a_failure_has_its_own_exception_and_the_model_is_told_no_frame_of_ours(recorded):
    errors = {event.name: event.error.type for event in recorded.events if event.status == "error"}
    assert errors["execute_tool broken"] == "KeyError"
    assert errors["execute_tool nobody"].endswith("ToolNotFoundError")
    (planner,) = (event for event in recorded.of("agent") if b"Traceback" in bytes(event.output or b""))
    assert b"/inspector/integrations/" not in bytes(planner.output)
