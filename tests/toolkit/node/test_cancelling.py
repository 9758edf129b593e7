"""A call that is given up ends at every level of calls within calls at once."""

import asyncio
import sys

import pytest

from toolkit import ToolContext, ToolNode
from toolkit import tool as as_tool
from toolkit.errors import EndRun

CALL = [{"name": "deeper", "arguments": {}}]


class Levels:
    """A tool that calls itself through its node, level below level, until it is cancelled."""

    def __init__(self, enough):
        self.begun = self.ended = 0
        self.enough = enough
        self.reached = asyncio.Event()

        @as_tool
        async def deeper(context: ToolContext) -> str:
            self.begun += 1
            if self.begun >= self.enough:
                self.reached.set()
            try:
                await asyncio.sleep(0)
                return (await self.node.invoke(CALL, context=context))[0].text
            finally:
                self.ended += 1

        self.node = ToolNode([deeper])


async def begin(levels):
    task = asyncio.create_task(levels.node.invoke(CALL))
    async with asyncio.timeout(30):
        await levels.reached.wait()
    return task


@pytest.mark.parametrize("enough", [2, 50, 300])
def test_no_level_begins_another_one_once_the_outermost_call_is_cancelled(enough):
    async def main():
        levels = Levels(enough)
        task = await begin(levels)
        begun = levels.begun
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(30):
                await task
        assert levels.begun == begun
        assert levels.ended == levels.begun

    asyncio.run(main())


def test_a_timeout_around_calls_ends_all_of_them():
    async def main():
        levels = Levels(50)
        task = await begin(levels)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(task, 0)
        assert levels.ended == levels.begun

    asyncio.run(main())


def test_calls_of_one_answer_are_cancelled_at_once():
    ended = []

    async def main():
        begun = asyncio.Barrier(3)

        @as_tool
        async def wait(name: str) -> None:
            try:
                await begun.wait()
                await asyncio.Event().wait()
            finally:
                ended.append(name)

        calls = [{"name": "wait", "arguments": {"name": name}} for name in ("a", "b")]
        task = asyncio.create_task(ToolNode([wait]).invoke(calls))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert sorted(ended) == ["a", "b"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with Python 3.12")
@pytest.mark.parametrize("names", [("wait", "end"), ("end", "wait")])
def test_a_tool_that_ends_the_run_ends_the_other_calls_where_tasks_start_eagerly(names):
    @as_tool
    async def end() -> None:
        raise EndRun("enough")

    @as_tool
    async def wait() -> None:
        await asyncio.Event().wait()

    async def main():
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        with pytest.raises(EndRun, match="enough"):
            async with asyncio.timeout(30):
                await ToolNode([end, wait]).invoke([{"name": name, "arguments": {}} for name in names])

    asyncio.run(main())
