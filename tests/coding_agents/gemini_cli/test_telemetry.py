"""The telemetry of Gemini CLI says which sessions are its own, and when it has nothing to do."""

import json
from pathlib import Path

import pytest

from inspector.coding_agents.gemini_cli.telemetry import Sign, Telemetry

CAPTURED = Path(__file__).parent / "captured" / "telemetry.json"
LOG = {"resource": {}, "attributes": {"session.id": "a"}}
SPAN = {"attributes": {"gen_ai.conversation.id": "a"}, "name": "user_prompt", "endTime": [2, 7]}


def written(*values):
    return "".join(json.dumps(value, indent=2) + "\n" for value in values)


def test_what_was_captured_tells_one_session_and_the_ends_of_its_work():
    signs = list(Telemetry(CAPTURED).signs())
    assert len({sign.session for sign in signs}) == 1
    ends = [sign.idle_ns for sign in signs if sign.idle_ns is not None]
    assert len(ends) > 4
    assert ends == sorted(ends)


def test_an_object_is_read_once_it_is_complete(tmp_path):
    path = tmp_path / "telemetry"
    text = written(LOG, SPAN)
    path.write_text(text[:-5])
    telemetry = Telemetry(path)
    assert list(telemetry.signs()) == [Sign("a", None)]
    path.write_text(text)
    assert list(telemetry.signs()) == [Sign("a", 2_000_000_007)]
    assert list(telemetry.signs()) == []


@pytest.mark.parametrize("value", [{}, {"attributes": []}, {"attributes": {"session.id": 1}}])
def test_what_tells_no_session_is_passed_over(tmp_path, value):
    path = tmp_path / "telemetry"
    path.write_text("nonsense\n" + written(value, LOG))
    assert list(Telemetry(path).signs()) == [Sign("a", None)]


@pytest.mark.parametrize("ended", [None, [], [1], ["1", 2], {}])
def test_a_time_that_is_none_tells_only_the_session(tmp_path, ended):
    path = tmp_path / "telemetry"
    path.write_text(written({**SPAN, "endTime": ended}))
    assert list(Telemetry(path).signs()) == [Sign("a", None)]


def test_a_long_file_is_emptied_and_read_on(tmp_path):
    path = tmp_path / "telemetry"
    telemetry = Telemetry(path, longest=100)
    with path.open("a") as file:
        for number in range(10):
            file.write(written({"attributes": {"session.id": str(number)}}))
            file.flush()
            assert list(telemetry.signs()) == [Sign(str(number), None)]
    assert path.stat().st_size < 200
