import asyncio
import logging

import pytest

import instrument

HOOK = "before_tool_call"


async def forever():
    await asyncio.Event().wait()


async def cancels_its_own_task(**_):
    task = asyncio.create_task(forever())
    await asyncio.sleep(0)
    task.cancel()
    await task


def reads_a_cancelled_future(**_):
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    future.result()


OWN = pytest.mark.parametrize("subscriber", [cancels_its_own_task, reads_a_cancelled_future])


@OWN
def test_a_subscribers_own_cancelled_task_is_logged_and_the_emitter_goes_on(subscribe, caplog, subscriber):
    calls = []
    subscribe(subscriber)
    subscribe(lambda **_: calls.append(1))

    async def main():
        await instrument._emit(HOOK)
        assert asyncio.current_task().cancelling() == 0
        calls.append("agent")

    asyncio.run(main())
    assert calls == [1, "agent"]
    assert [(r.name, r.levelno) for r in caplog.records] == [("mcp.instrument", logging.WARNING)]
    assert "CancelledError" in caplog.text


@OWN
def test_neither_does_it_reach_an_emitter_that_cannot_await(subscribe, subscriber):
    calls = []
    subscribe(subscriber)
    subscribe(lambda **_: calls.append(1))

    async def main():
        instrument._emit_sync(HOOK)
        for _ in range(5):
            await asyncio.sleep(0)
        assert asyncio.current_task().cancelling() == 0

    asyncio.run(main())
    assert calls == [1]


@OWN
def test_it_is_held_back_as_well_while_the_emitter_tells_that_it_was_cancelled(subscribe, subscriber):
    subscribe(subscriber)
    reached = []

    async def agent():
        try:
            await forever()
        except asyncio.CancelledError:
            await instrument._emit(HOOK)
            reached.append("told")
            raise

    async def main():
        task = asyncio.create_task(agent())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert reached == ["told"]


def waits(**_):
    return forever()


async def awaits_a_task(**_):
    await asyncio.create_task(forever())


async def turns_it_into_another(**_):
    try:
        await forever()
    except asyncio.CancelledError:
        raise asyncio.CancelledError("another") from None


WAITS = pytest.mark.parametrize("subscriber", [waits, awaits_a_task, turns_it_into_another])


@WAITS
def test_a_cancellation_of_the_emitter_leaves_the_emit(subscribe, caplog, subscriber):
    subscribe(subscriber)

    async def main():
        task = asyncio.create_task(instrument._emit(HOOK))
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(main())
    assert not caplog.records


@WAITS
def test_so_does_one_that_was_asked_for_before_and_not_noticed_yet(subscribe, subscriber):
    subscribe(subscriber)

    async def agent():
        asyncio.current_task().cancel()
        await instrument._emit(HOOK)
        raise AssertionError

    async def main():
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(agent())

    asyncio.run(main())


@WAITS
def test_a_second_cancellation_leaves_an_emit_that_tells_of_the_first(subscribe, subscriber):
    subscribe(subscriber)

    async def agent():
        try:
            await forever()
        except asyncio.CancelledError:
            await instrument._emit(HOOK)
            raise AssertionError from None

    async def main():
        task = asyncio.create_task(agent())
        await asyncio.sleep(0)
        task.cancel()
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


@WAITS
def test_timeouts_and_task_groups_of_the_emitter_end_the_emit(subscribe, subscriber):
    subscribe(subscriber)

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await instrument._emit(HOOK)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(instrument._emit(HOOK), 0.001)
        with pytest.raises(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(instrument._emit(HOOK))
                await asyncio.sleep(0)
                raise LookupError

    asyncio.run(main())


def test_a_timeout_of_the_subscribers_own_ends_the_subscriber_alone(subscribe, caplog):
    async def bounded(**_):
        async with asyncio.timeout(0):
            await forever()

    subscribe(bounded)

    async def main():
        await instrument._emit(HOOK)
        assert asyncio.current_task().cancelling() == 0

    asyncio.run(main())
    assert "TimeoutError" in caplog.text
