"""Synchronous code waits for a tool, whether or not an event loop runs around it."""

import asyncio
from contextvars import ContextVar

import pytest

from toolkit.adapters.blocking import wait_for
from toolkit.errors import ToolkitError
from toolkit.loops import on_loop

_who = ContextVar("who", default="nobody")


async def _work():
    await asyncio.sleep(0)
    return _who.get()


async def _broken():
    await asyncio.sleep(0)
    raise LookupError("not here")


def in_a_loop(function):
    async def main():
        _who.set("Ada")
        return function()

    return asyncio.run(main())


def without_a_loop(function):
    token = _who.set("Ada")
    try:
        return function()
    finally:
        _who.reset(token)


@pytest.mark.parametrize("around", [in_a_loop, without_a_loop])
def test_the_work_sees_the_callers_context_and_its_value_comes_back(around):
    assert around(lambda: wait_for(_work)) == "Ada"


@pytest.mark.parametrize("around", [in_a_loop, without_a_loop])
def test_what_the_work_raises_is_raised_where_somebody_waits(around):
    with pytest.raises(LookupError, match="not here"):
        around(lambda: wait_for(_broken))


def test_work_of_the_loop_that_stands_still_is_refused_instead_of_waited_for():
    async def main():
        loop = asyncio.get_running_loop()

        async def of_the_loop():
            return await on_loop(loop, _work, what="the desk")

        assert await of_the_loop() == "nobody"
        with pytest.raises(ToolkitError, match="the desk cannot answer: its event loop stands still"):
            wait_for(of_the_loop)
        # Further in as well, where each of them waits for the one around it.
        with pytest.raises(ToolkitError, match="stands still"):
            wait_for(lambda: asyncio.to_thread(wait_for, of_the_loop))
        # In a thread nobody waits for the loop, which does its part.
        return await asyncio.to_thread(wait_for, of_the_loop)

    async def bounded():
        async with asyncio.timeout(20):
            return await main()

    assert asyncio.run(bounded()) == "nobody"


def test_work_of_a_loop_that_is_over_is_refused():
    gone = asyncio.new_event_loop()
    gone.close()
    with pytest.raises(ToolkitError, match="does not run any more"):
        wait_for(lambda: on_loop(gone, _work, what="the desk"))
