import io
import shlex
import sys

import pytest

from inspector.cli.output.paging import paged
from inspector.cli.output.terminal import Terminal

LONG = [f"line {at}" for at in range(200)]


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def pager(tmp_path):
    program = "import os, sys; open(sys.argv[1], 'w').write(os.environ['LESS'] + chr(10) + sys.stdin.read())"
    seen = tmp_path / "seen"
    return shlex.join([sys.executable, "-c", program, str(seen)]), seen


def shown(lines, **environ):
    screen = Screen()
    with paged(Terminal(screen), environ=environ) as terminal:
        terminal.write(lines)
    return screen.getvalue().splitlines()


def test_what_is_longer_than_the_screen_goes_through_the_pager(pager):
    chosen, seen = pager
    assert shown(LONG, INSPECTOR_PAGER=chosen, PAGER="false") == []
    assert seen.read_text().splitlines() == ["FRX", *LONG]


def test_the_usual_variable_names_the_pager_too(pager):
    chosen, seen = pager
    assert shown(LONG, PAGER=chosen, LESS="R") == []
    assert seen.read_text().splitlines()[0] == "R"


def test_what_fits_the_screen_needs_no_pager(pager):
    chosen, seen = pager
    assert shown(LONG[:5], PAGER=chosen) == LONG[:5]
    assert not seen.exists()


@pytest.mark.parametrize("environ", [{"PAGER": ""}, {"PAGER": "cat"}, {"PAGER": "less", "TERM": "dumb"}])
def test_no_pager_is_started_where_none_is_wanted(environ):
    assert shown(LONG, **environ) == LONG


def test_a_pipe_has_no_pager(pager):
    chosen, seen = pager
    stream = io.StringIO()
    with paged(Terminal(stream), environ={"PAGER": chosen}) as terminal:
        terminal.write(LONG)
    assert stream.getvalue().splitlines() == LONG and not seen.exists()


@pytest.mark.parametrize("name", ["no-such-pager-here", "'unbalanced"])
def test_a_pager_that_cannot_be_started_costs_no_output(name, capsys):
    assert shown(LONG, PAGER=name) == LONG
    assert "set INSPECTOR_PAGER, or use --no-pager" in capsys.readouterr().err
