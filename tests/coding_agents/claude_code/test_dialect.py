"""Spans of Claude Code that it sends to ``inspector serve`` by itself, without its requests."""

import pytest

from inspector.otlp import decode
from inspector.reading.dialects import read_span


@pytest.fixture
def spans(traces):
    return sorted(map(read_span, decode(traces).spans), key=lambda span: span.start_ns)


def test_prompts_model_calls_and_tools_are_told_apart(spans):
    assert {span.dialect for span in spans} == {"claude_code/1"}
    kinds = {(span.name.removeprefix("claude_code."), span.kind) for span in spans}
    assert kinds == {
        ("interaction", "agent"),
        ("llm_request", "llm"),
        ("tool", "tool"),
        ("tool.blocked_on_user", "other"),
        ("tool.execution", "other"),
    }
    assert len({span.session_id for span in spans}) == 1


def test_a_prompt_is_the_input_of_the_agent(spans):
    prompt = next(span for span in spans if span.kind == "agent")
    assert (prompt.agent, prompt.attributes[prompt.input_key]) == ("claude", "Plan a trip")


def test_model_calls_of_subagents_have_their_type_as_agent_and_all_have_their_tokens(spans):
    calls = [span for span in spans if span.kind == "llm"]
    assert sorted(call.agent for call in calls) == ["claude"] * 6 + ["general-purpose"] * 2
    assert {(call.model, call.input_tokens, call.cached_tokens) for call in calls} == {("claude-sonnet-4-5", 150, 30)}
    # As Claude Code itself counts, in the log records.
    assert round(sum(call.cost_usd for call in calls), 6) == 0.004932


def test_a_tool_has_what_its_span_has_of_arguments_and_result(spans):
    tool = next(span for span in spans if span.kind == "tool")
    assert (tool.tool, tool.attributes[tool.input_key], tool.attributes[tool.output_key]) == (
        "Bash",
        '{"command":"sleep 0.3; echo hi"}',
        "hi",
    )
