import asyncio
import contextvars
import gc
import threading
import time

import pytest

import instrument
from instrument import _loops

HOOK = "before_tool_call"
WAIT_S = 10
session = contextvars.ContextVar("session", default="none")


@pytest.fixture
def release():
    """An event that subscribers wait for in another thread, set at the end in any case."""
    event = threading.Event()
    yield event
    event.set()


async def until(event):
    while not event.is_set():  # noqa: ASYNC110 - set by another thread
        await asyncio.sleep(0.001)


def eventually(condition):
    deadline_s = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.001)


def test_the_rest_of_a_coroutine_goes_on_in_a_daemon_thread(subscribe, release):
    threads = []
    done = threading.Event()

    async def waits(**_):
        threads.append(threading.current_thread())
        await until(release)
        threads.append(threading.current_thread())
        done.set()

    subscribe(waits)
    instrument._emit_sync(HOOK)
    assert threads == [threading.current_thread()]
    release.set()
    assert done.wait(WAIT_S)
    assert threads[1] is not threading.current_thread()
    assert threads[1].daemon


def test_one_copy_of_the_context_serves_the_whole_coroutine(subscribe, release):
    values = []
    done = threading.Event()

    async def sets(**_):
        values.append(session.get())
        token = session.set("subscriber")
        await until(release)
        values.append(session.get())
        session.reset(token)
        values.append(session.get())
        done.set()

    subscribe(sets)
    token = session.set("emitter")
    instrument._emit_sync(HOOK)
    assert session.get() == "emitter"
    session.reset(token)
    release.set()
    assert done.wait(WAIT_S)
    assert values == ["emitter", "subscriber", "emitter"]


def test_tasks_that_a_subscriber_leaves_behind_are_run_to_their_end(subscribe):
    done = threading.Event()

    async def background():
        await asyncio.sleep(0.001)
        done.set()

    kept = []

    async def starts(**_):
        kept.append(asyncio.create_task(background()))

    subscribe(starts)
    instrument._emit_sync(HOOK)
    assert done.wait(WAIT_S)


def test_a_nested_emit_in_a_private_loop_is_run_to_its_end(subscribe):
    done = threading.Event()

    async def inner(**_):
        await asyncio.sleep(0.001)
        done.set()

    async def outer(**_):
        instrument._emit_sync("inner_hook")

    subscribe(inner, "inner_hook")
    subscribe(outer)
    instrument._emit_sync(HOOK)
    assert done.wait(WAIT_S)


def test_a_late_failure_is_logged(subscribe, caplog):
    async def fails(**_):
        await asyncio.sleep(0.001)
        raise LookupError("late")

    subscribe(fails)
    instrument._emit_sync(HOOK)
    eventually(lambda: "LookupError: late" in caplog.text)


def test_a_cancelled_first_step_is_the_subscribers_own(subscribe, caplog):
    async def cancelled(**_):
        raise asyncio.CancelledError

    subscribe(cancelled)
    instrument._emit_sync(HOOK)
    assert not caplog.records


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_exit_in_the_first_step_reaches_the_emitter(subscribe, error, caplog):
    class Exits:
        def __await__(self):
            raise error

    async def exits(**_):
        await Exits()

    for callback in (exits, lambda **_: Exits()):
        subscribe(callback)
        with pytest.raises(error):
            instrument._emit_sync(HOOK)
        instrument.unregister(HOOK, callback)
    gc.collect()
    assert not caplog.records


def test_an_exit_in_a_later_step_does_not_keep_others_from_ending(subscribe, caplog):
    done = threading.Event()

    async def exits(**_):
        kept.append(asyncio.create_task(goes_on()))
        await asyncio.sleep(0)
        raise SystemExit

    async def goes_on():
        await asyncio.sleep(0.005)
        done.set()

    kept = []
    subscribe(exits)
    instrument._emit_sync(HOOK)
    assert done.wait(WAIT_S)


def test_a_future_of_another_loop_is_logged_as_the_subscribers_failure(subscribe, caplog):
    loop = asyncio.new_event_loop()
    subscribe(lambda **_: loop.create_future())
    instrument._emit_sync(HOOK)
    eventually(lambda: "attached to a different loop" in caplog.text)
    loop.close()


def test_an_idle_loop_is_used_again(subscribe):
    loops = []

    async def note(**_):
        loops.append(asyncio.get_running_loop())

    subscribe(note)
    instrument._emit_sync(HOOK)
    instrument._emit_sync(HOOK)
    assert loops[0] is loops[1]


def test_what_waits_for_a_loop_is_run_when_one_is_free_and_in_its_own_context(subscribe, release):
    started, finished, lock = [], [], threading.Lock()
    all_done = threading.Event()
    count = _loops._LOOPS + 5

    async def waits(number, **_):
        started.append(number)
        await until(release)
        with lock:
            finished.append((number, session.get()))
            if len(finished) == count:
                all_done.set()

    subscribe(waits)
    for number in range(count):
        token = session.set(str(number))
        instrument._emit_sync(HOOK, number=number)
        session.reset(token)
    assert started == list(range(_loops._LOOPS))
    release.set()
    assert all_done.wait(WAIT_S)
    assert sorted(finished) == [(number, str(number)) for number in range(count)]


def test_hanging_subscribers_cannot_use_up_memory(subscribe, release, caplog):
    most = _loops._LOOPS + _loops._WAITING
    finished = []
    all_done = threading.Event()

    async def waits(**_):
        await until(release)
        finished.append(1)
        if len(finished) == most:
            all_done.set()

    subscribe(waits)
    for _ in range(most + 2):
        instrument._emit_sync(HOOK)
    assert caplog.text.count("1000 coroutines of subscribers already wait; make subscribers faster") == 2
    release.set()
    assert all_done.wait(WAIT_S)


def test_threads_that_emit_at_once_all_get_their_coroutines_run(subscribe):
    finished = []
    all_done = threading.Event()

    async def waits(number, **_):
        await asyncio.sleep(0.001)
        finished.append(number)
        if len(finished) == 64:
            all_done.set()

    subscribe(waits)
    threads = [threading.Thread(target=instrument._emit_sync, args=(HOOK,), kwargs={"number": n}) for n in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert all_done.wait(WAIT_S)
    assert sorted(finished) == list(range(64))


def test_a_thread_that_cannot_be_started_is_logged(subscribe, caplog, monkeypatch):
    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    closed = []

    async def waits(**_):
        try:
            await asyncio.sleep(1)
        finally:
            closed.append(1)

    subscribe(waits)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        instrument._emit_sync(HOOK)
    gc.collect()
    assert [record.name for record in caplog.records] == ["mcp.instrument"]
    assert closed == [1]
    instrument._emit_sync("other_hook")
