"""Synchronous code waits for a tool, whether or not an event loop runs around it."""

import asyncio
from contextvars import ContextVar

import pytest

from toolkit.adapters.blocking import wait_for

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
