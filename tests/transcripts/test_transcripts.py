"""Sessions that coding agents keep of themselves become agents, model calls and tools.

``captured`` has what Claude Code 2.1.332 and Codex 0.171.0 wrote, each with a script in the place of the model; long
texts are cut. Claude Code ran two commands (one failed), asked for two tools that do not exist, started a subagent, and
was not allowed to write a file. Codex ran two commands, one of which failed.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.reading.dialects import read_span
from inspector.transcripts import transcript_of
from inspector.transcripts.codex import Codex
from inspector.transcripts.lines import object_on

CAPTURED = Path(__file__).parent / "captured"
OF_CODEX = Path(__file__).parents[1] / "coding_agents" / "codex" / "captured"
"""Of a later session, with a subagent: ``tests/coding_agents/codex/capture.py``."""
OF_GEMINI_CLI = Path(__file__).parents[1] / "coding_agents" / "gemini_cli" / "captured"


def lines_of(name):
    return (CAPTURED / name).read_bytes().splitlines()


def read(lines):
    transcript = transcript_of(lines[0], Path("session.jsonl"))
    spans = [span for line in lines if (found := object_on(line)) is not None for span in transcript.spans(found)]
    return [read_span(span) for span in (*spans, *transcript.rest())]


def told(span):
    return span.kind, span.name, span.status


@pytest.fixture
def claude_code():
    return sorted(read(lines_of("claude_code.jsonl")), key=lambda span: (span.start_ns, span.kind))


@pytest.fixture
def codex():
    return sorted(read(lines_of("codex.jsonl")), key=lambda span: (span.start_ns, span.kind))


def test_a_session_of_claude_code_is_an_agent_for_each_prompt(claude_code):
    first, second = (span for span in claude_code if span.parent_id is None)
    assert {told(first), told(second)} == {("agent", "invoke_agent claude", "ok")}
    assert (first.service, first.session_id) == ("claude-code", "0bfcfafd-1e41-4536-8747-3a5608485fc4")
    assert "Plan a trip" in first.attributes[first.input_key]
    assert "All done." in first.attributes[first.output_key]
    assert {span.parent_id for span in claude_code if span.trace_id == first.trace_id} == {None, first.span_id}


def test_blocks_of_one_answer_are_one_model_call_even_if_a_result_comes_between_them(claude_code):
    calls = [span for span in claude_code if span.kind == "llm"]
    assert [call.attributes["gen_ai.response.id"] for call in calls] == [f"msg_{at}" for at in (3, 4, 5, 7, 8, 10)]
    (answer,) = json.loads(calls[1].attributes["gen_ai.output.messages"])
    assert [part["name"] for part in answer["content"]] == ["mcp__calc__add", "mcp__calc__fails"]
    # Tokens of the input include those of the cache, as in the conventions.
    assert {(call.input_tokens, call.cached_tokens) for call in calls} == {(150, 30)}


def test_a_model_call_begins_when_the_last_result_was_known(claude_code):
    tools = [span for span in claude_code if span.kind == "tool"]
    calls = [span for span in claude_code if span.kind == "llm"]
    assert calls[1].start_ns == max(tool.end_ns for tool in tools if tool.tool == "Bash")


def test_tools_of_claude_code_have_their_outcome(claude_code):
    tools = [span for span in claude_code if span.kind == "tool"]
    assert [(tool.tool, tool.status) for tool in tools] == [
        ("Bash", "ok"),
        ("Bash", "error"),
        ("mcp__calc__add", "error"),
        ("mcp__calc__fails", "error"),
        ("Task", "ok"),
        ("Write", "denied"),
    ]
    assert (tools[1].error.message, tools[1].attributes[tools[1].output_key]) == ("Exit code 3", "Exit code 3")
    assert tools[5].error.message.startswith("Claude requested permissions")


def test_a_subagent_is_below_the_prompt_that_started_it(claude_code):
    subagent = next(span for span in read(lines_of("claude_code_subagent.jsonl")) if span.kind == "agent")
    root = next(span for span in claude_code if span.parent_id is None)
    assert (subagent.trace_id, subagent.parent_id) == (root.trace_id, root.span_id)
    assert (subagent.agent, subagent.name) == ("general-purpose", "invoke_agent general-purpose")


def test_what_was_summed_up_is_no_longer_part_of_the_prompt():
    lines = lines_of("claude_code.jsonl")
    at = next(number for number, line in enumerate(lines) if b'"msg_8"' in line)
    boundary = {**json.loads(lines[at]), "type": "system", "subtype": "compact_boundary"}
    lines.insert(at, json.dumps(boundary).encode())
    last = next(span for span in read(lines) if span.attributes.get("gen_ai.response.id") == "msg_8")
    assert last.attributes.get("gen_ai.input.messages") in (None, "[]")


@pytest.mark.parametrize(
    "compacted",
    [
        {"replacement_history": [{"type": "message", "role": "user", "content": "Look on, summed up"}]},
        {"message": "Look on, summed up"},
    ],
)
def test_after_codex_summed_up_the_model_is_told_the_system_prompt_and_the_summary(compacted):
    lines = (OF_CODEX / "session.jsonl").read_bytes().splitlines()
    at = next(number for number, line in enumerate(lines) if b'"call_6"' in line)
    line = {"timestamp": json.loads(lines[at])["timestamp"], "type": "compacted", "payload": compacted}
    calls = [span for span in read([*lines[:at], json.dumps(line).encode(), *lines[at:]]) if span.kind == "llm"]
    before, after = (json.loads(call.attributes["gen_ai.input.messages"]) for call in calls[1:3])
    assert len(before) > 2
    assert [message["content"][:8] for message in after] == ["You are ", "Look on,"]


def test_an_error_of_the_api_is_a_failed_model_call():
    lines = lines_of("claude_code.jsonl")
    error = json.loads(lines[-1])
    prompt = next(json.loads(line) for line in lines if b"Plan a trip" in line and b'"user"' in line)
    error |= {"type": "assistant", "isApiErrorMessage": True, "timestamp": "2026-11-28T07:55:59.000Z"}
    error["message"] = {"model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 400"}]}
    failed = [span for span in read([json.dumps(each).encode() for each in (prompt, error)]) if span.kind == "llm"]
    assert [(span.status, span.error.message) for span in failed] == [("error", "API Error: 400")]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "summary", "summary": "A trip", "leafUuid": "b5cc603c-0b29-4ca2-b1ff-8867102cc115"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False},
    ],
)
def test_a_session_may_begin_with_a_line_that_does_not_name_it(line, claude_code):
    assert len(read([json.dumps(line).encode(), *lines_of("claude_code.jsonl")])) == len(claude_code)


@pytest.mark.parametrize("name", ["claude_code.jsonl", "codex.jsonl"])
def test_a_byte_order_mark_is_passed_over(name):
    first, *rest = lines_of(name)
    assert len(read([b"\xef\xbb\xbf" + first, *rest])) == len(read([first, *rest]))


def said(at, kind, content, **more):
    """A line as earlier versions of Claude Code wrote them, without ``promptId``."""
    line = {"type": kind, "sessionId": "s", "uuid": f"u{at}", "timestamp": f"2025-07-01T08:00:{at:02}.000Z"}
    message = {"role": kind, "content": content} | ({"id": f"msg_{at}", "model": "m"} if kind == "assistant" else {})
    return json.dumps(line | {"message": message, "isSidechain": False} | more).encode()


def test_half_a_character_costs_only_itself():
    answer = said(2, "assistant", [{"type": "text", "text": "cut HALF"}]).replace(b"HALF", rb"\ud83d")
    agent = next(span for span in read([said(1, "user", "Hi"), answer]) if span.kind == "agent")
    assert "cut \ufffd" in agent.attributes[agent.output_key]


def test_an_interrupted_prompt_is_cancelled_and_its_notice_is_no_prompt():
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    notice = [{"type": "text", "text": "[Request interrupted by user for tool use]"}]
    spans = read(
        [
            *(said(1, "user", "Long"), said(2, "assistant", [use]), said(3, "user", notice)),
            *(said(9, "user", "Short"), said(10, "assistant", [{"type": "text", "text": "ok"}])),
        ]
    )
    agents = [span for span in spans if span.kind == "agent"]
    assert [(agent.status, agent.end_ns - agent.start_ns) for agent in agents] == [
        ("cancelled", 2_000_000_000),
        ("ok", 1_000_000_000),
    ]
    assert [span.status for span in spans if span.kind == "tool"] == ["cancelled"]


def test_subagents_in_the_file_of_the_session_are_agents_below_the_prompt():
    lines = [said(1, "user", "Plan"), said(2, "assistant", [{"type": "text", "text": "Two agents."}])]
    # Both work at the same time.
    lines += [said(at, "user", f"Part {at}", isSidechain=True, parentUuid=None) for at in (3, 4)]
    lines += [
        said(at, "assistant", [{"type": "text", "text": f"Done {at}"}], isSidechain=True, parentUuid=f"u{at - 2}")
        for at in (5, 6)
    ]
    lines.append(said(7, "assistant", [{"type": "text", "text": "Planned."}]))
    agents = {span.attributes[span.output_key]: span for span in read(lines) if span.kind == "agent"}
    first, second, main = (next(agents[key] for key in agents if text in key) for text in ("5", "6", "Planned"))
    assert (main.parent_id, first.parent_id, second.parent_id) == (None, main.span_id, main.span_id)
    assert {first.trace_id, second.trace_id} == {main.trace_id}
    assert len({first.span_id, second.span_id, main.span_id}) == 3
    assert ("Part 3" in first.attributes[first.input_key], "Part 4" in second.attributes[second.input_key]) == (
        True,
        True,
    )


def test_a_rollout_of_an_earlier_codex_has_an_agent_for_each_message_of_the_user():
    def line(at, kind, **payload):
        time = f"2025-10-01T08:00:{at:02}.000Z"
        return json.dumps({"timestamp": time, "type": kind, "payload": payload}).encode()

    def answered(at, text):
        content = [{"type": "output_text", "text": text}]
        yield line(at, "response_item", type="message", role="assistant", content=content)
        usage = {"input_tokens": 10, "output_tokens": 2}
        yield line(at, "event_msg", type="token_count", info={"last_token_usage": usage})

    rollout = [
        line(1, "session_meta", id="s", cli_version="0.46.0", instructions=None),
        line(2, "turn_context", model="gpt-5-codex"),
        *(line(3, "event_msg", type="user_message", message="Say hi"), *answered(5, "hi")),
        *(line(8, "event_msg", type="user_message", message="Bye"), *answered(9, "bye")),
    ]
    spans = read(rollout)
    assert [told(span)[:2] for span in spans] == [("llm", "chat gpt-5-codex"), ("agent", "invoke_agent codex")] * 2
    assert [("Say hi" in span.attributes[span.input_key], span.trace_id) for span in spans if span.kind == "agent"] == [
        (True, spans[0].trace_id),
        (False, spans[2].trace_id),
    ]
    assert [span.input_tokens for span in spans if span.kind == "llm"] == [10, 10]


def test_a_rollout_of_codex_is_an_agent_for_each_turn(codex):
    assert [told(span) for span in codex] == [
        ("agent", "invoke_agent codex", "ok"),
        ("llm", "chat gpt-5.1-codex", "ok"),
        ("tool", "execute_tool exec_command", "ok"),
        ("llm", "chat gpt-5.1-codex", "ok"),
        ("tool", "execute_tool exec_command", "error"),
        ("llm", "chat gpt-5.1-codex", "ok"),
    ]
    agent, call, tool, *_ = codex
    assert ("Say hi" in agent.attributes[agent.input_key], "All done." in agent.attributes[agent.output_key]) == (
        True,
        True,
    )
    assert (call.input_tokens, call.output_tokens, call.cached_tokens) == (102, 12, 30)
    roles = [message["role"] for message in json.loads(call.attributes["gen_ai.input.messages"])]
    assert (roles[0], roles[-1]) == ("system", "user")
    assert json.loads(tool.attributes[tool.input_key]) == {"cmd": "echo hi; sleep 0.2"}
    assert codex[4].error.message == "exit code 3"


def read_codex(name):
    return sorted(read((OF_CODEX / name).read_bytes().splitlines()), key=lambda span: (span.start_ns, span.kind))


def test_tools_of_codex_have_their_outcome():
    tools = [span for span in read_codex("session.jsonl") if span.kind == "tool"]
    assert [(tool.tool, tool.status, tool.error and tool.error.message[:27]) for tool in tools] == [
        ("exec_command", "ok", None),
        ("exec_command", "error", "exit code 3"),
        ("mcp__calc__add", "ok", None),
        ("mcp__calc__fails", "error", "no such sum"),
        ("missing", "error", "unsupported call: missing"),
        ("exec_command", "ok", None),
        ("exec_command", "denied", "approval policy is Never; r"),
        ("spawn_agent", "ok", None),
        ("wait_agent", "ok", None),
        ("exec_command", "cancelled", None),
    ]


def test_what_a_command_of_codex_prints_is_no_refusal():
    lines = (OF_CODEX / "session.jsonl").read_bytes().replace(b"Output:\\nhi", b"rejected by user").splitlines()
    tools = [span for span in read(lines) if span.kind == "tool"]
    assert any("rejected by user" in tool.attributes[tool.output_key] for tool in tools)
    assert sum(tool.status == "denied" for tool in tools) == 1


def test_a_subagent_of_codex_is_below_the_prompt_that_started_it():
    root, *_ = (span for span in read_codex("session.jsonl") if span.kind == "agent")
    (subagent,) = (span for span in read_codex("subagent.jsonl") if span.kind == "agent")
    assert (subagent.trace_id, subagent.parent_id, subagent.session_id) == (
        root.trace_id,
        root.span_id,
        root.session_id,
    )
    assert (subagent.name, subagent.agent) == ("invoke_agent subagent", "subagent")
    assert "sub is done" in subagent.attributes[subagent.output_key]


def test_a_subagent_of_a_subagent_is_below_it():
    lines = [json.loads(line) for line in (OF_CODEX / "subagent.jsonl").read_bytes().splitlines()]
    thread, turn = lines[0]["payload"]["id"], lines[1]["payload"]["turn_id"]
    lines[0]["payload"] |= {"id": "inner", "parent_thread_id": thread, "agent_role": "reviewer"}
    lines[1]["payload"] |= {"turn_id": "of inner"}
    lines[1]["payload"]["turn_attribution"]["parent_turn_id"] = turn
    (inner,) = (span for span in read([json.dumps(line).encode() for line in lines]) if span.kind == "agent")
    (subagent,) = (span for span in read_codex("subagent.jsonl") if span.kind == "agent")
    assert (inner.trace_id, inner.parent_id, inner.name) == (
        subagent.trace_id,
        subagent.span_id,
        "invoke_agent reviewer",
    )


def test_what_is_read_live_of_codex_also_begins_and_ends_the_same():
    lines = [object_on(line) for line in (OF_CODEX / "session.jsonl").read_bytes().splitlines()]
    live, whole = Codex(CAPTURED, is_live=True), Codex(CAPTURED)
    spans = [span for line in lines for span in live.spans(line)]
    begun = [span.span_id for span in spans if span.end_ns is None]
    assert [span for span in spans if span.end_ns is not None] == [span for line in lines for span in whole.spans(line)]
    assert len(begun) == len(set(begun))
    for span_id in begun:
        assert [span.end_ns is None for span in spans if span.span_id == span_id] == [True, False]
    assert {read_span(span).kind for span in spans if span.span_id in begun} == {"agent", "tool"}


@pytest.mark.parametrize("name", ["claude_code.jsonl", "codex.jsonl"])
def test_reading_again_gives_the_same_ids(name):
    assert [span.span_id for span in read(lines_of(name))] == [span.span_id for span in read(lines_of(name))]


@pytest.mark.parametrize("name", ["claude_code.jsonl", "codex.jsonl"])
def test_a_file_that_ends_in_the_middle_has_what_came_until_then(name):
    lines = lines_of(name)
    for end in range(1, len(lines)):
        spans = read(lines[:end])
        assert len({span.span_id for span in spans}) == len(spans)
        assert all(span.end_ns >= span.start_ns for span in spans)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.sweep(1)
@given(st.data())
@pytest.mark.parametrize(
    "path",
    [
        CAPTURED / "claude_code.jsonl",
        CAPTURED / "codex.jsonl",
        OF_CODEX / "session.jsonl",
        OF_GEMINI_CLI / "session.jsonl",
    ],
)
def test_whatever_stands_in_a_place_nothing_is_raised(path, data):
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for _ in range(5):
        place = lines[data.draw(st.integers(0, len(lines) - 1))]
        for _ in range(data.draw(st.integers(0, 4))):
            keys = [key for key, value in place.items() if isinstance(value, dict) and value]
            if not keys:
                break
            place = place[data.draw(st.sampled_from(keys))]
        if place:
            place[data.draw(st.sampled_from(sorted(place)))] = data.draw(VALUES)
    written = [json.dumps(line).encode() for line in lines]
    if transcript_of(written[0], path) is not None:
        read(written)


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"{}", b"nonsense", b'{"resourceSpans": []}', b'{"type": "session_meta"}']
)
def test_another_file_is_no_transcript(line):
    assert transcript_of(line, Path("session.jsonl")) is None
