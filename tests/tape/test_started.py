from pathlib import Path

import pytest

from inspector.tape import replay_command


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({}, "inspector replay r1"),
        ({"names_program": True}, "inspector replay r1 -- PROGRAM"),
        ({"home": Path("/my home")}, "inspector replay --home '/my home' r1"),
    ],
)
def test_the_command_is_a_line_that_a_shell_takes(given, line):
    assert replay_command("r1", **given) == line


def test_what_is_named_like_an_option_or_has_a_space_stays_one_word():
    assert replay_command("--help") == "inspector replay -- --help"
    assert replay_command("my run.jsonl") == "inspector replay 'my run.jsonl'"
