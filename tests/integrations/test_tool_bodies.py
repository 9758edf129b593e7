"""The body of a tool, which hooks of the program may run more than once within one call."""

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass

import pytest

from inspector.integrations.calls import opened
from inspector.integrations.tool_bodies import by_name, decided, decided_async, run_in_steps
from instrument import control
from instrument.control import Answer, Denied, Proceed
from instrument.testing import capture

TOOL = object()


@pytest.fixture(params=["sync", "async"])
def tool(request):
    """Makes a tool of a function, of which both are the body."""
    if request.param == "sync":
        return decided("test")

    def make(body):
        async def run(self):
            return body(self)

        wrapped = decided_async("test")(run)
        return lambda self: asyncio.run(wrapped(self))

    return make


def called(run):
    """Run a tool in a call that is reported, and return what was noted of the outcome of its body."""
    with capture() as emitted:
        call = opened("tool_call", lambda: {"tool_name": "book", "args": {}}, emitter="test")
        try:
            result = run()
        finally:
            call.ended(lambda: {"result": "told"})
    values = emitted[-1][1]
    return result, values.get("returned"), values.get("raised")


def twice(run):
    try:
        return run(TOOL)
    except (Denied, ValueError):
        return run(TOOL)


def test_a_controller_decides_each_time_that_a_body_runs(tool):
    ran, asked = [], []

    def refuse_once(proposal):
        asked.append(proposal.name)
        if len(asked) == 1:
            raise Denied("not today")
        return Answer("answered")

    book = tool(lambda _: ran.append(1))
    with control.install(refuse_once):
        assert called(lambda: twice(book)) == ("answered", "answered", None)
    assert (asked, ran) == (["book", "book"], [])


def test_the_last_outcome_of_a_body_counts(tool):
    attempts = []

    def flaky(_):
        attempts.append(1)
        if len(attempts) == 1:
            raise ValueError("not yet")
        return "booked"

    with control.install(lambda _: Proceed()):
        assert called(lambda: twice(tool(flaky))) == ("booked", "booked", None)


def test_what_a_body_calls_below_is_part_of_it(tool):
    asked = []

    def note(proposal):
        asked.append(proposal.name)
        return Proceed()

    inner = decided("test")(lambda _: "booked")
    with control.install(note):
        assert called(lambda: tool(inner)(TOOL))[0] == "booked"
    assert asked == ["book"]


@dataclass(frozen=True)
class Full(Exception):
    """Takes no attribute, and so no traceback of contextlib's."""

    hotel: str


def test_an_exception_that_takes_no_attribute_leaves_a_body_as_it_is(tool):
    def full(_):
        raise Full("Casa")

    with pytest.raises(Full) as raised:
        called(lambda: tool(full)(TOOL))
    assert raised.value.hotel == "Casa"


class Rooms:
    """Gives items as they come, and is no generator."""

    def __init__(self):
        self.left = ["first", "last"]

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        return self.left.pop(0)

    async def aclose(self):
        raise AssertionError


@pytest.mark.parametrize("controller", [None, lambda _: Proceed()])
def test_a_body_may_give_its_items_by_any_asynchronous_iterator(controller):
    async def items():
        return [item async for item in run_in_steps(Rooms, "test", by_name)]

    with control.install(controller) if controller else nullcontext():
        assert called(lambda: asyncio.run(items())) == (["first", "last"], "last", None)
