import asyncio
import gc
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

import pytest

import instrument
from inspector import context as session
from inspector.integrations.calls import around_here, opened
from inspector.integrations.generators import Following, followed, followed_steps, generating, opened_apart
from inspector.record.calls.states import state_of
from instrument.testing import capture

own: ContextVar[str] = ContextVar("own", default="outside")


def nouns() -> list[str]:
    return [call.noun for call in around_here()]


async def numbers(seen: list[Any]) -> AsyncGenerator[int, Any]:
    try:
        for number in (1, 2):
            seen.append(nouns())
            seen.append((yield number))
    except ValueError as exc:
        yield int(str(exc))
    finally:
        seen.append("closed")


def begin(**more: Any) -> Following:
    call = opened_apart("agent_call", lambda: {"agent": "counter"}, emitter="here")
    return Following(call, saw=lambda _: None, conclude=lambda: call.ended(lambda: {"result": "done"}), **more)


def emitted(hooks: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [name for name, _ in hooks]


def test_what_a_generator_calls_is_inside_the_call_and_its_consumer_is_not():
    seen: list[Any] = []

    async def consume() -> None:
        async for number in followed(numbers(seen), begin):
            assert nouns() == []
            opened("tool_call", lambda number=number: {"tool_name": f"of {number}"}, emitter="here").ended()

    with capture() as hooks:
        asyncio.run(consume())
    assert seen == [["agent_call"], None, ["agent_call"], None, "closed"]
    assert emitted(hooks)[0] == "before_agent_call"
    assert emitted(hooks)[-1] == "after_agent_call"
    assert hooks[-1][1]["result"] == "done"


def test_a_call_begins_with_the_first_step():
    async def look() -> None:
        generator = followed(numbers([]), begin)
        with capture() as hooks:
            assert hooks == []
            await anext(generator)
            assert emitted(hooks) == ["before_agent_call"]
            await generator.aclose()

    asyncio.run(look())


def test_what_is_sent_and_thrown_in_reaches_the_generator():
    seen: list[Any] = []

    async def consume() -> list[int]:
        generator = followed(numbers(seen), begin)
        got = [await anext(generator), await generator.asend("sent"), await generator.athrow(ValueError("7"))]
        async for _ in generator:
            pass
        return got

    with capture() as hooks:
        assert asyncio.run(consume()) == [1, 2, 7]
    assert "sent" in seen
    assert emitted(hooks) == ["before_agent_call", "after_agent_call"]


def test_what_the_generator_raises_is_what_the_consumer_gets_and_fails_the_call():
    raised = KeyError("gone")

    async def breaking() -> AsyncGenerator[int, None]:
        yield 1
        raise raised

    async def consume() -> None:
        async for _ in followed(breaking(), begin):
            pass

    with capture() as hooks, pytest.raises(KeyError) as caught:
        asyncio.run(consume())
    assert caught.value is raised
    assert hooks[-1][0] == "error_agent_call"
    assert hooks[-1][1]["exc"] is raised


@pytest.mark.parametrize(("how", "state"), [("closed", "ok"), ("dropped", "abandoned")])
def test_a_generator_that_is_left_is_closed_and_its_call_is_abandoned_unless_the_program_did_that(how: str, state: str):
    seen: list[Any] = []

    async def leave() -> None:
        generator = followed(numbers(seen), begin)
        if how == "closed":
            async with aclosing(generator):
                await anext(generator)
            return
        await anext(generator)
        del generator
        gc.collect()
        for _ in range(100):
            # The loop closes it in a task of its own.
            await asyncio.sleep(0)

    states: list[str] = []

    def stands(exc: BaseException, **_: Any) -> None:
        states.append(state_of(exc))

    instrument.register("error_agent_call", stands)
    try:
        with capture() as hooks:
            asyncio.run(leave())
    finally:
        instrument.unregister("error_agent_call", stands)
    assert seen[-1] == "closed"
    assert emitted(hooks) == ["before_agent_call", "error_agent_call"]
    assert isinstance(hooks[-1][1]["exc"], GeneratorExit)
    assert states == [state]


def test_the_end_of_an_event_loop_closes_a_generator_once():
    problems: list[dict[str, Any]] = []

    async def slowly() -> AsyncGenerator[int, None]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)

    async def leave() -> Any:
        asyncio.get_running_loop().set_exception_handler(lambda _, problem: problems.append(problem))
        generator = followed(slowly(), begin)
        await anext(generator)
        return generator

    # In which order a loop closes its generators is left to chance.
    for _ in range(10):
        with capture() as hooks:
            _held = asyncio.run(leave())
        assert problems == []
        assert isinstance(hooks[-1][1]["exc"], GeneratorExit)


class Counting:
    """Gives numbers, and is no generator."""

    closed = 0

    def __aiter__(self) -> "Counting":
        return self

    async def __anext__(self) -> int:
        return 1

    async def aclose(self) -> None:
        self.closed += 1


def test_an_iterator_that_is_no_generator_is_closed_if_its_consumer_closes_it():
    async def leave(items: Any) -> None:
        async with aclosing(followed(items, begin)) as numbers:
            async for _ in numbers:
                return

    counting = Counting()
    asyncio.run(leave(counting))
    assert counting.closed == 1


def test_one_that_was_left_after_all_that_matters_ends_well():
    async def leave() -> None:
        async with aclosing(followed(numbers([]), lambda: begin(is_done=lambda: True))) as generator:
            await anext(generator)

    with capture() as hooks:
        asyncio.run(leave())
    assert emitted(hooks) == ["before_agent_call", "after_agent_call"]


def test_a_wrapped_function_stays_a_function_of_generators_and_begins_with_its_arguments():
    given: list[Any] = []

    def begun(*args: Any, **kwargs: Any) -> Following:
        given.append((args, kwargs))
        return begin()

    async def consume() -> list[int]:
        return [number async for number in generating(begun)(numbers)([])]

    with capture():
        assert asyncio.run(consume()) == [1, 2]
    assert [len(args) for args, _ in given] == [1]


def test_variables_that_a_generator_sets_are_its_consumers_as_they_are_without_us():
    async def setting() -> AsyncGenerator[int, None]:
        own.set("inside")
        yield 1

    async def consume(generator: AsyncGenerator[int, None]) -> str:
        async for _ in generator:
            return own.get()
        return ""

    with capture():
        assert asyncio.run(consume(followed(setting(), begin))) == asyncio.run(consume(setting())) == "inside"


def test_the_frameworks_session_is_the_calls_own_unless_the_program_has_bound_one():
    heard: list[str | None] = []

    def hear(**_: Any) -> None:
        heard.append(session.get())

    instrument.register("before_agent_call", hear)
    try:
        opened_apart("agent_call", lambda: {"agent": "a"}, emitter="here", session_id="theirs").ended()
        with session.bind("mine"):
            opened_apart("agent_call", lambda: {"agent": "a"}, emitter="here", session_id="theirs").ended()
    finally:
        instrument.unregister("before_agent_call", hear)
    assert heard == ["theirs", "mine"]
    assert session.get() is None


def steps(seen: list[Any]) -> Generator[int, Any, str]:
    try:
        for number in (1, 2):
            seen.append(nouns())
            seen.append((yield number))
    except ValueError as exc:
        yield int(str(exc))
    finally:
        seen.append("closed")
    return "returned"


def test_steps_are_inside_the_call_and_their_consumer_is_not():
    seen: list[Any] = []

    def consume() -> Generator[int, Any, str]:
        return (yield from followed_steps(steps(seen), begin))

    got: list[Any] = []
    with capture() as hooks:
        consumer = consume()
        try:
            got.append(next(consumer))
            assert nouns() == []
            got += [consumer.send("sent"), consumer.throw(ValueError("7"))]
            next(consumer)
        except StopIteration as end:
            got.append(end.value)
    assert got == [1, 2, 7, "returned"]
    assert seen == [["agent_call"], "sent", ["agent_call"], "closed"]
    assert emitted(hooks) == ["before_agent_call", "after_agent_call"]


def test_steps_look_like_those_of_the_framework_and_begin_with_the_first():
    with capture() as hooks:
        generator: Any = followed_steps(steps([]), begin)
        assert (generator.__name__, hooks) == ("steps", [])
        generator.close()
    assert hooks == []


@pytest.mark.parametrize(("how", "state"), [("closed", "ok"), ("dropped", "abandoned")])
def test_steps_that_are_left_are_closed_and_their_call_is_abandoned_unless_the_program_did_that(how: str, state: str):
    seen: list[Any] = []
    states: list[str] = []

    def stands(exc: BaseException, **_: Any) -> None:
        assert seen[-1] == "closed"
        states.append(state_of(exc))

    instrument.register("error_agent_call", stands)
    try:
        with capture() as hooks:
            generator = followed_steps(steps(seen), begin)
            next(generator)
            if how == "closed":
                generator.close()
            del generator
            gc.collect()
    finally:
        instrument.unregister("error_agent_call", stands)
    assert emitted(hooks) == ["before_agent_call", "error_agent_call"]
    assert states == [state]


def test_what_the_interpreter_says_of_steps_that_go_on_has_no_frame_of_ours():
    def stubborn() -> Generator[int, None, None]:
        while True:
            try:
                yield 1
            except GeneratorExit:
                yield 2

    raised: list[list[str]] = []
    for generator in (stubborn(), followed_steps(stubborn(), begin)):
        next(generator)
        with capture() as hooks, pytest.raises(RuntimeError, match="ignored GeneratorExit") as caught:
            generator.close()
        assert caught.value.__context__ is None
        raised.append([each.name for each in caught.traceback])
    assert raised[0] == raised[1]
    assert isinstance(hooks[-1][1]["exc"], GeneratorExit)


def test_steps_of_a_call_that_is_part_of_another_are_left_alone():
    with capture() as hooks:
        assert list(followed_steps(steps([]), lambda: None)) == [1, 2]
    assert hooks == []
