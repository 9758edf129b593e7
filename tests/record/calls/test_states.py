import asyncio
import gc

import pytest

from inspector.record.calls.states import state_of
from instrument import around, register, unregister


@pytest.fixture
def states():
    seen = []

    def note(exc, **_):
        seen.append(state_of(exc))

    register("error_tool_call", note)
    yield seen
    unregister("error_tool_call", note)


def streaming():
    with around("tool_call", tool_name="t", args={}, context=None):
        yield 1
        yield 2


async def streaming_async():
    async with around("tool_call", tool_name="t", args={}, context=None):
        yield 1
        yield 2


async def waiting():
    async with around("tool_call", tool_name="t", args={}, context=None):
        await asyncio.get_running_loop().create_future()


def test_a_stream_that_its_consumer_closed_is_ok(states):
    stream = streaming()
    next(stream)
    stream.close()
    for _ in streaming():
        break

    async def leave():
        stream = streaming_async()
        await anext(stream)
        await stream.aclose()

    asyncio.run(leave())
    assert states == ["ok"] * 3


def test_a_stream_that_was_dropped_and_closed_by_the_event_loop_is_abandoned(states):
    async def drop():
        stream = streaming_async()
        await anext(stream)
        del stream
        gc.collect()
        for _ in range(100):
            # The loop closes it in a task of its own.
            await asyncio.sleep(0)

    asyncio.run(drop())
    assert states == ["abandoned"]


def test_a_stream_that_is_open_when_its_event_loop_ends_is_abandoned(states):
    kept = streaming_async()

    async def begin():
        await anext(kept)

    asyncio.run(begin())
    assert states == ["abandoned"]


def test_a_coroutine_that_is_closed_as_nobody_waits_for_it_is_abandoned(states):
    async def begin():
        work = waiting()
        work.send(None)
        work.close()

    asyncio.run(begin())
    assert states == ["abandoned"]


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("CancelledError", "cancelled"),
        ("KeyboardInterrupt", "cancelled"),
        ("GraphInterrupt", "cancelled"),
        ("Interrupted", "cancelled"),
        ("GreenletExit", "cancelled"),
        ("ValueError", "error"),
    ],
)
def test_of_classes_of_others_it_is_the_name_that_tells(name, state):
    assert state_of(type("Derived", (type(name, (BaseException,), {}),), {})()) == state
