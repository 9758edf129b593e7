import asyncio

import pytest

import instrument

HOOK = "after_tool_call"


class Ends(instrument._Ending):
    def __init__(self, calls):
        self.calls = calls

    def end(self):
        self.calls.append("end")


@pytest.fixture
def calls():
    return []


@pytest.fixture
def observed(calls, subscribe):
    """Subscribers in front of and behind the observer's registration."""

    def observer(**_):
        calls.append("observer")
        return Ends(calls)

    async def waits(**_):
        await asyncio.sleep(0)
        calls.append("second")

    subscribe(lambda **_: calls.append("first"), HOOK)
    instrument._observe(HOOK, observer)
    subscribe(waits, HOOK)
    yield
    instrument.unregister(HOOK, observer)


def test_an_observer_comes_first_and_ends_last_whoever_was_registered_when(observed, calls):
    asyncio.run(instrument._emit(HOOK))
    assert calls == ["observer", "first", "second", "end"]


def test_an_emitter_that_cannot_await_does_not_wait_for_the_rest_of_coroutines(observed, calls):
    instrument._emit_sync(HOOK)
    assert calls[:2] == ["observer", "first"]
    assert "end" in calls


def test_it_ends_though_a_subscriber_fails_or_the_emitter_is_cancelled(observed, calls, subscribe, caplog):
    async def main():
        task = asyncio.create_task(instrument._emit(HOOK))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert calls == ["observer", "first", "end"]
        subscribe(lambda required, **_: None, HOOK)
        await instrument._emit(HOOK)

    asyncio.run(main())
    assert calls[3:] == ["observer", "first", "second", "end"]
    assert len(caplog.records) == 1


def test_an_end_that_fails_is_logged_and_the_emitter_goes_on(caplog):
    class Fails(instrument._Ending):
        def end(self):
            raise LookupError("my bug")

    def observer(**_):
        return Fails()

    instrument._observe(HOOK, observer)
    try:
        asyncio.run(instrument._emit(HOOK))
        instrument._emit_sync(HOOK)
    finally:
        instrument.unregister(HOOK, observer)
    assert len(caplog.records) == 2
    assert "my bug" in caplog.text
