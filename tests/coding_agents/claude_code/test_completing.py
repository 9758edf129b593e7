"""Claude Code's spans are completed from its log records and from the files of requests and answers."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.coding_agents.claude_code.bodies import Bodies
from inspector.coding_agents.claude_code.completing import Completing
from inspector.coding_agents.claude_code.records import records_of
from inspector.coding_agents.claude_code.tools import Tools
from inspector.otlp import decode

CAPTURED = Path(__file__).parent / "captured"


@pytest.fixture
def completed(bodies, traces, logs):
    """All spans, by name and then by the id of the tool call or the time."""
    completing = Completing(Bodies(bodies))
    starts = list(completing.take_records(records_of(logs)))
    completing.take_spans(decode(traces).spans, 0)
    spans = [*completing.complete(0), *completing.rest()]
    assert [start.span_id for start in starts] == [span.span_id for span in spans if span.parent_id is None]
    return spans


def by_tool(spans):
    return {span.attributes["tool_use_id"]: span for span in spans if span.attributes["span.type"] == "tool"}


def test_a_model_call_has_what_was_asked_and_answered(completed):
    calls = sorted(
        (span for span in completed if span.name == "chat claude-sonnet-4-5"), key=lambda call: call.start_ns
    )
    assert len(calls) == 8
    first = calls[0].attributes
    assert json.loads(first["gen_ai.input.messages"])[-1]["content"][-1]["text"] == "Plan a trip"
    (answer,) = json.loads(first["gen_ai.output.messages"])
    assert [block["type"] for block in answer["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert "You are a Claude agent" in first["gen_ai.system_instructions"]
    assert [tool["name"] for tool in json.loads(first["gen_ai.tool.definitions"])] == ["Bash", "Write"]
    # Two calls ran at the same time, one of them for the subagent.
    of_the_subagent = [call for call in calls if call.attributes["llm_request.context"] == "tool"]
    assert ["Find a hotel" in call.attributes["gen_ai.input.messages"] for call in of_the_subagent] == [True, True]
    assert {call.attributes["gen_ai.response.id"] for call in calls} == {f"msg_{number}" for number in range(1, 9)}


def test_a_tool_call_has_its_arguments_and_its_result(completed):
    tool = by_tool(completed)["t_1"]
    assert tool.name == "execute_tool Bash"
    assert json.loads(tool.attributes["gen_ai.tool.call.arguments"])["command"] == "sleep 0.3; echo hi"
    assert tool.attributes["gen_ai.tool.call.result"].startswith("hi")


def test_a_failed_tool_call_failed_once_with_what_the_model_was_told(completed):
    failed = [span for span in completed if span.status_code == 2]
    assert [(span.name, span.attributes["tool_use_id"]) for span in failed] == [("execute_tool Bash", "t_2")]
    assert failed[0].status_message.startswith("Exit code 3")
    assert failed[0].attributes["error.type"] == "ShellError"


def test_a_call_that_was_not_allowed_is_denied(completed):
    denied = by_tool(completed)["t_6"]
    assert (denied.attributes["inspector.status"], denied.status_code) == ("denied", 0)
    assert denied.attributes["error"].startswith("Claude requested permissions")


def test_a_prompt_has_the_last_answer_to_it(completed):
    first, second = sorted((span for span in completed if span.parent_id is None), key=lambda span: span.start_ns)
    assert first.attributes["user_prompt"] == "Plan a trip"
    said = json.loads(first.attributes["gen_ai.output.messages"])
    assert [block["text"] for block in said[0]["content"]] == ["All done. "]
    assert "noted" in second.attributes["gen_ai.output.messages"]


def test_a_permission_that_nobody_was_asked_for_is_no_span(completed):
    asked = [span for span in completed if span.name == "claude_code.tool.blocked_on_user"]
    assert [span.attributes["decision"] for span in asked] == ["reject"]


def test_files_are_removed_once_they_are_read(completed, bodies):
    assert list(bodies.iterdir()) == []


SPANS = [("span", span) for span in decode((CAPTURED / "traces.json").read_bytes()).spans]
RECORDS = [("record", record) for record in records_of((CAPTURED / "logs.json").read_bytes())]


def _all_of(steps):
    """Return what comes of spans and records in this order, each in a request of its own."""
    with tempfile.TemporaryDirectory() as directory:
        bodies = Path(directory) / "bodies"
        shutil.copytree(CAPTURED / "bodies", bodies)
        completing = Completing(Bodies(bodies))
        spans = []
        for kind, item in steps:
            if kind == "span":
                completing.take_spans([item], 0)
            else:
                list(completing.take_records([item]))
            spans += completing.complete(0)
        spans += completing.rest()
    return {span.span_id: span for span in spans}


@given(st.permutations([True] * len(SPANS) + [False] * len(RECORDS)))
def test_spans_may_come_before_or_after_the_records(order):
    spans, records = iter(SPANS), iter(RECORDS)
    assert _all_of(next(spans if is_span else records) for is_span in order) == _all_of([*RECORDS, *SPANS])


def test_a_span_waits_five_seconds_for_its_request_once_its_prompt_is_worked_off(traces, tmp_path):
    completing = Completing(Bodies(tmp_path))
    completing.take_spans(decode(traces).spans, 10)
    early = {span.attributes["span.type"] for span in completing.complete(14.9)}
    late = {span.attributes["span.type"] for span in completing.complete(15)}
    assert early == {"tool.execution", "tool.blocked_on_user"}
    assert late == {"llm_request", "tool", "interaction"}


def test_without_files_a_failed_call_still_says_why(traces, tmp_path):
    completing = Completing(Bodies(tmp_path))
    completing.take_spans(decode(traces).spans, 0)
    tools = by_tool(completing.rest())
    assert (tools["t_2"].status_code, tools["t_2"].status_message) == (2, "Shell command failed")
    assert tools["t_6"].attributes["inspector.status"] == "denied"


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.json", "..", "", "."])
def test_no_file_outside_its_directory_is_read(tmp_path, name):
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "bodies").mkdir()
    assert Bodies(tmp_path / "bodies").answer(name) is None
    assert Bodies(tmp_path / "bodies").request(f"../secret.json/../{name}") is None
    assert (tmp_path / "secret.json").exists()


@pytest.mark.parametrize("text", ["", "[]", "nonsense", '"text"', "[" * 100_000])
def test_a_damaged_file_is_as_good_as_none(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    assert Bodies(tmp_path).answer("a.json") is None


def test_half_a_character_in_a_file_costs_only_itself(tmp_path):
    (tmp_path / "a.json").write_bytes(rb'{"content": "cut \ud83d"}')
    assert Bodies(tmp_path).answer("a.json") == {"content": "cut \ufffd"}


def test_a_model_call_waits_for_an_answer_that_is_still_being_written(bodies, traces, logs, tmp_path):
    answers = [path.rename(tmp_path / path.name) for path in bodies.glob("*.response.json")]
    completing = Completing(Bodies(bodies))
    list(completing.take_records(records_of(logs)))
    completing.take_spans(decode(traces).spans, 0)
    assert {span.attributes["span.type"] for span in completing.complete(0)} == {
        "tool.execution",
        "tool.blocked_on_user",
    }
    for path in answers:
        path.rename(bodies / path.name)
    assert len([span for span in completing.complete(0) if "gen_ai.output.messages" in span.attributes]) == 10


def test_a_model_call_without_an_answer_has_its_request(bodies, traces, logs):
    for path in bodies.glob("*.response.json"):
        path.unlink()
    completing = Completing(Bodies(bodies))
    list(completing.take_records(records_of(logs)))
    completing.take_spans(decode(traces).spans, 0)
    calls = [span for span in completing.rest() if span.attributes["span.type"] == "llm_request"]
    assert all("gen_ai.input.messages" in call.attributes for call in calls)


def test_without_contents_no_call_waits_for_them(traces):
    completing = Completing(None)
    spans = decode(traces).spans
    completing.take_spans(spans, 0)
    assert {span.attributes["span.type"] for span in completing.complete(0)} >= {"llm_request", "tool", "interaction"}


def test_results_are_forgotten_though_every_later_request_has_them_again():
    tools = Tools()
    result = {"type": "tool_result", "tool_use_id": "t_1", "content": "hi"}
    span = next(span for _, span in SPANS if span.attributes.get("tool_use_id") == "t_1" and span.name.endswith("tool"))
    tools.note_answer([{"type": "tool_use", "id": "t_1", "input": {}}])
    tools.note_request([{"role": "user", "content": [result]}])
    assert tools.complete(span) is not None
    tools.note_request([{"role": "user", "content": [result]}])
    assert tools == Tools(_completed={"t_1"})


def test_of_a_session_that_is_over_no_requests_are_kept(bodies, traces, logs):
    completing = Completing(Bodies(bodies))
    list(completing.take_records(records_of(logs)))
    completing.take_spans(decode(traces).spans, 0)
    list(completing.rest())
    assert not completing._requests
    assert not completing._answers
    assert not completing._last_answers


def test_a_prompt_whose_tools_were_interrupted_is_cancelled(bodies):
    call = next(span for _, span in SPANS if span.attributes["span.type"] == "llm_request")
    prompt = next(span for _, span in SPANS if span.span_id == call.parent_id)
    completing = Completing(Bodies(bodies))
    list(completing.take_records(record for _, record in RECORDS))
    completing.take_spans([call, prompt], 0)
    done = {span.name: span.attributes.get("inspector.status") for span in completing.complete(0)}
    assert done == {"chat claude-sonnet-4-5": None, "invoke_agent claude": "cancelled"}


def test_prompts_that_were_worked_off_are_not_cancelled(completed):
    assert {span.attributes.get("inspector.status") for span in completed if span.parent_id is None} == {None}
