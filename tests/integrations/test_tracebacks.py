"""Exceptions that pass through integrations, without any framework, and one program whose traceback is printed."""

import asyncio
import re
import subprocess
import traceback
from dataclasses import dataclass

import pytest

from inspector.integrations.calls import awaited, opened
from inspector.integrations.generators import Following, followed, opened_apart
from inspector.integrations.tool_bodies import decided
from inspector.integrations.tracebacks import hidden, without_ours
from inspector.integrations.within import Within
from instrument import control
from instrument.control import Denied


def frames(exc) -> list[str]:
    return [each.name for each in traceback.extract_tb(exc.__traceback__)]


def failing() -> ValueError:
    try:
        raise KeyError("before")
    except KeyError as context:
        exc = ValueError("failed")
        exc.__context__ = context
        exc.__cause__ = LookupError("cause")
        return exc


def tool_call():
    return opened("tool_call", lambda: {"tool_name": "t"}, emitter="test")


async def of_the_framework(exc):
    raise exc


async def as_call(exc):
    return await awaited(tool_call(), of_the_framework(exc), lambda result: {"result": result})


async def as_generator(exc):
    async def numbers():
        yield 1
        raise exc

    def begin():
        call = opened_apart("tool_call", lambda: {"tool_name": "t"}, emitter="test")
        return Following(call, saw=lambda _: None, conclude=call.ended)

    async for _ in followed(numbers(), begin):
        pass


class Around:
    def __init__(self, exc, *, entering):
        self.exc, self.entering = exc, entering

    async def __aenter__(self):
        if self.entering:
            raise self.exc

    async def __aexit__(self, *_):
        raise self.exc


class Run(Within):
    def ended(self, call, exc):
        call.failed(exc)


async def as_entered(exc):
    async with Run(lambda: Around(exc, entering=True), tool_call):
        pass


async def as_left(exc):
    async with Run(lambda: Around(exc, entering=False), tool_call):
        pass


@pytest.mark.parametrize(
    ("work", "seen"),
    [
        (hidden(as_call), ["of_the_framework"]),
        (as_generator, ["as_generator", "numbers"]),
        (as_entered, ["as_entered", "__aenter__"]),
        (as_left, ["as_left", "__aexit__"]),
    ],
)
def test_an_exception_comes_out_as_it_went_in_with_no_frame_of_ours(work, seen):
    exc = failing()
    kept = exc.__context__, exc.__cause__

    async def program():
        # Nothing of the event loop's is in between.
        try:
            await work(exc)
        except ValueError as caught:
            return caught, [name for name in frames(caught) if name not in ("program", "as_call", "__await__")]

    caught, names = asyncio.run(program())
    assert caught is exc
    assert (exc.__context__, exc.__cause__) == kept
    assert names == seen


def test_each_exception_of_a_group_and_the_group_itself_have_no_frame_of_ours():
    async def both():
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(hidden(of_the_framework)(ValueError(1)))
            tasks.create_task(hidden(of_the_framework)(ValueError(2)))

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(hidden(both)())
    # Python 3.14 has `_aexit` below it.
    assert [name for name in frames(caught.value) if name != "_aexit"][-2:] == ["both", "__aexit__"]
    assert [frames(each) for each in caught.value.exceptions] == [["of_the_framework"]] * 2
    assert "/integrations/tracebacks.py" not in "".join(traceback.format_exception(caught.value))


def test_an_exception_that_cannot_be_changed_passes():
    @dataclass(frozen=True)
    class Frozen(Exception):
        code: int

    def raises():
        raise Frozen(3)

    with pytest.raises(Frozen) as caught:
        hidden(raises)()
    assert frames(caught.value)[-1] == "raises"
    assert "called" not in frames(caught.value)


def test_an_exception_of_our_own_keeps_its_traceback():
    try:
        hidden(3)()  # type: ignore[arg-type]
    except TypeError as exc:
        own = exc.__traceback__.tb_next
        exc.__traceback__ = own
        without_ours(exc)
        assert exc.__traceback__ is own


def test_what_a_controller_raises_has_its_frames_alone_and_none_where_it_leaves_none():
    def refuse(_):
        raise Denied("not today")

    def refuse_unseen(proposal):
        try:
            refuse(proposal)
        except Denied as error:
            error.with_traceback(None)
            raise

    @hidden
    @decided("test")
    def book(_):
        return "booked"

    for controller, seen in ((refuse, ["refuse"]), (refuse_unseen, [])):
        call = opened("tool_call", lambda: {"tool_name": "book", "args": {}}, emitter="test")
        with control.install(controller), pytest.raises(Denied) as caught:
            book(None)
        call.failed(caught.value)
        assert frames(caught.value)[1:] == seen


FAILING = """
import openai
client = openai.OpenAI(base_url="http://127.0.0.1:9", api_key="none", max_retries=0)
def ask():
    client.chat.completions.create(model="gpt-4o", messages=[])
ask()
"""


@pytest.mark.slow
def test_what_a_failing_program_prints_is_the_same_under_inspector_run(framework_python, tmp_path):
    (tmp_path / "app.py").write_text(FAILING)
    python = framework_python("current")
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "INSPECTOR_HOME": str(tmp_path / "home")}

    def printed(*command):
        done = subprocess.run([python, *command], capture_output=True, text=True, env=env, cwd=tmp_path, timeout=60)
        assert done.returncode == 1
        return re.sub(r"0x[0-9a-f]+", "0x", done.stderr)

    alone = printed("app.py")
    assert alone.rstrip().endswith("openai.APIConnectionError: Connection error.")
    assert printed("-m", "inspector", "run", "app.py").startswith(alone)
