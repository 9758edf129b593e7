import asyncio
import functools
import inspect
import threading
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

import instrument

HOOK = "before_tool_call"


class CallableObject:
    def __init__(self, calls):
        self.calls = calls

    async def __call__(self, **keywords):
        await asyncio.sleep(0)
        self.calls.append(keywords)


def test_a_subscriber_gets_the_keywords_once_awaited_and_not_before(subscribe):
    calls = []
    subscribe(lambda *args, **keywords: calls.append((args, keywords)))

    async def main():
        emitted = instrument._emit(HOOK, tool_name="t", args={"a": 1}, name="also a keyword")
        assert calls == []
        await emitted

    asyncio.run(main())
    assert calls == [((), {"tool_name": "t", "args": {"a": 1}, "name": "also a keyword"})]


def test_a_callback_registered_twice_is_called_twice_and_removed_once_at_a_time(subscribe):
    calls = []

    def note(**_):
        calls.append(1)

    subscribe(note)
    subscribe(note)
    asyncio.run(instrument._emit(HOOK))
    assert len(calls) == 2
    instrument.unregister(HOOK, note)
    asyncio.run(instrument._emit(HOOK))
    assert len(calls) == 3


def test_unregistering_what_is_not_registered_is_no_error(subscribe):
    instrument.unregister(HOOK, print)
    instrument.unregister("no_such_hook", print)
    subscribe(lambda **_: None)
    instrument.unregister(HOOK, print)
    assert len(instrument._hooks[HOOK]) == 1


def test_bound_methods_are_unregistered_though_each_access_makes_a_new_one():
    class Subscriber:
        def note(self, **_):
            raise AssertionError

    subscriber = Subscriber()
    instrument.register(HOOK, subscriber.note)
    instrument.unregister(HOOK, subscriber.note)
    assert HOOK not in instrument._hooks


def test_registering_what_cannot_be_called_says_so():
    with pytest.raises(TypeError, match=r"cannot register 7 for hook 'before_tool_call': pass a function"):
        instrument.register(HOOK, 7)  # type: ignore[arg-type]


def test_enabled_and_the_guard_of_the_first_contract_agree(subscribe):
    assert not instrument.enabled(HOOK)
    assert not instrument._hooks.get(HOOK)
    fn = subscribe(lambda **_: None)
    assert instrument.enabled(HOOK)
    assert instrument._hooks.get(HOOK)
    instrument.unregister(HOOK, fn)
    assert not instrument.enabled(HOOK)
    assert HOOK not in instrument._hooks


def test_emit_is_a_plain_function_whose_answer_is_awaited():
    """As docs/contract-names.md says, and why."""
    assert not inspect.iscoroutinefunction(instrument._emit)
    assert asyncio.run(instrument._emit(HOOK)) is None


def test_every_kind_of_callable_is_called_and_awaited_in_order(subscribe):
    calls = []

    async def slow(tag, **_):
        await asyncio.sleep(0)
        calls.append(tag)

    def decorated(fn):
        @functools.wraps(fn)
        def wrapper(**keywords):
            return fn(**keywords)

        return wrapper

    @decorated
    async def hidden_coroutine(**_):
        await asyncio.sleep(0)
        calls.append("decorated")

    @types.coroutine
    def generator_based(**_):
        yield
        calls.append("generator")

    subscribe(functools.partial(slow, "partial"))
    subscribe(hidden_coroutine)
    subscribe(generator_based)
    subscribe(lambda **_: calls.append("plain"))
    objects = []
    subscribe(CallableObject(objects))
    asyncio.run(instrument._emit(HOOK, x=1))
    assert calls == ["partial", "decorated", "generator", "plain"]
    assert objects == [{"x": 1}]


def test_futures_tasks_and_other_awaitables_that_a_callback_returns_are_awaited(subscribe):
    done = []

    class Later:
        def __await__(self):
            yield from asyncio.sleep(0).__await__()
            done.append("awaitable")

    async def work():
        await asyncio.sleep(0)
        done.append("task")

    def future(**_):
        later = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(later.set_result, None)
        later.add_done_callback(lambda _: done.append("future"))
        return later

    subscribe(lambda **_: Later())
    subscribe(lambda **_: asyncio.create_task(work()))
    subscribe(future)
    asyncio.run(instrument._emit(HOOK))
    assert done == ["awaitable", "task", "future"]


def test_values_that_are_not_awaitable_are_ignored(subscribe):
    async def stream():
        yield 1

    for value in (0, "text", object(), [1], stream(), (n for n in range(2)), type("Odd", (), {"__await__": None})):
        subscribe(lambda value=value, **_: value)
    asyncio.run(instrument._emit(HOOK))


def test_a_subscriber_may_unregister_itself_and_register_others_while_it_runs(subscribe):
    calls = []

    def once(**_):
        calls.append("once")
        instrument.unregister(HOOK, once)
        subscribe(lambda **_: calls.append("late"))

    subscribe(once)
    subscribe(lambda **_: calls.append("second"))
    asyncio.run(instrument._emit(HOOK))
    assert calls == ["once", "second"]
    asyncio.run(instrument._emit(HOOK))
    assert calls == ["once", "second", "second", "late"]


def test_a_subscriber_may_emit_the_same_hook(subscribe):
    depths = []

    async def again(depth):
        depths.append(depth)
        if depth < 3:
            await instrument._emit(HOOK, depth=depth + 1)
            instrument._emit_sync(HOOK, depth=3)

    subscribe(again)
    asyncio.run(instrument._emit(HOOK, depth=1))
    assert depths == [1, 2, 3, 3, 3]


def test_a_subscriber_that_adds_to_its_keywords_changes_nothing_for_the_next(subscribe):
    seen = []

    def greedy(**keywords):
        keywords["mine"] = 1
        keywords.pop("tool_name")

    subscribe(greedy)
    subscribe(lambda **keywords: seen.append(keywords))
    asyncio.run(instrument._emit(HOOK, tool_name="t"))
    assert seen == [{"tool_name": "t"}]


def test_64_threads_that_register_and_emit_lose_nothing():
    calls = dict.fromkeys(range(64), 0)
    start = threading.Barrier(64)

    def work(number):
        def count(who, **_):
            if who == number:
                calls[number] += 1

        start.wait(10)
        for _ in range(10):
            instrument.register(HOOK, count)
            for _ in range(3):
                instrument._emit_sync(HOOK, who=number)
            instrument.unregister(HOOK, count)
        instrument.register(HOOK, count)
        keep.append(count)

    keep: list = []
    threads = [threading.Thread(target=work, args=(number,)) for number in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert set(calls.values()) == {30}
    assert set(instrument._hooks[HOOK]) == set(keep)
    for count in keep:
        instrument.unregister(HOOK, count)
    assert HOOK not in instrument._hooks


def test_a_subscriber_collected_in_the_middle_of_a_registration_may_unregister_itself():
    class Equal:
        """Its comparison runs in the middle of a change, as the garbage collector might."""

        def __call__(self, **_):
            raise AssertionError

        def __eq__(self, other):
            if instrument.enabled("other_hook"):
                instrument.unregister("other_hook", print)
                instrument.unregister(HOOK, print)
            return self is other

        __hash__ = object.__hash__

    first, second = Equal(), Equal()
    instrument.register("other_hook", print)
    instrument.register(HOOK, first)
    instrument.register(HOOK, print)
    instrument.unregister(HOOK, second)
    assert instrument._hooks == {HOOK: (first,)}
    instrument.unregister(HOOK, first)


@given(
    st.lists(
        st.tuples(st.sampled_from(["register", "unregister", "emit", "emit_sync", "in_emit"]), st.integers(0, 4)),
        max_size=30,
    )
)
def test_any_order_of_registrations_and_emits_calls_each_subscriber_first_in_first_out(steps):
    called: list[int] = []
    pending: list[tuple[str, int]] = []

    def make(number):
        def subscriber(**_):
            called.append(number)
            if pending:
                change(*pending.pop())

        return subscriber

    subscribers = [make(number) for number in range(5)]
    expected: list[int] = []

    def change(action, number):
        if action == "register":
            instrument.register(HOOK, subscribers[number])
            expected.append(number)
        else:
            instrument.unregister(HOOK, subscribers[number])
            if number in expected:
                expected.remove(number)

    async def run():
        for action, number in steps:
            if action in ("register", "unregister"):
                change(action, number)
                continue
            if action == "in_emit":
                pending.append(("unregister" if number % 2 else "register", number))
            before = list(expected)
            called.clear()
            if action == "emit_sync":
                instrument._emit_sync(HOOK)
            else:
                await instrument._emit(HOOK)
            assert called == before
            pending.clear()
            assert list(instrument._hooks.get(HOOK, ())) == [subscribers[n] for n in expected]

    try:
        asyncio.run(run())
    finally:
        for subscriber in subscribers * 30:
            instrument.unregister(HOOK, subscriber)


@pytest.mark.parametrize("emit", ["_emit", "_emit_sync"])
def test_positional_arguments_get_the_names_of_the_catalogue(subscribe, emit):
    seen = []
    subscribe(lambda *args, **keywords: seen.append((args, keywords)))
    result = getattr(instrument, emit)(HOOK, "search", {"q": 1}, "context", "one too many", call_id="c")
    if result is not None:
        asyncio.run(result)
    assert seen == [((), {"tool_name": "search", "args": {"q": 1}, "context": "context", "call_id": "c"})]


def test_positional_arguments_of_an_applications_own_hook_are_passed_on(subscribe):
    seen = []
    subscribe(lambda *args, **keywords: seen.append((args, keywords)), "my_hook")
    asyncio.run(instrument._emit("my_hook", 1, 2, x=3))
    instrument._emit_sync("my_hook", 1)
    assert seen == [((1, 2), {"x": 3}), ((1,), {})]


@pytest.mark.parametrize("emit", ["_emit", "_emit_sync"])
def test_an_emitter_goes_on_once_a_subscriber_that_blocks_is_through(subscribe, emit):
    """As docs/decisions/a-subscriber-takes-its-time.md says: none is cut off, and the order stays."""
    order, entered, release = [], threading.Event(), threading.Event()

    def blocks(**_):
        entered.set()
        assert release.wait(10)
        order.append("blocks")

    def emitter():
        result = getattr(instrument, emit)(HOOK)
        if result is not None:
            asyncio.run(result)
        order.append("emitter")

    subscribe(blocks)
    subscribe(lambda **_: order.append("next"))
    thread = threading.Thread(target=emitter)
    thread.start()
    assert entered.wait(10)
    assert order == []
    release.set()
    thread.join(10)
    assert order == ["blocks", "next", "emitter"]


def test_a_hook_without_subscribers_reads_as_empty_and_stays_disabled():
    assert not instrument._hooks["before_tool_call"]
    assert not instrument.enabled("before_tool_call")
    assert "before_tool_call" not in instrument._hooks
