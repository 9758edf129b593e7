import asyncio
import threading

import pytest
from opentelemetry import trace

import instrument
from instrument import _emit, _emit_sync, around


def write(key):
    def subscriber(**_):
        trace.get_current_span().set_attribute(key, "written")

    return subscriber


def write_later(key):
    async def subscriber(**_):
        await asyncio.sleep(0)
        trace.get_current_span().set_attribute(key, "written")

    return subscriber


@pytest.fixture
def subscribe():
    registered = []

    def register(name, fn):
        instrument.register(name, fn)
        registered.append((name, fn))

    yield register
    for name, fn in registered:
        instrument.unregister(name, fn)


async def agent_with_a_model(*, fails):
    await _emit("before_agent_call", agent="planner")
    await _emit("before_llm_generate", llm="gpt-4o", prompt="hi")
    if fails:
        await _emit("error_llm_generate", llm="gpt-4o", prompt="hi", exc=ValueError("no"))
    else:
        await _emit("after_llm_generate", llm="gpt-4o", prompt="hi", response="yes", usage=None)
    await _emit("after_agent_call", agent="planner", result="done")


def written(recording):
    return {
        span["name"]: {key for key, value in span["attributes"].items() if value == "written"}
        for span in recording.spans()
    }


@pytest.mark.parametrize("make", [write, write_later])
@pytest.mark.parametrize("phase", ["after", "error"])
@pytest.mark.parametrize("registered", ["before the recorder", "after the recorder"])
def test_a_subscriber_writes_on_its_own_calls_span(record, subscribe, make, phase, registered):
    def register():
        subscribe("before_llm_generate", make("my.before"))
        subscribe(f"{phase}_llm_generate", make(f"my.{phase}"))

    if registered == "before the recorder":
        register()
        recording = record()
    else:
        recording = record()
        register()
    asyncio.run(agent_with_a_model(fails=phase == "error"))
    assert written(recording) == {"invoke_agent planner": set(), "chat gpt-4o": {"my.before", f"my.{phase}"}}
    assert not trace.get_current_span().get_span_context().is_valid


def test_it_does_so_in_plain_functions_and_without_a_call_around(record, subscribe):
    recording = record()
    for phase in ("before", "after"):
        subscribe(f"{phase}_tool_call", write(f"my.{phase}"))
    with around("tool_call", tool_name="t", args={}, context=None):
        pass
    assert written(recording) == {"execute_tool t": {"my.before", "my.after"}}
    assert not trace.get_current_span().get_span_context().is_valid


def test_it_does_so_where_the_end_is_told_by_another_thread_or_inside_of_another_span(record, subscribe):
    recording = record()
    subscribe("after_tool_call", write("my.after"))
    _emit_sync("before_tool_call", tool_name="elsewhere", args={}, context=None, call_id="c")
    end = {"tool_name": "elsewhere", "args": {}, "result": 1, "context": None, "call_id": "c"}
    thread = threading.Thread(target=_emit_sync, args=("after_tool_call",), kwargs=end)
    thread.start()
    thread.join()
    _emit_sync("before_tool_call", tool_name="here", args={}, context=None)
    other = trace.NonRecordingSpan(trace.SpanContext(1, 2, is_remote=False))
    with trace.use_span(other):
        _emit_sync("after_tool_call", tool_name="here", args={}, result=1, context=None)
        assert trace.get_current_span() is other
    assert written(recording) == {"execute_tool elsewhere": {"my.after"}, "execute_tool here": {"my.after"}}


def test_it_does_so_at_the_end_of_a_call_that_was_taken_for_abandoned(record, subscribe):
    recording = record()
    subscribe("after_tool_call", write("my.after"))
    with around("agent_call", agent="a"):
        _emit_sync("before_tool_call", tool_name="t", args={}, context=None)
    recording.records()
    _emit_sync("after_tool_call", tool_name="t", args={}, result=1, context=None)
    assert written(recording)["execute_tool t"] == {"my.after"}


def test_the_time_of_other_subscribers_is_none_of_the_calls(record, subscribe):
    recording = record()
    subscribe("after_tool_call", lambda **_: recording.clock.now_ns())
    with around("tool_call", tool_name="t", args={}, context=None):
        pass
    (span,) = recording.spans()
    assert int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]) == 1_000_000_000


def test_a_call_ends_though_the_emitter_is_cancelled_while_a_subscriber_takes_its_time(record, subscribe):
    async def waits(**_):
        await asyncio.Event().wait()

    recording = record()
    subscribe("after_agent_call", waits)

    async def agent():
        async with around("agent_call", agent="planner") as call:
            call.set(result="done")

    async def main():
        task = asyncio.create_task(agent())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    (span,) = recording.spans()
    assert span["attributes"]["inspector.status"] == "ok"


def test_ends_of_equal_calls_that_overlap_in_a_slow_subscriber_end_each_call_once(record, subscribe):
    recording = record()
    subscribe("after_tool_call", write_later("my.after"))

    async def main():
        for _ in range(3):
            _emit_sync("before_tool_call", tool_name="t", args={}, context=None)
        ends = (_emit("after_tool_call", tool_name="t", args={}, result=i, context=None) for i in range(3))
        await asyncio.gather(*ends)

    asyncio.run(main())
    results = sorted(span["attributes"]["gen_ai.tool.call.result"] for span in recording.spans())
    assert results == ["0", "1", "2"]
