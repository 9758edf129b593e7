import asyncio
import threading

import pytest

import instrument

HOOK = "before_tool_call"


def test_everything_that_takes_a_coroutine_takes_the_answer():
    async def main():
        emitted = instrument._emit(HOOK, tool_name="t")
        assert emitted is instrument._emit("another_hook")
        assert await emitted is None
        assert await asyncio.gather(emitted, emitted, instrument._emit(HOOK)) == [None] * 3
        assert await asyncio.wait_for(emitted, 1) is None
        assert await asyncio.shield(emitted) is None
        assert await asyncio.create_task(emitted) is None
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(emitted) for _ in range(10)]
        assert [task.result() for task in tasks] == [None] * 10
        assert asyncio.iscoroutine(emitted)

    asyncio.run(main(), debug=True)
    assert asyncio.run(instrument._emit(HOOK)) is None


def test_thousands_of_tasks_may_await_it_at_once_and_be_cancelled():
    async def main():
        emitted = instrument._emit(HOOK)
        tasks = [asyncio.create_task(emitted) for _ in range(3000)]
        for task in tasks[::2]:
            task.cancel()
        await asyncio.wait(tasks)
        assert [task.cancelled() for task in tasks] == [True, False] * 1500

    asyncio.run(main())


def test_it_can_be_closed_sent_to_and_thrown_into_again_and_again():
    emitted = instrument._emit(HOOK)
    for _ in range(2):
        emitted.close()
        with pytest.raises(StopIteration):
            emitted.send(None)
        with pytest.raises(LookupError, match="one"):
            emitted.throw(LookupError("one"))
        with pytest.raises(LookupError):
            emitted.throw(LookupError)
        with pytest.raises(LookupError, match="two"):
            emitted.throw(LookupError, LookupError("two"), None)
    assert asyncio.run(emitted) is None


def test_threads_may_await_it_in_loops_of_their_own():
    emitted = instrument._emit(HOOK)
    results = []
    threads = [threading.Thread(target=lambda: results.append(asyncio.run(emitted))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert results == [None] * 8
