import asyncio
import functools
import logging

import pytest

import instrument

HOOK = "before_tool_call"


@pytest.mark.parametrize("emit", ["_emit", "_emit_sync"])
def test_a_failing_subscriber_is_logged_with_its_traceback_and_the_others_run(subscribe, caplog, emit):
    calls = []

    def fails(**_):
        raise LookupError("my subscriber's bug")

    async def fails_later(**_):
        raise OSError("in a coroutine")

    subscribe(fails)
    subscribe(fails_later)
    subscribe(lambda **_: calls.append(1))
    result = getattr(instrument, emit)(HOOK)
    if result is not None:
        asyncio.run(result)
    assert calls == [1]
    assert [(r.name, r.levelno) for r in caplog.records] == [("mcp.instrument", logging.WARNING)] * 2
    assert "before_tool_call failed in" in caplog.records[0].getMessage()
    assert "fails" in caplog.records[0].getMessage()
    assert "LookupError: my subscriber's bug" in caplog.text
    assert "OSError: in a coroutine" in caplog.text
    assert 'raise LookupError("my subscriber' in caplog.text


def test_a_callback_without_a_decent_name_is_logged_all_the_same(subscribe, caplog):
    class Nasty:
        def __getattribute__(self, name):
            raise RuntimeError(name)

        def __repr__(self):
            raise RuntimeError

        def __call__(self, **_):
            raise LookupError("nasty")

    class Misnamed:
        __qualname__ = __module__ = "m"

        def __call__(self, **_):
            raise LookupError("misnamed")

    misnamed = Misnamed()
    misnamed.__qualname__ = 7
    for callback in (Nasty(), misnamed, functools.partial(Nasty())):
        subscribe(callback)
    asyncio.run(instrument._emit(HOOK))
    assert len(caplog.records) == 3
    assert "Nasty object at" in caplog.records[0].getMessage()


def test_a_raising_log_handler_or_filter_does_not_reach_the_agent(subscribe):
    class Raises(logging.Handler):
        def handle(self, record):
            raise ValueError("I/O operation on closed file")

    def fails(**_):
        raise LookupError

    subscribe(fails)
    logger = logging.getLogger("mcp.instrument")
    handler = Raises()
    logger.addHandler(handler)
    try:
        asyncio.run(instrument._emit(HOOK))
        instrument._emit_sync(HOOK)
    finally:
        logger.removeHandler(handler)


def test_a_log_handler_that_emits_a_failing_hook_does_not_recurse(subscribe):
    handled = []

    class Emits(logging.Handler):
        def emit(self, record):
            handled.append(record)
            instrument._emit_sync(HOOK)

    calls = []

    def fails(**_):
        calls.append(1)
        raise LookupError

    subscribe(fails)
    logger = logging.getLogger("mcp.instrument")
    handler = Emits()
    logger.addHandler(handler)
    try:
        instrument._emit_sync(HOOK)
        instrument._emit_sync(HOOK)
    finally:
        logger.removeHandler(handler)
    assert (len(handled), len(calls)) == (2, 4)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_the_applications_passes(subscribe, caplog, error):
    def stops(**_):
        raise error

    async def main():
        with pytest.raises(error):
            await instrument._emit(HOOK)

    subscribe(stops)
    asyncio.run(main())
    with pytest.raises(error):
        instrument._emit_sync(HOOK)
    assert not caplog.records


def test_cancelling_the_emitter_cancels_the_subscriber_it_awaits(subscribe):
    ends = []

    async def waits(**_):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(instrument._emit(HOOK), 0.01)

    subscribe(waits)
    asyncio.run(main())
    assert ends == ["cancelled"]
