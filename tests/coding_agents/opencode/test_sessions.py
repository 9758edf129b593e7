"""Sessions of opencode become agents, model calls and tools.

``captured`` has what the plugin noted in opencode 1.18.33, and what opencode exported, with a script in the place of
the model (``tests/coding_agents/capture.py``). It ran commands, one of which failed and one of which is forbidden;
asked for a tool that does not exist and a file that is not there; started a subagent; was continued; and got an error
instead of an answer.
"""

import json
from pathlib import Path

import pytest

from inspector.coding_agents.opencode.notes import Notes
from inspector.reading.dialects import read_span
from inspector.transcripts import transcript_of

CAPTURED = Path(__file__).parent / "captured"
NOTES = [json.loads(line) for line in (CAPTURED / "notes.jsonl").read_text().splitlines()]
SYSTEM = "You are OpenCode"


def read(notes=NOTES):
    """The spans, once for each that ended; those that only began have no end."""
    reader = Notes()
    taken = [span for note in notes for span in reader.spans(note)]
    taken += reader.rest()
    return [read_span(span) for span in taken]


def ended(notes=NOTES):
    spans = [span for span in read(notes) if span.end_ns is not None]
    assert len({span.span_id for span in spans}) == len(spans)
    return spans


def exported(document=None):
    text = (CAPTURED / "session.json").read_bytes() if document is None else json.dumps(document).encode()
    transcript = transcript_of(text, CAPTURED / "session.json")
    return [read_span(span) for span in transcript.spans(json.loads(text))]


def note(kind, session="ses_1", at=1000, **said):
    return {"kind": kind, "session": session, "at": at, **said}


def message(role, at, message_id, **more):
    info = {
        "id": message_id,
        "role": role,
        "time": {"created": at},
        "agent": "build",
        "modelID": "m",
        "providerID": "p",
    }
    return note("message", at=at, info={**info, **more})


def part(at, message_id, **said):
    return note("part", at=at, part={"id": f"{message_id}{at}", "messageID": message_id, **said})


BEGINNING = [
    note("session", info={"id": "ses_1", "version": "1"}),
    message("user", 1000, "msg_1"),
    part(1000, "msg_1", type="text", text="Go"),
    message("assistant", 1100, "msg_2", parentID="msg_1"),
    note("asks", at=1200, agent="build", system="Be kind."),
]
CALL = {"type": "tool", "tool": "bash", "callID": "call_1"}
RUNNING = part(1400, "msg_2", **CALL, state={"status": "running", "input": {}, "time": {"start": 1400}})
ABORTED = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}


def outcomes(notes):
    return [(span.kind, span.status, span.start_ns // 10**6, span.end_ns // 10**6) for span in ended(notes)]


def test_each_prompt_is_an_agent_with_its_answer():
    agents = [span for span in ended() if span.kind == "agent"]
    asked = [json.loads(agent.attributes[agent.input_key])[0]["content"] for agent in agents]
    assert [(text.strip('"'), agent.agent, agent.status) for text, agent in zip(asked, agents, strict=True)] == [
        ("Find a hotel", "general", "ok"),
        ("Plan a trip", "build", "ok"),
        ("And now", "build", "ok"),
        ("Break", "build", "error"),
    ]
    assert "All done." in agents[1].attributes[agents[1].output_key]


def test_a_subagent_is_below_the_prompt_that_started_it_and_in_its_session():
    agents = [span for span in ended() if span.kind == "agent"]
    assert (agents[0].parent_id, agents[0].trace_id) == (agents[1].span_id, agents[1].trace_id)
    assert agents[0].session_id == agents[1].session_id == agents[2].session_id != agents[3].session_id


def test_tools_have_arguments_results_and_what_went_wrong():
    tools = [(span.tool, span.status, span.error and span.error.message) for span in ended() if span.kind == "tool"]
    assert [tool[:2] for tool in tools] == [
        ("bash", "error"),
        ("bash", "ok"),
        ("missing", "error"),
        ("bash", "denied"),
        ("read", "error"),
        ("bash", "ok"),
        ("task", "ok"),
    ]
    assert tools[0][2] == "exit code 3"
    assert tools[2][2].startswith("Model tried to call unavailable tool 'missing'")
    first = next(span for span in ended() if span.kind == "tool" and span.status == "ok")
    assert json.loads(first.attributes[first.input_key]) == {"command": "echo hi; sleep 0.3"}
    assert first.attributes[first.output_key] == "hi\n"


def test_a_model_call_has_the_system_prompt_its_tokens_and_what_opencode_says_it_cost():
    call = next(span for span in ended() if span.kind == "llm")
    messages = json.loads(call.attributes[call.input_key])
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"].startswith(SYSTEM)
    # The answer's ten tokens, of which four are thoughts, and 102 of the prompt, of which 30 were cached.
    assert (call.input_tokens, call.output_tokens, call.cached_tokens) == (102, 10, 30)
    assert call.cost_usd == 0.000175
    assert call.model == "gpt-5"


def test_a_model_call_begins_when_the_model_is_asked():
    asked = [note["at"] for note in NOTES if note["kind"] == "asks" and note["agent"] == "build"]
    calls = [span for span in ended() if span.kind == "llm" and span.agent == "build"]
    assert [call.start_ns // 10**6 for call in calls] == asked


def test_a_model_call_that_failed_has_the_error_and_so_has_its_prompt():
    failed = [span for span in ended() if span.kind != "tool" and span.status == "error"]
    assert [(span.kind, span.error.message) for span in failed] == [
        ("llm", "broken request"),
        ("agent", "broken request"),
    ]


def test_a_session_that_is_continued_is_told_what_was_said_before():
    call = next(span for span in ended() if span.kind == "llm" and "Now rest." in str(span.attributes))
    messages = json.loads(call.attributes[call.input_key])
    assert [message["role"] for message in messages[:3]] == ["system", "user", "assistant"]
    assert "Plan a trip" in str(messages[1])
    assert "And now" in str(messages[-1])


def test_prompts_model_calls_and_tools_are_known_when_they_begin():
    begun = [(span.kind, span.start_ns // 10**6) for span in read([*BEGINNING, RUNNING]) if span.end_ns is None]
    assert begun == [("agent", 1000), ("llm", 1200), ("tool", 1400)]


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ({"status": "error", "error": "Tool execution aborted"}, "cancelled"),
        (
            {"status": "completed", "output": "1\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>"},
            "cancelled",
        ),
        ({"status": "error", "error": "The user rejected permission to use this specific tool call."}, "denied"),
        ({"status": "error", "error": "no such file"}, "error"),
    ],
)
def test_a_tool_call_that_was_interrupted_or_refused_is_no_failure(result, status):
    done = part(1500, "msg_2", **CALL, state={**result, "input": {}, "time": {"start": 1400, "end": 1500}})
    assert ("tool", status, 1400, 1500) in outcomes([*BEGINNING, RUNNING, done, note("idle", at=1600)])


def test_a_prompt_that_is_interrupted_is_cancelled_with_the_tool_that_ran():
    notes = [*BEGINNING, RUNNING, note("error", at=1500, error=ABORTED), note("idle", at=1600)]
    # What opencode tells of the message afterwards changes nothing.
    late = message("assistant", 1100, "msg_2", parentID="msg_1", error=ABORTED)
    assert outcomes([*notes, late]) == [
        ("llm", "ok", 1200, 1400),
        ("tool", "cancelled", 1400, 1600),
        ("agent", "cancelled", 1000, 1600),
    ]


def test_a_prompt_that_waited_is_not_ended_by_the_error_of_the_one_before():
    notes = [
        *BEGINNING,
        message("user", 1300, "msg_3"),
        note("error", at=1500, error={"name": "APIError", "data": {"message": "no"}}),
        message("assistant", 1600, "msg_4", parentID="msg_3"),
        note("idle", at=1700),
    ]
    agents = [(each.status, each.error and each.error.message) for each in ended(notes) if each.kind == "agent"]
    assert agents == [("error", "no"), ("ok", None)]


def test_a_model_call_that_is_interrupted_is_cancelled():
    notes = [*BEGINNING, note("error", at=1500, error=ABORTED), note("idle", at=1600)]
    assert [each[:2] for each in outcomes(notes)] == [("llm", "cancelled"), ("agent", "cancelled")]


def test_an_attempt_that_is_repeated_is_a_model_call_that_failed():
    retry = part(1300, "msg_2", type="retry", error={"data": {"message": "overloaded"}}, time={"created": 1300})
    text = part(1500, "msg_2", type="text", text="Yes", time={"start": 1400, "end": 1500})
    notes = [*BEGINNING, retry, note("asks", at=1400, agent="build"), text, note("idle", at=1600)]
    assert outcomes(notes) == [("llm", "error", 1200, 1300), ("llm", "ok", 1400, 1500), ("agent", "ok", 1000, 1600)]


def test_after_a_compaction_the_model_is_told_the_summary_alone():
    notes = [
        *BEGINNING,
        part(1300, "msg_2", type="text", text="Yes", time={"start": 1300, "end": 1300}),
        part(1300, "msg_2", type="step-finish"),
        message("user", 2000, "msg_3"),
        message("assistant", 2000, "msg_4", parentID="msg_3", agent="compaction", summary=True),
        note("asks", at=2000, agent="compaction", system="Sum it up."),
        part(2100, "msg_4", type="text", text="They said yes.", time={"start": 2000, "end": 2100}),
        part(2100, "msg_4", type="step-finish"),
        message(
            *("assistant", 2000, "msg_4"),
            parentID="msg_3",
            agent="compaction",
            summary=True,
            time={"created": 2000, "completed": 2100},
        ),
        message("user", 2200, "msg_5"),
        part(2200, "msg_5", type="text", text="Continue", synthetic=True),
        message("assistant", 2300, "msg_6", parentID="msg_5"),
        note("asks", at=2300, agent="build", system="Be kind."),
        part(2400, "msg_6", type="text", text="Done", time={"start": 2300, "end": 2400}),
        note("idle", at=2500),
    ]
    last = [span for span in ended(notes) if span.kind == "llm"][-1]
    told = json.loads(last.attributes[last.input_key])
    assert [str(each["content"]) for each in told] == [
        "Be kind.",
        str([{"type": "text", "text": "They said yes."}]),
        str([{"type": "text", "text": "Continue"}]),
    ]


def test_what_opencode_exports_is_the_same_but_for_what_only_the_plugin_knows():
    def figures(spans):
        return {(s.span_id, s.name, s.status, s.input_tokens, s.output_tokens, s.cost_usd) for s in spans}

    session = NOTES[0]["session"]
    recorded = [span for span in ended() if span.session_id == session]
    of_subagents = {span.span_id for span in recorded if span.agent == "general"}
    assert figures(exported()) == {each for each in figures(recorded) if each[0] not in of_subagents}


@pytest.mark.parametrize(
    "later",
    [
        {},
        {"kind": "part", "session": "ses_1", "part": {"type": "tool"}},
        {"kind": "part", "session": "ses_1", "part": {"messageID": "msg_2", "type": "tool", "state": "?"}},
        {"kind": "message", "session": 7, "info": {"time": None}},
        {"kind": "history", "session": "ses_1", "messages": [{"info": {"role": "assistant"}, "parts": [None]}]},
        {"kind": "later"},
    ],
)
def test_notes_that_are_not_understood_are_passed_over(later):
    notes = [*BEGINNING, later, note("idle", at=1500)]
    assert [each[:2] for each in outcomes(notes)][-1] == ("agent", "ok")


def test_a_prompt_that_was_answered_ends_with_opencode_and_any_other_stays_open():
    said = [
        part(1300, "msg_2", type="text", text="Yes", time={"start": 1300, "end": 1300}),
        part(1300, "msg_2", type="step-finish"),
    ]
    assert ("agent", "ok", 1000, 1300) in outcomes([*BEGINNING, *said])
    done = part(1500, "msg_2", **CALL, state={"status": "completed", "time": {"start": 1400, "end": 1500}})
    for notes in (BEGINNING, [*BEGINNING, RUNNING], [*BEGINNING, RUNNING, done, *said]):
        assert [kind for kind, *_ in outcomes(notes) if kind == "agent"] == []


@pytest.mark.parametrize("wrong", [1e308, 1 << 63, {"a": 1}, [None]])
def test_values_of_another_kind_cost_only_themselves(wrong):
    document = json.loads((CAPTURED / "session.json").read_bytes())
    for message in document["messages"]:
        message["info"]["time"]["created"] = wrong
        for part in message["parts"]:
            if part["type"] == "text":
                part["text"] = wrong
            elif part["type"] == "tool":
                part["state"]["input"]["error"] = wrong
    spans = exported(document)
    assert {span.name for span in spans} == {span.name for span in exported()}
    assert all(isinstance(span.error.message, str) for span in spans if span.error is not None)
