import json
from dataclasses import replace

import pytest
from recorded_events import facts

from inspector.tape import NotReplayable, tape_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def parts(run):
    """Without the spans of OpenAI's SDK below LiteLLM's, which are the same calls."""
    recorded = run("dspy_modules.py", within="dspy").parts
    return {
        name: replace(part, events=tuple(each for each in part.events if each.folded_into is None))
        for name, part in recorded.items()
    }


@pytest.fixture(scope="module", params=["lm15", "litellm"])
def recorded(parts, request):
    return parts[request.param]


def test_every_call_the_program_counted_is_recorded_once_in_its_place(parts):
    for recorded in parts.values():
        counted = [each for each in recorded.ledger if each["kind"] != "seen"]
        assert recorded.compared(counted) == ([], [])


def test_an_agent_its_tools_and_its_model_calls_are_one_tree(recorded):
    first = recorded.events[0]
    tree = replace(recorded, events=tuple(each for each in recorded.events if each.trace_id == first.trace_id)).tree()
    turn = ["  invoke_workflow Predict", "    chat stub"]
    assert tree == [
        "invoke_agent ReAct",
        *(*turn, "  execute_tool weather"),
        *(*turn, "  execute_tool broken"),
        *(*turn, "  execute_tool finish"),
        *("  invoke_workflow ChainOfThought", "    invoke_workflow Predict", "      chat stub"),
    ]


def test_an_answer_that_was_on_disk_is_no_model_call_and_prevents_a_replay(recorded):
    kept = [event for event in recorded.events if "dspy.cache_hit" in facts(event)]
    (module,) = kept
    assert module.name == "invoke_workflow Predict"
    assert not [event for event in recorded.events if event.parent_id == module.span_id]
    with pytest.raises(NotReplayable, match="Predict.*DSPy had the answer of its model on disk"):
        tape_of("run", [module])


def test_model_calls_carry_what_the_provider_counted(recorded):
    calls = [event for event in recorded.of("llm") if event.status == "ok"]
    # LiteLLM does not ask for the counts of a stream.
    calls = [event for event in calls if b"gen_ai.request.stream" not in bytes(event.attributes)]
    assert len(calls) > 10
    assert all(event.input_tokens and event.output_tokens for event in calls)
    its = json.loads(bytes(calls[0].attributes))
    assert (its["gen_ai.provider.name"], its["gen_ai.request.model"]) == ("openai", "stub")


def test_a_streamed_answer_is_whole_and_tells_how_long_its_first_part_took(recorded):
    streamed = [facts(event) for event in recorded.of("llm") if event.status == "ok"]
    streamed = [its for its in streamed if its.get("gen_ai.request.stream")]
    texts = [json.loads(its["gen_ai.output.messages"])[0]["parts"][0]["content"] for its in streamed]
    said = [json.loads(text)["answer"] for text in texts]
    assert said == ["sync one two", "async one two"]
    assert all(its["gen_ai.response.time_to_first_chunk"] > 0 for its in streamed)


def test_modules_parallel_work_and_evaluations_are_told_apart(recorded):
    types = {event.name: facts(event)["mcp.workflow.type"] for event in recorded.of("workflow")}
    assert types["invoke_workflow Pipeline"] == "module"
    assert types["invoke_workflow Parallel"] == "parallel"
    assert types["invoke_workflow Evaluate"] == "evaluation"


def test_a_tool_call_names_the_function_behind_it_and_what_the_agent_does_itself(recorded):
    its = {event.tool: facts(event) for event in recorded.of("tool")}
    assert str(its["weather"]["code.function.name"]).endswith("weather")
    assert (its["weather"]["inspector.tool.source"], its["finish"]["inspector.tool.source"]) == ("function", "runtime")
