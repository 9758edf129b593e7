"""A fork of a session of Codex begins with what was said before, which is in the file of the other session."""

import json
from pathlib import Path

import pytest

from inspector.transcripts.codex import Codex

LINES = [json.loads(line) for line in (Path(__file__).parent / "captured" / "session.jsonl").read_text().splitlines()]
BEFORE, FORK = LINES[0]["payload"]["id"], "01a222d2-ed65-7eb3-a0f0-028303bbde32"
SECOND = next(at for at, line in reversed([*enumerate(LINES)]) if line["payload"].get("type") == "task_started")
END = LINES[SECOND]["ordinal"]


def write(sessions, thread, lines):
    path = sessions / "2026" / "11" / "28" / f"rollout-2026-11-28T15-42-58-{thread}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def fork(**meta):
    payload = {"forked_from_id": BEFORE, "forked_from_ordinal_exclusive": END, **meta}
    first = {**LINES[0], "ordinal": END, "payload": {**LINES[0]["payload"], "id": FORK, "session_id": FORK, **payload}}
    return [first, *LINES[SECOND:]]


def asked(path, lines):
    """What the model is told in the last call."""
    reader = Codex(path)
    spans = [*(span for line in lines for span in reader.spans(line)), *reader.rest()]
    calls = [span for span in spans if span.name.startswith("chat")]
    return json.loads(calls[-1].attributes["gen_ai.input.messages"])


def test_the_model_is_told_what_was_said_before_a_session_was_forked(tmp_path):
    told = asked(write(tmp_path, BEFORE, LINES), LINES)
    assert len(told) > len(LINES[SECOND:]) / 2
    assert asked(write(tmp_path, FORK, fork()), fork()) == told


def test_what_was_said_after_the_fork_is_not_part_of_it(tmp_path):
    later = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "said later"}]}
    line = {**LINES[SECOND], "type": "response_item", "payload": later, "ordinal": END}
    told = asked(write(tmp_path, BEFORE, LINES), LINES)
    write(tmp_path, BEFORE, [*LINES[:SECOND], line])
    assert asked(write(tmp_path, FORK, fork()), fork()) == told


@pytest.mark.parametrize(
    "meta",
    [
        {"forked_from_id": "*"},
        {"forked_from_id": None},
        {"forked_from_id": "0" * 36},
        {"forked_from_ordinal_exclusive": None},
        {"forked_from_ordinal_exclusive": END + 1},
    ],
)
def test_a_fork_of_which_nothing_is_found_begins_with_its_own_prompt(tmp_path, meta):
    write(tmp_path, BEFORE, LINES)
    told = asked(write(tmp_path, FORK, fork(**meta)), fork(**meta))
    assert "Plan a trip" not in json.dumps(told)


def test_sessions_that_claim_to_be_forked_from_each_other_end(tmp_path):
    first = {**LINES[0], "payload": {**LINES[0]["payload"], "forked_from_id": FORK, "forked_from_ordinal_exclusive": 0}}
    write(tmp_path, BEFORE, [first, *LINES[1:]])
    told = asked(write(tmp_path, FORK, fork()), fork())
    assert "Plan a trip" in json.dumps(told)
