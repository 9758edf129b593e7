import asyncio

import pytest

import instrument
from instrument.testing import capture, capture_hook


def test_capture_hook_collects_arguments_of_one_hook_while_it_lasts():
    async def main():
        async with capture_hook("before_tool_call") as calls:
            await instrument._emit("before_tool_call", tool_name="a")
            await instrument._emit("after_tool_call", tool_name="a")
        await instrument._emit("before_tool_call", tool_name="b")
        return calls

    assert asyncio.run(main()) == [((), {"tool_name": "a"})]
    assert not instrument.enabled("before_tool_call")


def test_capture_hook_works_in_plain_functions_and_for_hooks_of_the_application():
    with capture_hook("my_hook") as calls:
        instrument._emit_sync("my_hook", name="n", note=1)
    assert calls == [((), {"name": "n", "note": 1})]


def test_capture_collects_every_hook_of_the_catalogue_in_order():
    async def main():
        async with capture() as emitted:
            for name in reversed(instrument.HOOKS):
                await instrument._emit(name, name=name)
            await instrument._emit("my_hook")
        return emitted

    assert asyncio.run(main()) == [(name, {"name": name}) for name in reversed(instrument.HOOKS)]
    assert not instrument._hooks


def test_captures_end_when_the_test_raises_and_may_be_nested():
    with capture_hook("before_tool_call") as outer:
        with pytest.raises(LookupError), capture_hook("before_tool_call") as inner:
            instrument._emit_sync("before_tool_call", n=1)
            raise LookupError
        instrument._emit_sync("before_tool_call", n=2)
    assert [keywords["n"] for _, keywords in inner] == [1]
    assert [keywords["n"] for _, keywords in outer] == [1, 2]
