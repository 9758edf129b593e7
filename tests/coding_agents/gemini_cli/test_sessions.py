"""Sessions of Gemini CLI become agents, model calls and tools.

``captured`` has what Gemini CLI 0.61.0 wrote, with a script in the place of the model (``capture.py``). It ran two
commands, one of which failed; asked for a tool that does not exist and one that a policy forbids; started a subagent;
had a tool declined; was interrupted; and got an error instead of an answer.
"""

import json
import shutil
from pathlib import Path

import pytest

from inspector.reading.dialects import read_span
from inspector.transcripts import transcript_of
from inspector.transcripts.gemini_cli import GeminiCli

CAPTURED = Path(__file__).parent / "captured"


@pytest.fixture
def chats(tmp_path):
    """The captured files, named as Gemini CLI names them."""
    first = json.loads((CAPTURED / "session.jsonl").read_text().splitlines()[0])
    shutil.copy(CAPTURED / "session.jsonl", tmp_path / f"session-2026-11-28T14-58-{first['sessionId'][:8]}.jsonl")
    (tmp_path / first["sessionId"]).mkdir()
    shutil.copy(CAPTURED / "subagent.jsonl", tmp_path / first["sessionId"] / "subagent.jsonl")
    return tmp_path


def lines_in(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def read(path, lines=None):
    transcript = transcript_of(path.read_bytes().splitlines()[0], path)
    spans = [span for line in lines or lines_in(path) for span in transcript.spans(line)]
    return sorted(
        (read_span(span) for span in (*spans, *transcript.rest())), key=lambda span: (span.start_ns, span.kind)
    )


def session_in(chats):
    return next(chats.glob("*.jsonl"))


def test_each_prompt_is_an_agent_with_its_answer_and_its_outcome(chats):
    agents = [span for span in read(session_in(chats)) if span.kind == "agent"]
    assert [(json.loads(agent.attributes[agent.input_key])[0]["content"], agent.status) for agent in agents] == [
        ("Plan a trip", "ok"),
        ("Move it", "cancelled"),
        ("Wait for me", "cancelled"),
        ("Please break", "error"),
    ]
    assert "All done." in agents[0].attributes[agents[0].output_key]
    assert {agent.session_id for agent in agents} == {lines_in(session_in(chats))[0]["sessionId"]}


def test_a_model_call_has_messages_thoughts_calls_and_tokens(chats):
    call = next(span for span in read(session_in(chats)) if span.kind == "llm")
    asked = json.loads(call.attributes["gen_ai.input.messages"])
    assert [message["role"] for message in asked] == ["user", "user"]
    assert asked[1]["parts"] == [{"text": "Plan a trip"}]
    (said,) = json.loads(call.attributes["gen_ai.output.messages"])
    assert said["parts"][:2] == [{"text": "I should look.", "thought": True}, {"text": "Looking."}]
    assert [part["functionCall"]["args"]["command"] for part in said["parts"][2:]] == ["echo hi; sleep 0.3", "exit 3"]
    # Thoughts are part of the output, and what comes from the cache is part of the input.
    assert (call.input_tokens, call.output_tokens, call.cached_tokens) == (101, 13, 30)


def test_the_next_call_is_told_the_answer_and_the_results(chats):
    call = [span for span in read(session_in(chats)) if span.kind == "llm"][1]
    asked = json.loads(call.attributes["gen_ai.input.messages"])
    assert [message["role"] for message in asked] == ["user", "user", "assistant", "user"]
    assert [part["functionResponse"]["name"] for part in asked[3]["parts"]] == ["run_shell_command"] * 2


def test_tools_have_their_outcome(chats):
    tools = [span for span in read(session_in(chats)) if span.kind == "tool"]
    assert [(tool.tool, tool.status) for tool in tools] == [
        ("run_shell_command", "ok"),
        ("run_shell_command", "error"),
        ("mcp_calc_add", "ok"),
        ("mcp_calc_fails", "error"),
        ("missing", "error"),
        ("run_shell_command", "denied"),
        ("invoke_agent", "ok"),
        ("run_shell_command", "denied"),
        ("run_shell_command", "cancelled"),
    ]
    assert tools[1].error.message == "exit code 3"
    assert tools[4].error.message.startswith('Tool "missing" not found')


def test_an_error_of_the_api_is_a_failed_model_call(chats):
    failed = [span for span in read(session_in(chats)) if span.kind == "llm" and span.status == "error"]
    assert ["broken request" in span.error.message for span in failed] == [True]


def test_a_subagent_is_below_the_prompt_that_started_it(chats):
    root = next(span for span in read(session_in(chats)) if span.kind == "agent")
    spans = read(next(chats.glob("*/*.jsonl")))
    subagent = next(span for span in spans if span.kind == "agent")
    assert (subagent.trace_id, subagent.parent_id) == (root.trace_id, root.span_id)
    assert (subagent.name, subagent.session_id) == ("invoke_agent subagent", root.session_id)
    assert {span.parent_id for span in spans if span is not subagent} == {subagent.span_id}


def test_a_subagent_without_the_file_of_its_session_is_a_session_of_its_own():
    subagent = next(span for span in read(CAPTURED / "subagent.jsonl") if span.kind == "agent")
    assert (subagent.parent_id, subagent.session_id) == (None, lines_in(CAPTURED / "subagent.jsonl")[0]["sessionId"])


def test_a_subagent_that_is_told_to_come_to_an_end_goes_on_with_its_prompt(chats):
    path = next(chats.glob("*/*.jsonl"))
    lines = lines_in(path)
    prompt = next(line for line in lines if line.get("type") == "user")
    told = {**prompt, "id": "told", "content": [{"text": "You have exceeded the maximum number of turns."}]}
    agents = [span for span in read(path, [*lines[:5], told, *lines[5:]]) if span.kind == "agent"]
    assert len(agents) == 1


def test_a_call_that_was_not_allowed_at_all_is_denied(chats):
    path = session_in(chats)
    refused = {"id": "refused", "name": "run_shell_command", "response": {"error": "Unauthorized tool call: 'x'"}}
    lines = lines_in(path)
    at = next(at for at, line in enumerate(lines) if "functionResponse" in json.dumps(line.get("content")))
    lines[at]["content"].append({"functionResponse": refused})
    denied = [span for span in read(path, lines[: at + 1]) if span.status == "denied"]
    assert [(span.tool, span.attributes["error.message"]) for span in denied] == [
        ("run_shell_command", "Unauthorized tool call: 'x'")
    ]


def test_messages_that_are_written_again_are_no_prompts(chats):
    path = session_in(chats)
    lines = lines_in(path)
    again = next(at for at, line in enumerate(lines) if "<session_context>" in json.dumps(line.get("content")))
    prompt = next(line for line in lines if line.get("content") == [{"text": "Plan a trip"}])
    lines.insert(again + 2, {**prompt, "id": "again"})
    assert len([span for span in read(path, lines) if span.kind == "agent"]) == 4


def test_what_was_taken_back_is_no_longer_told_to_the_model(chats):
    path = session_in(chats)
    lines = lines_in(path)
    prompt = next(at for at, line in enumerate(lines) if line.get("content") == [{"text": "Plan a trip"}])
    taken_back = {"$rewindTo": lines[prompt]["id"]}
    last = next(at for at, line in enumerate(lines) if line.get("content") == [{"text": "Move it"}])
    calls = [span for span in read(path, [*lines[:last], taken_back, *lines[last : last + 3]]) if span.kind == "llm"]
    asked = json.loads(calls[-1].attributes["gen_ai.input.messages"])
    assert [message["parts"][0]["text"][:17] for message in asked] == ["<session_context>", "Move it"]


def test_a_session_that_is_resumed_ends_the_prompt_before(chats):
    path = session_in(chats)
    lines = lines_in(path)
    transcript = GeminiCli(path)
    answered = next(at for at, line in enumerate(lines) if line.get("content") == "All done.") + 1
    spans = [span for line in lines[:answered] for span in transcript.spans(line)]
    assert not [span for span in spans if span.name == "invoke_agent gemini"]
    assert [span.name for span in transcript.spans(lines[0])] == ["chat gemini-2.5-pro", "invoke_agent gemini"]


@pytest.mark.parametrize("strange", [["a"], {"a": 1}])
def test_ids_of_calls_that_are_no_texts_do_not_stop_the_reading(chats, strange):
    lines = lines_in(session_in(chats))
    for line in lines:
        for part in line["content"] if isinstance(line.get("content"), list) else ():
            part.get("functionResponse", {})["id"] = strange
    assert [span.kind for span in read(session_in(chats), lines)].count("agent") == 4
