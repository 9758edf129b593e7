import asyncio
import re
import time

import pytest

import instrument
from instrument.testing import capture


def names(emitted):
    return [name for name, _ in emitted]


def drive(body, *, kind):
    keywords = {"tool_name": "search", "args": {"q": "x"}, "context": "c"}

    async def in_async_with():
        async with instrument.around("tool_call", **keywords) as call:
            body(call)

    if kind == "async":
        asyncio.run(in_async_with())
    else:
        with instrument.around("tool_call", **keywords) as call:
            body(call)


both = pytest.mark.parametrize("kind", ["sync", "async"])


@both
def test_a_call_that_returns_emits_before_and_after_with_one_call_id(kind):
    with capture() as emitted:
        drive(lambda call: call.set(result="found"), kind=kind)
    (before, opening), (after, closing) = emitted
    assert (before, after) == ("before_tool_call", "after_tool_call")
    call_id = opening["call_id"]
    assert re.fullmatch("[0-9a-f]{16}", call_id)
    assert opening == {"tool_name": "search", "args": {"q": "x"}, "context": "c", "call_id": call_id}
    assert closing == {**opening, "result": "found"}


@both
@pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_call_that_raises_emits_its_error_and_the_exception_goes_on(kind, error):
    raised = error("why")

    def body(call):
        call.set(result="never seen")
        raise raised

    with capture() as emitted, pytest.raises(error) as caught:
        drive(body, kind=kind)
    assert caught.value is raised
    assert names(emitted) == ["before_tool_call", "error_tool_call"]
    assert emitted[1][1] == {**emitted[0][1], "exc": raised}


@both
def test_a_call_can_be_told_to_fail_without_an_exception(kind):
    told = LookupError("denied")
    with capture() as emitted:
        drive(lambda call: call.fail(told), kind=kind)
    assert names(emitted) == ["before_tool_call", "error_tool_call"]
    assert emitted[1][1]["exc"] is told


def test_an_exception_that_is_raised_outweighs_one_that_was_told():
    raised = LookupError("raised")
    with capture() as emitted, pytest.raises(LookupError), instrument.around("agent_call", agent="a") as call:
        call.fail(ValueError("told"))
        raise raised
    assert emitted[1] == ("error_agent_call", {"agent": "a", "exc": raised, "call_id": call.call_id})


def test_keywords_of_the_catalogue_that_are_not_given_are_none():
    with capture() as emitted, instrument.around("llm_generate", llm="m", call_id="mine"):
        pass
    assert emitted == [
        ("before_llm_generate", {"llm": "m", "prompt": None, "call_id": "mine"}),
        ("after_llm_generate", {"llm": "m", "prompt": None, "response": None, "usage": None, "call_id": "mine"}),
    ]


def test_what_is_known_early_of_the_end_is_kept_from_the_before_hook():
    with (
        capture() as emitted,
        instrument.around("resource_fetch", uri="u", context=None, mime_type="text/plain") as call,
    ):
        call.set(content="text")
        call.set(content="other", uri="u2")
    assert "mime_type" not in emitted[0][1]
    assert emitted[1][1] == {
        "uri": "u2",
        "content": "other",
        "mime_type": "text/plain",
        "context": None,
        "call_id": call.call_id,
    }


def test_keywords_beyond_the_catalogue_go_to_every_hook():
    with (
        capture() as emitted,
        pytest.raises(LookupError),
        instrument.around("rpc_request", direction="inbound", extra=1),
    ):
        raise LookupError
    assert [(keywords["direction"], keywords["extra"]) for _, keywords in emitted] == [("inbound", 1)] * 2
    assert "duration_ms" not in emitted[1][1]


def test_an_rpc_answer_carries_the_time_it_took():
    started_ns = time.monotonic_ns()
    with capture() as emitted, instrument.around("rpc_request", envelope={"id": 1}, transport="stdio") as call:
        call.set(envelope={"id": 1, "result": {}})
    elapsed_ms = (time.monotonic_ns() - started_ns) / 1e6
    assert names(emitted) == ["before_rpc_request", "after_rpc_response"]
    assert 0 <= emitted[1][1].pop("duration_ms") <= elapsed_ms
    assert emitted[1][1] == {"envelope": {"id": 1, "result": {}}, "transport": "stdio", "call_id": call.call_id}


def test_a_given_duration_is_left_as_it_is():
    with capture() as emitted, instrument.around("rpc_request") as call:
        call.set(duration_ms=7.0)
    assert emitted[1][1]["duration_ms"] == 7.0


@pytest.mark.parametrize("noun", sorted({hook.noun for hook in instrument.HOOKS.values() if hook.phase == "before"}))
def test_every_noun_of_the_catalogue_gives_exactly_the_keywords_of_the_catalogue(noun):
    with capture() as emitted:
        with instrument.around(noun):
            pass
        with pytest.raises(LookupError), instrument.around(noun):
            raise LookupError
    assert [instrument.HOOKS[name].phase for name in names(emitted)] == ["before", "after", "before", "error"]
    for name, keywords in emitted:
        assert set(keywords) == {*instrument.HOOKS[name].keywords, "call_id"}


def test_an_unknown_noun_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown noun 'tool'; known: 'agent_call', 'llm_generate', 'prompt_apply'"):
        instrument.around("tool")


def test_a_task_that_is_cancelled_in_the_call_emits_its_error(subscribe):
    with capture() as emitted:

        async def call():
            async with instrument.around("tool_call", tool_name="slow"):
                await asyncio.Event().wait()

        async def main():
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(call(), 0.001)

        asyncio.run(main())
    assert names(emitted) == ["before_tool_call", "error_tool_call"]
    assert isinstance(emitted[1][1]["exc"], asyncio.CancelledError)


@both
def test_an_exit_in_the_before_hook_still_closes_the_call(subscribe, kind):
    exit_ = SystemExit(1)

    def exits(**_):
        raise exit_

    with capture() as emitted:
        subscribe(exits)
        with pytest.raises(SystemExit):
            drive(lambda call: pytest.fail("the block must not be entered"), kind=kind)
    assert names(emitted) == ["before_tool_call", "error_tool_call"]
    assert emitted[1][1]["exc"] is exit_


def test_a_cancellation_while_the_before_hook_is_awaited_still_closes_the_call(subscribe):
    async def waits(**_):
        await asyncio.Event().wait()

    async def agent():
        async with instrument.around("tool_call", tool_name="t"):
            pytest.fail("the block must not be entered")

    async def main():
        task = asyncio.create_task(agent())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with capture() as emitted:
        subscribe(waits)
        asyncio.run(main())
    assert names(emitted) == ["before_tool_call", "error_tool_call"]


def test_a_coroutine_closed_in_the_call_emits_its_error_without_waiting(subscribe):
    async def waits(**_):
        await asyncio.sleep(0)

    async def call():
        async with instrument.around("tool_call", tool_name="t"):
            await asyncio.sleep(0)

    with capture() as emitted:
        subscribe(waits, "error_tool_call")
        coroutine = call()
        coroutine.send(None)
        coroutine.close()
    assert names(emitted) == ["before_tool_call", "error_tool_call"]


def test_generators_left_early_emit_their_error():
    def stream():
        with instrument.around("llm_generate"):
            yield 1

    async def stream_async():
        async with instrument.around("llm_generate"):
            yield 1

    async def main():
        generator = stream_async()
        await anext(generator)
        await generator.aclose()

    with capture() as emitted:
        generator = stream()
        next(generator)
        generator.close()
        asyncio.run(main())
    assert names(emitted) == ["before_llm_generate", "error_llm_generate"] * 2


@both
def test_what_middleware_did_goes_to_the_error_hook_as_well_and_never_to_the_before_hook(kind):
    did = [{"name": "guard", "did": "raised"}]

    def body(call):
        call.set(middleware=did, result="never seen")
        raise LookupError

    with capture() as emitted, pytest.raises(LookupError):
        drive(body, kind=kind)
    assert "middleware" not in emitted[0][1]
    assert emitted[1][1]["middleware"] is did
    assert "result" not in emitted[1][1]

    with capture() as emitted, instrument.around("llm_generate", llm="m", middleware=did):
        pass
    assert [keywords.get("middleware") for _, keywords in emitted] == [None, did]


def test_calls_at_once_have_call_ids_of_their_own():
    async def call(number):
        async with instrument.around("tool_call", tool_name=str(number)) as call:
            await asyncio.sleep(0)
            call.set(result=number)

    async def main():
        await asyncio.gather(*(call(number) for number in range(20)))

    with capture() as emitted:
        asyncio.run(main())
    results = {keywords["call_id"]: keywords["result"] for name, keywords in emitted if name == "after_tool_call"}
    tools = {keywords["call_id"]: keywords["tool_name"] for name, keywords in emitted if name == "before_tool_call"}
    assert len(tools) == 20
    assert {call_id: str(result) for call_id, result in results.items()} == tools


@both
def test_without_subscribers_a_call_is_just_its_block(kind):
    calls = []
    drive(calls.append, kind=kind)
    assert calls[0].call_id == calls[0].call_id != ""
