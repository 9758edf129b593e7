"""Gemini CLI's spans: each model call and each batch of tools is a trace of its own, all of one session."""

import json
from pathlib import Path

import pytest

from inspector.model import Span
from inspector.otlp import decode
from inspector.reading.dialects import read_span

EXPORT = Path(__file__).parents[1] / "exports" / "gemini_cli.jsonl"


@pytest.fixture
def spans() -> list[Span]:
    """What it sent for one prompt, in which it ran a command and read a file that does not exist."""
    decoded = decode(EXPORT.read_bytes()).spans
    return sorted(map(read_span, decoded), key=lambda span: span.start_ns)


def test_model_calls_and_tools_are_told_apart_and_are_one_session(spans):
    assert {span.dialect for span in spans} == {"gemini_cli/1"}
    assert [(span.kind, span.name) for span in spans] == [
        ("llm", "llm_call"),
        ("other", "schedule_tool_calls"),
        ("tool", "tool_call"),
        ("tool", "tool_call"),
        ("llm", "llm_call"),
    ]
    assert len({span.session_id for span in spans}) == 1


def test_model_calls_have_messages_tokens_and_cost(spans):
    first, last = (span for span in spans if span.kind == "llm")
    assert (first.model, first.input_tokens, first.output_tokens) == ("gemini-2.5-pro", 100, 10)
    assert first.cost_usd == 0.000225
    assert "Plan a trip" in first.attributes[first.input_key]
    assert "All done." in last.attributes[last.output_key]


def test_tools_have_arguments_and_what_the_model_was_told(spans):
    command, _ = (span for span in spans if span.kind == "tool")
    assert (command.tool, command.status, command.error) == ("run_shell_command", "ok", None)
    assert json.loads(command.attributes[command.input_key]) == {"command": "echo hi", "description": "a"}
    assert "Output: hi" in command.attributes[command.output_key]


def test_a_tool_that_failed_says_why_though_its_span_ended_well(spans):
    _, reading = (span for span in spans if span.kind == "tool")
    assert (reading.tool, reading.status) == ("read_file", "error")
    assert (reading.error.type, reading.error.message) == ("file_not_found", "File not found: /home/user/trip/none.txt")


@pytest.mark.parametrize(
    "output", ["", "null", "[1]", '{"status": []}', '{"status": "error", "response": {"responseParts": [1]}}']
)
def test_an_answer_in_another_form_breaks_nothing(output):
    (decoded, *_) = (span for span in decode(EXPORT.read_bytes()).spans if span.name == "tool_call")
    decoded.attributes["gen_ai.output.messages"] = output
    assert read_span(decoded).kind == "tool"
