"""A program that Claude Code runs is recorded below the tool call that ran it."""

import pytest

import instrument
from inspector.record.process.started_below import started_below

TRACE, SPAN = "6ee34b85e7326b38b4b70e5da7472fe2", "acff86e796ff10b7"
CALLED = {"CLAUDE_CODE_PROPAGATE_TRACEPARENT": "1", "TRACEPARENT": f"00-{TRACE}-{SPAN}-01"}


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"CLAUDE_CODE_PROPAGATE_TRACEPARENT": "1"},
        {"TRACEPARENT": CALLED["TRACEPARENT"]},
        {**CALLED, "CLAUDE_CODE_PROPAGATE_TRACEPARENT": "0"},
        {**CALLED, "TRACEPARENT": "nonsense"},
        {**CALLED, "TRACEPARENT": f"00-{'0' * 32}-{SPAN}-01"},
    ],
)
def test_a_program_that_no_tool_call_started_is_a_trace_of_its_own(environ):
    assert started_below(environ) is None


def test_the_span_of_the_tool_call_is_the_one_that_claude_code_names():
    below = started_below(CALLED)
    assert (f"{below.trace_id:032x}", f"{below.span_id:016x}") == (TRACE, SPAN)


def call_twice():
    with instrument.around("tool_call", tool_name="outer", args={}, context=None):
        with instrument.around("tool_call", tool_name="inner", args={}, context=None):
            pass


def test_calls_without_a_parent_in_the_program_are_below_the_tool_call(record, monkeypatch):
    for name, value in CALLED.items():
        monkeypatch.setenv(name, value)
    recording = record()
    call_twice()
    outer, inner = recording.spans()
    assert (outer["traceId"], outer["parentSpanId"]) == (TRACE, SPAN)
    assert (inner["traceId"], inner["parentSpanId"]) == (TRACE, outer["spanId"])


def test_without_a_tool_call_they_begin_a_trace(record, monkeypatch):
    monkeypatch.setenv("TRACEPARENT", CALLED["TRACEPARENT"])
    recording = record()
    call_twice()
    outer, _ = recording.spans()
    assert outer["traceId"] != TRACE
    assert not outer.get("parentSpanId")
