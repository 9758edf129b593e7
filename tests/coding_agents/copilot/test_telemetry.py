"""What GitHub Copilot CLI writes of itself becomes agents, model calls and tools.

``captured`` has what version 1.0.102 wrote, with a script in the place of the model
(``tests/coding_agents/capture.py``). It ran commands, one of which failed and one of which is forbidden; asked for a
tool that does not exist and a file that it may not read; started a subagent; and got an error instead of an answer.
"""

import json
from pathlib import Path

import pytest

from inspector.reading.dialects import read_span
from inspector.transcripts import transcript_of

CAPTURED = Path(__file__).parent / "captured" / "telemetry.jsonl"
LINES = [json.loads(line) for line in CAPTURED.read_text().splitlines()]
SPAN = next(line for line in LINES if line["name"].startswith("chat"))


def read(lines=LINES):
    transcript = transcript_of(CAPTURED.read_bytes().splitlines()[0], CAPTURED)
    spans = [span for line in lines for span in transcript.spans(line)]
    return sorted(map(read_span, (*spans, *transcript.rest())), key=lambda span: span.start_ns)


def test_each_prompt_is_an_agent_with_what_the_user_asked_and_its_answer():
    agents = [span for span in read() if span.kind == "agent"]
    assert [(agent.name, agent.agent, agent.status) for agent in agents] == [
        ("invoke_agent copilot", "copilot", "ok"),
        ("invoke_agent explore", "explore", "ok"),
        ("invoke_agent copilot", "copilot", "error"),
    ]
    asked = json.loads(agents[0].attributes[agents[0].input_key])
    assert asked[-1]["parts"] == [{"type": "text", "content": "Fly there"}]
    assert "All done." in agents[0].attributes[agents[0].output_key]
    assert agents[2].error.message == "Session error: 400 broken request"


def test_a_subagent_is_below_the_tool_call_that_started_it():
    task = next(span for span in read() if span.tool == "task")
    subagent = next(span for span in read() if span.agent == "explore" and span.kind == "agent")
    assert subagent.parent_id == task.span_id


def test_tools_have_arguments_results_and_what_went_wrong():
    tools = [span for span in read() if span.kind == "tool"]
    assert {(tool.name, tool.status, tool.error and tool.error.message[:40]) for tool in tools} == {
        ("execute_tool bash", "ok", None),
        ("execute_tool bash", "error", "exit code 1"),
        ("execute_tool bash", "denied", "Permission to run this tool was denied d"),
        ("execute_tool missing", "error", "Tool 'missing' does not exist."),
        ("execute_tool view", "denied", "Permission denied because no interactive"),
        ("execute_tool task", "ok", None),
    }
    first = next(tool for tool in tools if "sleep" in tool.attributes[tool.input_key])
    assert json.loads(first.attributes[first.input_key])["command"] == "echo hi; sleep 0.3"
    assert first.attributes[first.output_key].startswith("hi\n")


def test_a_model_call_has_messages_tools_and_tokens():
    call = next(span for span in read() if span.kind == "llm")
    assert (call.model, call.input_tokens, call.output_tokens, call.cached_tokens) == ("gpt-5", 101, 10, 30)
    assert "Fly there" in call.attributes[call.input_key]
    assert "GitHub Copilot CLI" in call.attributes["gen_ai.system_instructions"]
    assert json.loads(call.attributes["gen_ai.tool.definitions"])[0]["name"] == "bash"


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"type": "metric"},
        SPAN | {"endTime": None},
        SPAN | {"startTime": [1, "2"]},
        SPAN | {"spanId": "0" * 16},
        SPAN | {"traceId": "ABC"},
    ],
)
def test_lines_without_a_span_are_passed_over(line):
    assert read([line]) == []


def test_a_span_of_which_parts_are_not_understood_is_read_without_them():
    (span,) = read([SPAN | {"events": [None, {"name": "exception"}], "status": None, "kind": "?", "parentSpanId": 1}])
    assert (span.kind, span.parent_id) == ("llm", None)
