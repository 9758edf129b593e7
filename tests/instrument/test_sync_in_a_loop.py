import asyncio
import contextvars
import gc
import sys

import pytest

import instrument
from instrument import _sync

HOOK = "before_tool_call"
WAIT_S = 10
session = contextvars.ContextVar("session", default="none")


def test_a_coroutine_that_never_waits_is_done_when_emit_returns(subscribe):
    calls = []

    async def note(tag, **_):
        calls.append((tag, asyncio.current_task() is not None))

    subscribe(note)
    instrument._emit_sync(HOOK, tag="no loop")

    async def main():
        instrument._emit_sync(HOOK, tag="in a loop")
        assert len(calls) == 2

    asyncio.run(main())
    assert calls == [("no loop", True), ("in a loop", True)]


def test_the_rest_of_a_coroutine_goes_on_as_a_task_of_that_loop(subscribe):
    steps = []

    async def waits(**_):
        steps.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        steps.append(asyncio.get_running_loop())
        done.set_result(None)

    async def main():
        nonlocal done
        done = asyncio.get_running_loop().create_future()
        instrument._emit_sync(HOOK)
        assert len(steps) == 1
        await asyncio.wait_for(done, WAIT_S)
        assert steps == [asyncio.get_running_loop()] * 2

    done = None
    subscribe(waits)
    asyncio.run(main(), debug=True)


def test_a_timeout_in_the_subscriber_cancels_the_subscriber_and_not_the_emitter(subscribe):
    ends = []

    async def times_out(**_):
        try:
            async with asyncio.timeout(0.001):
                await asyncio.Event().wait()
        except TimeoutError:
            ends.append("timed out")
            done.set()

    async def main():
        nonlocal done
        done = asyncio.Event()
        host = asyncio.current_task()
        instrument._emit_sync(HOOK)
        assert asyncio.current_task() is host
        await asyncio.wait_for(done.wait(), WAIT_S)
        assert host.cancelling() == 0

    done = None
    subscribe(times_out)
    asyncio.run(main())
    assert ends == ["timed out"]


def test_a_task_group_in_the_subscriber_works(subscribe):
    results = []

    async def groups(**_):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(asyncio.sleep(0, number)) for number in range(3)]
        results.extend(task.result() for task in tasks)
        done.set()

    async def main():
        nonlocal done
        done = asyncio.Event()
        instrument._emit_sync(HOOK)
        await asyncio.wait_for(done.wait(), WAIT_S)

    done = None
    subscribe(groups)
    asyncio.run(main())
    assert results == [0, 1, 2]


def test_a_future_that_another_task_awaits_meanwhile_still_wakes_the_subscriber(subscribe):
    woken = []

    async def waits(future, **_):
        woken.append(await future)

    async def main():
        future = asyncio.get_running_loop().create_future()

        async def other():
            woken.append(await future)

        # Made before the emit, so that it runs before the subscriber's task sees what the subscriber waits for.
        task = asyncio.create_task(other())
        instrument._emit_sync(HOOK, future=future)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        future.set_result("result")
        await task
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    subscribe(waits)
    asyncio.run(main())
    assert woken == ["result", "result"]


def test_it_works_in_a_callback_of_the_loop_where_no_task_is_current(subscribe):
    tasks = []

    async def waits(**_):
        tasks.append(asyncio.current_task())
        await asyncio.sleep(0)
        tasks.append(asyncio.current_task())
        asyncio.get_running_loop().stop()

    loop = asyncio.new_event_loop()
    subscribe(waits)
    loop.call_soon(lambda: instrument._emit_sync(HOOK))
    loop.run_forever()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    assert tasks[0] is tasks[1] is not None


def test_the_task_is_kept_alive_until_it_is_done_and_then_let_go(subscribe):
    woken = []

    async def waits(**_):
        await asyncio.sleep(0.001)
        woken.append(1)
        done.set()

    async def main():
        nonlocal done
        done = asyncio.Event()
        instrument._emit_sync(HOOK)
        gc.collect()
        assert len(_sync._carried) == 1
        await asyncio.wait_for(done.wait(), WAIT_S)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not _sync._carried

    done = None
    subscribe(waits)
    asyncio.run(main())
    assert woken == [1]


def test_a_late_failure_is_logged_and_a_cancelled_one_is_not(subscribe, caplog):
    async def fails(**_):
        await asyncio.sleep(0)
        raise LookupError("late")

    async def cancelled(**_):
        asyncio.current_task().cancel()
        await asyncio.sleep(0)

    async def cancels_itself(**_):
        raise asyncio.CancelledError

    async def main():
        instrument._emit_sync(HOOK)
        for _ in range(4):
            await asyncio.sleep(0)

    subscribe(fails)
    subscribe(cancelled)
    subscribe(cancels_itself)
    asyncio.run(main())
    assert len(caplog.records) == 1
    assert "LookupError: late" in caplog.text


def test_the_end_of_asyncio_run_cancels_what_still_waits(subscribe):
    ends = []

    async def waits(**_):
        try:
            await asyncio.Event().wait()
        finally:
            ends.append(sys.exc_info()[0])

    async def main():
        instrument._emit_sync(HOOK)

    subscribe(waits)
    asyncio.run(main())
    assert ends == [asyncio.CancelledError]


def test_a_loop_closed_at_once_leaves_no_complaint_of_a_finished_subscriber(subscribe, caplog):
    async def note(**_):
        pass

    subscribe(note)
    loop = asyncio.new_event_loop()
    loop.call_soon(loop.stop)
    loop.call_soon(lambda: instrument._emit_sync(HOOK))
    loop.run_forever()
    loop.close()
    gc.collect()
    assert not caplog.records


def test_one_copy_of_the_context_serves_the_whole_coroutine(subscribe):
    values = []

    async def sets(**_):
        values.append(session.get())
        token = session.set("subscriber")
        await asyncio.sleep(0)
        values.append(session.get())
        session.reset(token)
        values.append(session.get())

    async def main():
        session.set("emitter")
        instrument._emit_sync(HOOK)
        assert session.get() == "emitter"
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    subscribe(sets)
    asyncio.run(main())
    assert values == ["emitter", "subscriber", "emitter"]


def test_tasks_of_closed_loops_are_let_go(subscribe, caplog):
    async def waits(**_):
        await asyncio.Event().wait()

    async def main():
        instrument._emit_sync(HOOK)

    subscribe(waits)
    for _ in range(3):
        loop = asyncio.new_event_loop()
        loop.run_until_complete(main())
        loop.close()
    assert len(_sync._carried) == 1
    _sync._carried.clear()
    gc.collect()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_exit_in_the_first_step_reaches_the_emitter(subscribe, error):
    async def exits(**_):
        raise error

    async def main():
        host = asyncio.current_task()
        with pytest.raises(error):
            instrument._emit_sync(HOOK)
        assert asyncio.current_task() is host
        await asyncio.sleep(0)

    subscribe(exits)
    asyncio.run(main())


def test_a_subscriber_may_emit_in_its_first_step(subscribe):
    depths = []

    async def again(depth, **_):
        depths.append(depth)
        if depth:
            instrument._emit_sync(HOOK, depth=depth - 1)
        await asyncio.sleep(0)
        depths.append(-depth)

    async def main():
        instrument._emit_sync(HOOK, depth=2)
        assert depths == [2, 1, 0]
        for _ in range(3):
            await asyncio.sleep(0)

    subscribe(again)
    asyncio.run(main())
    assert sorted(depths) == [-2, -1, 0, 0, 1, 2]


def test_a_coroutine_that_cancels_its_task_in_its_only_step_is_over(subscribe, caplog):
    async def cancels(**_):
        tasks.append(asyncio.current_task())
        tasks[0].cancel()

    async def main():
        instrument._emit_sync(HOOK)
        await asyncio.wait(tasks)

    tasks = []
    subscribe(cancels)
    asyncio.run(main())
    assert tasks[0].cancelled()
    assert not caplog.records


def test_nobody_else_can_await_the_coroutine_of_the_task(subscribe):
    async def waits(**_):
        tasks.append(asyncio.current_task())
        await asyncio.sleep(0)

    async def main():
        instrument._emit_sync(HOOK)
        coroutine = tasks[0].get_coro()
        with pytest.raises(RuntimeError, match="coroutine is being awaited already"):
            await coroutine
        await tasks[0]
        coroutine.close()

    tasks = []
    subscribe(waits)
    asyncio.run(main())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with Python 3.12")
def test_it_works_in_tasks_that_start_eagerly(subscribe):
    current = []

    async def waits(**_):
        current.append(asyncio.current_task())
        await asyncio.sleep(0)
        current.append(asyncio.current_task())

    async def emitter():
        host = asyncio.current_task()
        instrument._emit_sync(HOOK)
        assert asyncio.current_task() is host
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert current[0] is current[1] is not host

    async def main():
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        await asyncio.create_task(emitter())

    subscribe(waits)
    asyncio.run(main())
