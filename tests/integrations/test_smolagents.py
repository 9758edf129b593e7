import json

import pytest
from recorded_events import facts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("smolagents_trial.py", within="smolagents").parts["everything"]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    counted = [each for each in recorded.ledger if each["kind"] != "seen"]
    assert recorded.compared(counted) == ([], [])


def test_tools_called_by_the_code_of_a_model_are_below_the_code(recorded):
    first = next(each for each in recorded.events if each.name == "invoke_agent CodeAgent")
    tree = [each for each in recorded.events if each.trace_id == first.trace_id]
    code = [each for each in tree if each.parent_id == first.span_id and each.kind == "tool"]
    below = [[each.name for each in tree if each.parent_id == call.span_id] for call in code]
    assert [each.name for each in code] == ["execute_tool python_interpreter"] * 3
    assert below == [
        ["execute_tool weather", "execute_tool broken"],
        ["execute_tool final_answer"],
        ["invoke_agent helper", "execute_tool twice", "execute_tool final_answer"],
    ]


def test_an_answer_that_comes_to_nothing_is_noted_at_its_agent(recorded):
    agent = next(each for each in recorded.events if each.name == "invoke_agent CodeAgent")
    noted = [each["attributes"] for each in json.loads(bytes(agent.events))]
    assert agent.status == "ok"
    assert [each["exception.type"] for each in noted] == ["AgentParsingError", "AgentError"]
    assert "was not found in it" in noted[0]["exception.message"]
    assert noted[1]["exception.message"].startswith("Check is_even failed")


def test_a_streamed_answer_tells_how_long_its_first_part_took(recorded):
    streamed = [facts(each) for each in recorded.of("llm") if each.status == "ok"]
    streamed = [each for each in streamed if each.get("gen_ai.request.stream")]
    assert len(streamed) == 5
    assert all(each["gen_ai.response.time_to_first_chunk"] > 0 for each in streamed)


def test_a_model_of_the_program_is_shown_what_smolagents_sends(recorded):
    calls = [facts(each) for each in recorded.of("llm") if each.model == "scripted-1"]
    offered = [each["function"]["name"] for each in json.loads(calls[0]["gen_ai.tool.definitions"])]
    assert offered == ["weather", "broken", "careful", "final_answer"]
    roles = [each["role"] for each in json.loads(calls[1]["gen_ai.input.messages"])]
    assert roles == ["system", "user", "assistant", "user"]
    assert json.loads(calls[0]["gen_ai.output.messages"])[0]["parts"][0]["name"] == "weather"


def test_an_agent_and_a_tool_name_what_is_behind_them(recorded):
    helper = facts(next(each for each in recorded.events if each.name == "invoke_agent helper"))
    assert helper["gen_ai.agent.description"] == "Helps."
    tools = {each.tool: facts(each) for each in recorded.of("tool") if each.status == "ok"}
    assert tools["twice"]["code.function.name"].endswith("twice")
    sources = {name: tools[name]["inspector.tool.source"] for name in ("twice", "final_answer", "python_interpreter")}
    assert sources == {"twice": "function", "final_answer": "runtime", "python_interpreter": "runtime"}
