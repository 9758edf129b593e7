import asyncio
import os
import pty
import subprocess
import sys
import termios

import pytest

from instrument.testing import capture
from toolkit.errors import ToolRefused
from toolkit.people.approve import Approve
from toolkit.people.asking import ApprovalRequest
from toolkit.people.terminal import Terminal, request_text


def test_the_callers_approver_is_asked_unless_the_middleware_has_its_own(tool, call):
    asked = []

    def answering(who, answer):
        async def approve(request):
            asked.append((who, request))
            return answer

        return approve

    made = tool(name="shell.execute", source="runtime")
    with capture() as emitted:
        refused = call(made, {"command": "rm"}, Approve("Really?"), approver=answering("context", False))
    assert (refused.text, made.calls) == ("a person refused shell.execute", [])
    assert isinstance(refused.exception, ToolRefused)
    assert isinstance(emitted[-1][1]["exc"], ToolRefused)
    own = Approve(approver=answering("own", True))
    assert call(made, {"command": "ls"}, own, approver=answering("context", False)).text == "done"
    assert asked == [
        ("context", ApprovalRequest("shell.execute", {"command": "rm"}, "Really?")),
        ("own", ApprovalRequest("shell.execute", {"command": "ls"}, "Let the agent do this?")),
    ]


@pytest.fixture
def screen():
    """A terminal: what it shows, and the keyboard."""
    keyboard, device = pty.openpty()
    yield keyboard, os.ttyname(device)
    os.close(keyboard)
    os.close(device)


async def shown(keyboard, end):
    text = b""
    async with asyncio.timeout(10):
        while end not in text:
            text += await asyncio.to_thread(os.read, keyboard, 4096)
    return text.decode()


@pytest.mark.parametrize(
    ["typed", "answer"],
    [(b"y\n", True), (b" YES \n", True), (b"n\n", False), (b"\n", False), (b"yup\n", False), (b"\x04", None)],
)
def test_a_person_at_the_terminal_sees_the_call_and_has_to_say_yes(screen, typed, answer):
    keyboard, device = screen

    async def main():
        request = ApprovalRequest("shell.execute", {"command": "rm -rf x"}, "Really?")
        task = asyncio.create_task(Terminal(device).answer(request))
        text = await shown(keyboard, b"[y/N] ")
        os.write(keyboard, typed)
        async with asyncio.timeout(10):
            return text, await task

    text, said = asyncio.run(main())
    assert 'shell.execute {\r\n  "command": "rm -rf x"\r\n}\r\nReally? [y/N] ' in text
    assert said is answer


def test_what_was_typed_before_the_question_is_no_answer(screen):
    keyboard, device = screen

    async def main():
        os.write(keyboard, b"y\n")
        task = asyncio.create_task(Terminal(device).ask("?"))
        await shown(keyboard, b"?")
        os.write(keyboard, b"later\n")
        async with asyncio.timeout(10):
            return await task

    assert asyncio.run(main()) == "later"


def test_questions_come_one_after_the_other_and_a_cancelled_one_makes_room(screen):
    keyboard, device = screen
    terminal = Terminal(device)

    async def main():
        first = asyncio.create_task(terminal.ask("first? "))
        second = asyncio.create_task(terminal.ask("second? "))
        assert "second" not in await shown(keyboard, b"first? ")
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await shown(keyboard, b"second? ")
        os.write(keyboard, b"here\n")
        async with asyncio.timeout(10):
            return await second

    assert asyncio.run(main()) == "here"


PROGRAM = """
import asyncio
from toolkit.people.terminal import Terminal
print(asyncio.run(Terminal("/nowhere").ask("name? ")))
"""


@pytest.mark.parametrize(["given", "answer"], [("Ada\nmore", "Ada"), ("Ada", "Ada"), ("", "None")])
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_without_a_terminal_standard_input_is_read_and_standard_output_left_alone(tmp_path, given, answer, kind):
    (tmp_path / "typed").write_text(given)
    with (tmp_path / "typed").open() as typed:
        options = {"input": given} if kind == "pipe" else {"stdin": typed}
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=30, **options)
    assert (done.stdout, done.stderr) == (f"{answer}\n", "name? ")


def test_nothing_in_a_call_can_steer_the_terminal():
    hostile = {"command": "ls\x1b[2K\rsafe", "name": "\u202etxt.exe", "\x07": "ü漢"}
    text = request_text(ApprovalRequest("a\x1bb", hostile, "?"))
    assert all(each.isprintable() or each == "\n" for each in text)
    assert "ü漢" in text and "\\u001b" in text and "⟨U+202E⟩" in text
    long = request_text(ApprovalRequest("t", {"x": "a" * 10_000}, "?"))
    assert len(long) < 4100 and "more characters, not shown" in long


def test_a_terminal_keeps_its_settings(screen):
    keyboard, device = screen
    before = termios.tcgetattr(keyboard)

    async def main():
        task = asyncio.create_task(Terminal(device).ask("?"))
        await shown(keyboard, b"?")
        os.write(keyboard, b"x\n")
        await task

    asyncio.run(main())
    assert termios.tcgetattr(keyboard) == before


def test_a_tool_called_inside_of_another_asks_whom_its_own_caller_named(tool, call):
    asked = []

    def answering(who):
        async def approve(request):
            asked.append((who, request.tool_name))
            return True

        return approve

    inner, hook = tool(name="inner"), Approve()

    async def outer_run(arguments):
        await call.later(inner, {}, hook, approver=answering("inner's"))
        return "done"

    outer = tool(outer_run, name="outer")
    assert call(outer, {}, hook, hook, approver=answering("outer's")).text == "done"
    assert asked == [("outer's", "outer"), ("outer's", "outer"), ("inner's", "inner")]


def test_where_nobody_answers_nobody_is_said_to_have_refused(tool, call, tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    hook = Approve()
    hook._terminal = Terminal(str(empty))
    made = tool()
    assert call(made, {}, hook).text == "nobody answered whether add_one may be called"
    assert made.calls == []
