import asyncio
import contextvars
import json
import re
import sys
import threading
import time
import tracemalloc
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

import instrument
from inspector import context
from inspector.record.capture.captured import captured
from inspector.record.spool.sleep import Pauses
from instrument import _emit, _emit_sync, around


class Agent:
    name = "researcher"
    description = "looks things up"


class Model:
    model = "gpt-4o"
    provider = "openai"


def status(span):
    return span["attributes"].get("inspector.status", "running")


def test_a_tool_call_becomes_one_span_with_standard_and_original_names(record):
    recording = record()
    _emit_sync("before_tool_call", tool_name="add", args={"a": 1}, context=None, call_id="c1")
    _emit_sync("after_tool_call", tool_name="add", args={"a": 1}, result=[2], context=None, call_id="c1")
    (span,) = recording.spans()
    assert span["name"] == "execute_tool add"
    assert (span["startTimeUnixNano"], span["endTimeUnixNano"]) == ("1000000000", "2000000000")
    assert span["status"] == {"code": 1}
    assert span["attributes"] == {
        "gen_ai.operation.name": "execute_tool",
        "inspector.span.type": "tool.call",
        "gen_ai.tool.name": "add",
        "mcp.tool.name": "add",
        "gen_ai.tool.call.arguments": '{"a":1}',
        "mcp.tool.input_json": '{"a":1}',
        "gen_ai.tool.call.result": "[2]",
        "mcp.tool.output_json": "[2]",
        "inspector.hook": "tool_call",
        "inspector.call_id": "c1",
        "inspector.status": "ok",
        "mcp.status.code": "ok",
    }


def test_a_model_call_that_was_reported_later_has_the_times_at_which_it_happened(record):
    recording = record(still=True)
    call = {"llm": Model(), "prompt": "hi", "call_id": "c1"}
    recording.clock.passed_ns = 5_000_000_000
    _emit_sync("before_llm_generate", **call, at_ns=2_000_000_000)
    recording.clock.passed_ns = 9_000_000_000
    _emit_sync("after_llm_generate", **call, response="hello", usage=None, at_ns=4_000_000_000)
    (span,) = recording.spans()
    assert (span["startTimeUnixNano"], span["endTimeUnixNano"]) == ("2000000000", "4000000000")


@pytest.mark.parametrize("never", [True, -1, 2**70, -(2**70), "soon"])
def test_a_time_at_which_a_call_cannot_have_happened_is_that_of_its_hook(record, never):
    recording = record(still=True)
    call = {"llm": Model(), "prompt": "hi", "call_id": "c1"}
    recording.clock.passed_ns = 5_000_000_000
    _emit_sync("before_llm_generate", **call, at_ns=never)
    recording.clock.passed_ns = 9_000_000_000
    _emit_sync("after_llm_generate", **call, response="hello", usage=None, at_ns=2**70)
    (span,) = recording.spans()
    assert (span["startTimeUnixNano"], span["endTimeUnixNano"]) == ("5000000000", "9000000000")


def test_of_the_task_of_a_model_call_the_end_of_its_name_and_its_address_are_recorded(record):
    recording = record()

    async def call():
        with around("llm_generate", llm=Model(), prompt="hi"):
            return asyncio.current_task()

    async def program():
        return await asyncio.create_task(call(), name=f"{'package.' * 30}run")

    task = asyncio.run(program())
    (span,) = recording.spans()
    assert span["attributes"]["inspector.task"] == f"kage.package.package.package.run@{id(task):x}"


def test_calls_are_nested_as_they_were_made(record):
    recording = record()
    with around("workflow_run", workflow="trip", context=None):
        with around("agent_call", agent=Agent()):
            with around("llm_generate", llm=Model(), prompt="hi"):
                pass
            with around("tool_call", tool_name="add", args={}, context=None):
                pass
    workflow, agent, llm, tool = recording.spans()
    assert [s["name"] for s in (workflow, agent, llm, tool)] == [
        "invoke_workflow trip",
        "invoke_agent researcher",
        "chat gpt-4o",
        "execute_tool add",
    ]
    assert "parentSpanId" not in workflow
    assert agent["parentSpanId"] == workflow["spanId"]
    assert llm["parentSpanId"] == tool["parentSpanId"] == agent["spanId"]
    assert len({s["traceId"] for s in (workflow, agent, llm, tool)}) == 1


def test_a_running_call_is_in_the_spool_before_it_ends(record):
    recording = record()
    _emit_sync("before_tool_call", tool_name="slow", args={"n": 1}, context=None)
    (start,) = recording.records()
    assert "endTimeUnixNano" not in start
    assert start["attributes"]["gen_ai.tool.call.arguments"] == '{"n":1}'
    assert "inspector.status" not in start["attributes"]
    _emit_sync("after_tool_call", tool_name="slow", args={"n": 1}, result=1, context=None)
    start, end = recording.records()
    assert end["spanId"] == start["spanId"]
    assert end["attributes"]["gen_ai.tool.call.arguments"] == '{"n":1}'


def test_an_exception_gives_type_message_and_traceback(record):
    recording = record()
    with pytest.raises(ValueError):
        with around("tool_call", tool_name="boom", args={}, context=None):
            raise ValueError("no such city")
    (span,) = recording.spans()
    assert status(span) == "error"
    assert span["status"] == {"code": 2, "message": "no such city"}
    assert span["attributes"]["error.type"] == "ValueError"
    assert span["attributes"]["mcp.error.message"] == "no such city"
    (event,) = span["events"]
    assert event["name"] == "exception"
    assert event["attributes"]["exception.type"] == "ValueError"
    assert 'raise ValueError("no such city")' in event["attributes"]["exception.stacktrace"]


def test_an_exception_of_libraries_alone_shows_who_called_them(record):
    recording = record()

    def asked_for():
        try:
            json.loads("no JSON")
        except ValueError as exc:
            # As an integration has it: caught below the program, whose frame is not in the traceback then.
            return exc.with_traceback(exc.__traceback__.tb_next)

    with around("tool_call", tool_name="read", args={}, context=None) as call:
        call.fail(asked_for())
    (span,) = recording.spans()
    text = span["events"][0]["attributes"]["exception.stacktrace"]
    lines = [line.strip() for line in text.splitlines()]
    ours = [line for line in lines if line.startswith("File") and "test_recorder.py" in line]
    assert ours[-1].endswith("test_an_exception_of_libraries_alone_shows_who_called_them")
    assert text.index(ours[-1]) < text.index("json/decoder.py")
    assert not any("/instrument/" in line or "/inspector/" in line for line in lines if line.startswith("File"))


def test_an_exception_of_the_program_shows_what_is_below_the_call_alone(record):
    recording = record()
    with pytest.raises(ValueError), around("tool_call", tool_name="read", args={}, context=None):
        json.loads("no JSON")
    (span,) = recording.spans()
    files = [line for line in span["events"][0]["attributes"]["exception.stacktrace"].splitlines() if "File" in line]
    assert "test_recorder.py" in files[0]
    assert sum("test_recorder.py" in line for line in files) == 1


@pytest.mark.parametrize("flag", ["isError", "is_error"])
def test_a_result_with_the_error_flag_is_an_error_though_after_fired(record, flag):
    recording = record()
    result = {flag: True, "content": [{"type": "text", "text": "room taken"}]}
    with around("tool_call", tool_name="book", args={}, context=None) as call:
        call.set(result=result)
    (span,) = recording.spans()
    assert status(span) == "error"
    assert span["attributes"]["error.type"] == "tool_error"
    assert span["status"]["message"] == "room taken"


def test_a_result_object_with_the_error_flag_is_an_error(record):
    class ToolResult:
        def __init__(self):
            self.is_error = True
            self.content = "boom"

    recording = record()
    with around("tool_call", tool_name="book", args={}, context=None) as call:
        call.set(result=ToolResult())
    (span,) = recording.spans()
    assert span["attributes"]["error.type"] == "tool_error"


def test_cancellation_is_not_an_error(record):
    recording = record()

    async def main():
        async def slow():
            async with around("tool_call", tool_name="slow", args={}, context=None):
                await asyncio.Event().wait()

        task = asyncio.create_task(slow())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    (span,) = recording.spans()
    assert status(span) == "cancelled"
    assert "status" not in span
    assert "error.type" not in span["attributes"]


def test_what_a_call_leaves_open_is_abandoned_at_its_end(record):
    recording = record()
    with around("agent_call", agent=Agent()):
        _emit_sync("before_tool_call", tool_name="left", args={}, context=None)
        _emit_sync("before_llm_generate", llm=Model(), prompt="deeper")
    agent, tool, llm = recording.spans()
    assert [status(s) for s in (agent, tool, llm)] == ["ok", "abandoned", "abandoned"]
    assert tool["endTimeUnixNano"] == llm["endTimeUnixNano"] == agent["endTimeUnixNano"]


def test_an_abandoned_call_that_does_end_later_counts_as_ended(record):
    recording = record()
    with around("agent_call", agent=Agent()):
        _emit_sync("before_tool_call", tool_name="late", args={}, context=None, call_id="bg")
    assert status(recording.spans()[1]) == "abandoned"
    _emit_sync("after_tool_call", tool_name="late", args={}, result="done", context=None, call_id="bg")
    assert status(recording.spans()[1]) == "ok"


def test_what_begins_in_a_task_that_outlives_the_call_above_it_is_below_the_calls_of_that_task(record):
    recording = record()

    async def background(began, over):
        async with around("agent_call", agent="background"), around("workflow_run", workflow="step", context=None):
            began.set()
            await over.wait()
            async with around("tool_call", tool_name="inside", args={}, context=None):
                pass
        async with around("tool_call", tool_name="afterwards", args={}, context=None):
            pass

    async def main():
        began, over = asyncio.Event(), asyncio.Event()
        async with around("agent_call", agent="starter"):
            task = asyncio.create_task(background(began, over))
            await began.wait()
        assert [status(span) for span in recording.spans()] == ["ok", "abandoned", "abandoned"]
        over.set()
        await task

    asyncio.run(main())
    _, agent, step, inside, afterwards = recording.spans()
    assert (inside["parentSpanId"], step["parentSpanId"]) == (step["spanId"], agent["spanId"])
    assert "parentSpanId" not in afterwards
    assert {status(span) for span in recording.spans()} == {"ok"}


def test_what_begins_in_a_thread_that_outlives_the_call_above_it_is_below_the_calls_of_that_thread(record):
    recording = record()
    began, over = threading.Event(), threading.Event()

    def background():
        with around("agent_call", agent="background"):
            began.set()
            over.wait(10)
            with around("tool_call", tool_name="inside", args={}, context=None):
                pass

    with around("agent_call", agent="starter"):
        thread = threading.Thread(target=contextvars.copy_context().run, args=(background,))
        thread.start()
        began.wait(10)
    over.set()
    thread.join()
    _, agent, inside = recording.spans()
    assert inside["parentSpanId"] == agent["spanId"]


def test_a_generator_left_early_is_closed_early_and_is_no_parent_afterwards(record):
    recording = record()

    def stream():
        with around("llm_generate", llm=Model(), prompt="count"):
            yield 1
            yield 2

    with around("agent_call", agent=Agent()):
        for _ in stream():
            break
        with around("tool_call", tool_name="next", args={}, context=None):
            pass
    agent, llm, tool = recording.spans()
    assert status(llm) == "ok"
    assert llm["attributes"]["inspector.closed_early"] is True
    assert tool["parentSpanId"] == agent["spanId"]


def test_an_async_generator_closed_in_another_task_ends_its_call_there(record):
    recording = record()

    async def stream():
        async with around("llm_generate", llm=Model(), prompt="count"):
            yield 1
            yield 2

    async def main():
        async with around("agent_call", agent=Agent()):
            chunks = stream()
            await anext(chunks)
            await asyncio.create_task(chunks.aclose())
            async with around("tool_call", tool_name="next", args={}, context=None):
                pass

    asyncio.run(main())
    agent, llm, tool = recording.spans()
    assert status(llm) == "abandoned"
    assert tool["parentSpanId"] == agent["spanId"]


def test_two_hundred_parallel_calls_of_one_tool_keep_their_own_results(record):
    recording = record()

    async def call(i):
        await _emit("before_tool_call", tool_name="add", args={"i": i}, context=None)
        await asyncio.sleep(0)
        await _emit("after_tool_call", tool_name="add", args={"i": i}, result=i, context=None)

    async def main():
        async with around("agent_call", agent=Agent()):
            await asyncio.gather(*(call(i) for i in range(200)))

    asyncio.run(main())
    agent, *tools = recording.spans()
    assert len(tools) == 200
    assert {s["parentSpanId"] for s in tools} == {agent["spanId"]}
    for span in tools:
        arguments = json.loads(span["attributes"]["gen_ai.tool.call.arguments"])
        assert json.loads(span["attributes"]["gen_ai.tool.call.result"]) == arguments["i"]


def test_threads_with_a_copied_context_keep_the_parent(record):
    import contextvars

    recording = record()

    def work(i):
        with around("tool_call", tool_name=f"t{i}", args={}, context=None):
            pass

    with around("agent_call", agent=Agent()):
        threads = [threading.Thread(target=contextvars.copy_context().run, args=(work, i)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    agent, *tools = recording.spans()
    assert {s["parentSpanId"] for s in tools} == {agent["spanId"]}
    assert len(tools) == 8


def test_an_end_that_belongs_to_no_open_call_is_counted_and_changes_nothing(record):
    recording = record()
    _emit_sync("after_tool_call", tool_name="never", args={}, result=1, context=None)
    _emit_sync("error_llm_generate", llm=Model(), prompt="", exc=ValueError())
    assert recording.spans() == []
    assert recording.recorder.unmatched == 2


def test_a_call_ends_once_even_when_its_end_is_told_twice(record):
    recording = record()
    _emit_sync("before_tool_call", tool_name="t", args={}, context=None, call_id="1")
    _emit_sync("after_tool_call", tool_name="t", args={}, result=1, context=None, call_id="1")
    _emit_sync("error_tool_call", tool_name="t", args={}, exc=ValueError(), context=None, call_id="1")
    (span,) = recording.spans()
    assert status(span) == "ok"
    assert recording.recorder.unmatched == 1


def test_a_model_call_has_messages_tokens_counted_once_and_the_raw_usage(record):
    recording = record()
    usage = {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 7}
    response = {
        "id": "r1",
        "model": "claude-x",
        "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Hello"}],
    }
    with around("llm_generate", llm=Model(), prompt=[{"role": "user", "content": "Hi"}]) as call:
        call.set(response=response, usage=usage)
    (span,) = recording.spans()
    attributes = span["attributes"]
    assert span["kind"] == 3
    assert attributes["gen_ai.request.model"] == attributes["mcp.llm.model"] == "gpt-4o"
    assert attributes["gen_ai.provider.name"] == "openai"
    assert attributes["gen_ai.usage.input_tokens"] == 100
    assert attributes["gen_ai.usage.cache_read.input_tokens"] == 90
    assert attributes["gen_ai.usage.output_tokens"] == 7
    assert json.loads(attributes["inspector.llm.usage_json"]) == usage
    assert json.loads(attributes["mcp.llm.prompt_json"]) == [{"role": "user", "content": "Hi"}]
    assert json.loads(attributes["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Hi"}]}
    ]
    assert json.loads(attributes["gen_ai.output.messages"])[0]["parts"] == [{"type": "text", "content": "Hello"}]
    assert attributes["gen_ai.response.finish_reasons"] == ["end_turn"]


def test_a_model_call_that_another_model_answered_has_the_name_of_that_one(record):
    recording = record()
    asked, answered = SimpleNamespace(model="gpt-4o", provider="openai"), SimpleNamespace(model="claude", provider="x")
    _emit_sync("before_llm_generate", llm=asked, prompt="Hi", call_id="1")
    _emit_sync("after_llm_generate", llm=answered, prompt="Hi", response="Hello", usage=None, call_id="1")
    (span,) = recording.spans()
    assert span["name"] == "chat claude"
    assert span["attributes"]["gen_ai.request.model"] == "claude"
    assert span["attributes"]["gen_ai.provider.name"] == "x"


def test_without_content_names_tokens_and_errors_stay(record):
    recording = record(content=False)
    with around("llm_generate", llm=Model(), prompt="secret plan") as call:
        call.set(response={"content": "secret answer"}, usage={"prompt_tokens": 3, "completion_tokens": 4})
    with around("tool_call", tool_name="t", args={"plan": "secret"}, context=None) as call:
        _emit_sync("progress_update", progress=1, total=2, message="secret step", context=None)
        call.set(result={"isError": True, "content": [{"type": "text", "text": "secret refusal"}]})
    llm, tool = recording.spans()
    assert llm["attributes"]["gen_ai.usage.input_tokens"] == 3
    assert tool["attributes"]["gen_ai.tool.name"] == "t"
    assert tool["attributes"]["error.type"] == "tool_error"
    assert tool["events"][0]["attributes"] == {"progress": 1, "total": 2}
    assert "secret" not in json.dumps([llm, tool])


class ToolRefused(PermissionError):
    pass


CLAMPED = {"name": "clamp", "did": "changed", "args": {"before": {"x": 40}, "after": {"x": 10}}}
ANSWERED = {"name": "cache", "did": "answered", "result": {"before": None, "after": {"text": "secret answer"}}}


def test_what_middleware_did_stands_on_the_span_beside_what_was_asked_and_what_came_of_it(record):
    recording = record()
    with around("tool_call", tool_name="add", args={"x": 40}, context=None) as call:
        call.set(result=11, middleware=[{"name": "audit", "did": "passed"}, CLAMPED])
    with around("llm_generate", llm=Model(), prompt="hi") as call:
        call.set(response="ho", middleware=[CLAMPED])
    tool, llm = recording.spans()
    assert json.loads(tool["attributes"]["inspector.middleware_json"]) == [{"name": "audit", "did": "passed"}, CLAMPED]
    assert tool["attributes"]["gen_ai.tool.call.arguments"] == '{"x":40}'
    assert tool["attributes"]["gen_ai.tool.call.result"] == "11"
    assert json.loads(llm["attributes"]["inspector.middleware_json"]) == [CLAMPED]
    assert "inspector.tool.outcome" not in llm["attributes"]


@pytest.mark.parametrize(
    ["middleware", "raised", "outcome"],
    [
        ([CLAMPED], None, "executed"),
        ([], None, "executed"),
        ([CLAMPED, ANSWERED], None, "short_circuited"),
        ([ANSWERED], ToolRefused("no"), "denied"),
        (None, ToolRefused("no"), "denied"),
        ([{"name": "guard", "did": "raised"}], LookupError("broken"), None),
        (None, LookupError("broken"), None),
        (None, PermissionError("of a file"), None),
        (None, None, None),
        ("hostile", None, "executed"),
        ([3, {"did": {}}], None, "executed"),
    ],
)
def test_the_outcome_tells_whether_a_tool_ran(record, middleware, raised, outcome):
    recording = record()
    with around("tool_call", tool_name="add", args={}, context=None) as call:
        if middleware is not None:
            call.set(middleware=middleware)
        if raised is not None:
            call.fail(raised)
    (tool,) = recording.spans()
    assert tool["attributes"].get("inspector.tool.outcome") == outcome
    assert status(tool) == ("ok" if raised is None else "denied" if outcome == "denied" else "error")


def test_a_refusal_has_the_status_denied_and_its_reason_and_an_agent_that_ends_with_one_has_failed(record):
    recording = record()
    with pytest.raises(ToolRefused), around("agent_call", agent=Model()):
        with around("tool_call", tool_name="rm", args={}, context=None) as call:
            call.fail(ToolRefused("a person refused rm"))
        raise ToolRefused("a person refused rm")
    agent, tool = recording.spans()
    assert (status(tool), status(agent)) == ("denied", "error")
    assert tool["attributes"]["mcp.error.message"] == "a person refused rm"


def test_what_middleware_changed_is_redacted_and_shortened_like_any_other_value(record):
    recording = record(max_bytes=2000)
    key = "sk-proj-" + "a1B2" * 12
    changed = {"name": "m", "did": "changed", "result": {"before": key, "after": "x" * 9000}}
    with around("tool_call", tool_name="add", args={}, context=None) as call:
        call.set(middleware=[changed])
    (tool,) = recording.spans()
    text = tool["attributes"]["inspector.middleware_json"]
    assert tool["attributes"]["inspector.middleware_json_truncated"] is True
    assert len(text) <= 2000 and key not in text
    (told,) = json.loads(text)
    assert told["name"] == "m" and told["result"]["before"].startswith("[redacted:")


def test_without_content_only_who_did_what_is_told_of_middleware(record):
    recording = record(content=False)
    with around("tool_call", tool_name="add", args={"x": 40}, context=None) as call:
        call.set(middleware=[CLAMPED, {**ANSWERED, "calls": 2, "more": "secret"}, {"name": {"secret": 1}}, "secret"])
    (tool,) = recording.spans()
    assert json.loads(tool["attributes"]["inspector.middleware_json"]) == [
        {"name": "clamp", "did": "changed"},
        {"name": "cache", "did": "answered", "calls": 2},
        {},
    ]
    assert tool["attributes"]["inspector.tool.outcome"] == "short_circuited"
    assert "secret" not in json.dumps(tool) and "40" not in tool["attributes"]["inspector.middleware_json"]


def test_an_outbound_request_below_its_tool_call_adds_to_the_tool_span(record):
    recording = record()
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add", "arguments": {}}}
    with around("tool_call", tool_name="math__add", args={}, context=None):
        with around("rpc_request", envelope=request, transport="stdio") as rpc:
            rpc.set(envelope={"jsonrpc": "2.0", "id": 7, "result": {"content": []}})
    (tool,) = recording.spans()
    assert tool["name"] == "execute_tool math__add"
    assert tool["attributes"]["mcp.method.name"] == "tools/call"
    assert tool["attributes"]["jsonrpc.request.id"] == "7"
    assert tool["attributes"]["network.transport"] == "pipe"
    assert "mcp.rpc.duration_ms" in tool["attributes"]
    assert tool["attributes"]["inspector.span.type"] == "tool.call"


def test_a_request_on_its_own_is_a_client_span(record):
    recording = record()
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with around("rpc_request", envelope=request, transport="http") as rpc:
        rpc.set(envelope={"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no such method"}})
    (span,) = recording.spans()
    assert (span["name"], span["kind"], status(span)) == ("tools/list", 3, "error")
    assert span["attributes"]["error.type"] == span["attributes"]["rpc.response.status_code"] == "-32601"
    assert span["status"]["message"] == "no such method"


@pytest.mark.parametrize(("code", "expected"), [(-32601, "ok"), (-32602, "ok"), (-32022, "error")])
def test_an_earlier_server_that_does_not_know_discovery_has_not_failed(record, code, expected):
    recording = record()
    request = {"jsonrpc": "2.0", "id": 1, "method": "server/discover"}
    with around("rpc_request", envelope=request, transport="stdio") as rpc:
        rpc.set(envelope={"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "no such method"}})
    (span,) = recording.spans()
    assert status(span) == expected
    assert span["attributes"]["rpc.response.status_code"] == str(code)


def test_an_inbound_request_joins_the_trace_named_in_its_meta(record):
    recording = record()
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    request = {"id": 1, "method": "tools/call", "params": {"name": "add", "_meta": {"traceparent": traceparent}}}
    with around("rpc_request", envelope=request, transport="stdio", direction="inbound"):
        with around("tool_call", tool_name="add", args={}, context=None):
            pass
    rpc, tool = recording.spans()
    assert rpc["traceId"] == tool["traceId"] == "0af7651916cd43dd8448eb211c80319c"
    assert rpc["parentSpanId"] == "b7ad6b7169203331"
    assert rpc["kind"] == 2
    assert tool["parentSpanId"] == rpc["spanId"]


def test_the_session_id_is_taken_from_the_context_and_kept_by_children(record):
    recording = record()
    with context.bind("s-1"):
        with around("agent_call", agent=Agent()):
            context.set(None)
            with around("tool_call", tool_name="t", args={}, context=None):
                pass
    with around("agent_call", agent=Agent()):
        pass
    agent, tool, alone = recording.spans()
    assert agent["attributes"]["session.id"] == tool["attributes"]["session.id"] == "s-1"
    assert "session.id" not in alone["attributes"]


def test_a_started_session_is_the_session_of_what_follows(record):
    recording = record()
    _emit_sync("session_started", session_id="s-2", context=None)
    with around("agent_call", agent=Agent()):
        pass
    _emit_sync("session_finished", session_id="s-2", context=None)
    assert context.get() is None
    (agent,) = recording.spans()
    assert agent["attributes"]["session.id"] == "s-2"
    assert [(event["name"], event["attributes"]["session_id"]) for event in agent["events"]] == [
        ("session_started", "s-2")
    ]


def test_a_call_in_which_a_session_starts_has_it_without_a_call_after_it(record):
    recording = record()
    with around("workflow_run", workflow="w", context=None):
        _emit_sync("session_started", session_id="s-1", context=None)
    _emit_sync("session_finished", session_id="s-1", context=None)
    (workflow,) = recording.spans()
    assert workflow["attributes"]["session.id"] == "s-1"


def test_what_sessions_tell_outside_of_calls_is_no_span_and_waits_for_a_call_of_the_session(record):
    recording = record()
    _emit_sync("session_started", session_id="s-1", context=None)
    _emit_sync("session_paused", session_id="s-1", reason="a question", context=None)
    _emit_sync("session_finished", session_id="s-1", context=None)
    _emit_sync("session_started", session_id="s-2", context=None)
    _emit_sync("progress_update", progress=1, total=2, message=None, context=None)
    with around("agent_call", agent="first"):
        _emit_sync("session_paused", session_id="s-2", reason="another", context=None)
    with around("agent_call", agent="second"):
        pass
    _emit_sync("session_finished", session_id="s-2", context=None)
    first, second = recording.spans()
    assert [event["name"] for event in first["events"]] == ["session_started", "session_paused"]
    assert "events" not in second


@pytest.mark.parametrize("given", ["trip-42", 42, uuid.UUID(int=42)])
def test_a_session_id_is_recorded_as_text(record, given):
    recording = record()
    with context.bind(given) as name, around("agent_call", agent="a"):
        assert name == context.get() == str(given)
    (agent,) = recording.spans()
    assert agent["attributes"]["session.id"] == str(given)


@dataclass(frozen=True)
class Full(Exception):
    """Takes no attribute, and so no traceback of contextlib's."""

    hotel: str


def test_an_exception_leaves_a_session_as_it_is():
    with pytest.raises(Full), context.bind("trip-42"):
        raise Full("Casa")
    assert context.get() is None


def test_each_call_of_a_decorated_function_returns_to_the_session_around_it():
    @context.bind("trip-42")
    def book(nights):
        return [context.get(), *(book(nights - 1) if nights else ())]

    with context.bind("chat-1"):
        assert book(1) == ["trip-42", "trip-42"]
        assert context.get() == "chat-1"


@pytest.mark.parametrize("given", [3.5, True, ["s"], object()])
def test_what_is_no_session_id_is_refused_by_name(record, given):
    recording = record()
    with pytest.raises(TypeError, match=rf"a session id is text, not {type(given).__name__}: pass str"):
        context.set(given)
    with pytest.raises(TypeError), context.bind(given):
        raise AssertionError
    _emit_sync("session_started", session_id=given, context=None)
    assert context.get() is None
    with around("agent_call", agent="a"):
        pass
    assert "session.id" not in recording.spans()[0]["attributes"]


def test_progress_is_an_event_of_the_call_it_is_about(record):
    recording = record()
    with around("tool_call", tool_name="t", args={}, context=None, call_id="c"):
        with around("agent_call", agent=Agent()):
            _emit_sync("progress_update", progress=1, total=2, message="half", context=None, call_id="c")
    tool, agent = recording.spans()
    (event,) = tool["events"]
    assert (event["name"], event["attributes"]) == ("progress_update", {"progress": 1, "total": 2, "message": "half"})
    assert "events" not in agent


def test_progress_costs_the_same_however_many_calls_are_open(record):
    recording = record()
    for n in range(5000):
        _emit_sync("before_tool_call", tool_name="t", args={}, context=None, call_id=f"c{n}")

    def peak_of_one():
        # The thread that writes is done, or what it takes would be counted too.
        assert recording.spool.flush(10)
        tracemalloc.start()
        try:
            _emit_sync("progress_update", progress=1, context=None, call_id="c4999")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    # A copy of what is open would take 8 bytes a call, each time; the thread that writes can come between at times.
    assert min(peak_of_one() for _ in range(10)) < 20_000


def test_progress_of_two_calls_with_one_id_is_told_of_the_outer_one(record):
    recording = record()
    with around("tool_call", tool_name="t", args={}, context=None, call_id="c"):
        with around("agent_call", agent=Agent(), call_id="c"):
            _emit_sync("progress_update", progress=1, context=None, call_id="c")
    tool, agent = recording.spans()
    assert "events" in tool and "events" not in agent


def test_a_cancelled_operation_ends_its_call_as_cancelled(record):
    recording = record()
    with around("tool_call", tool_name="t", args={}, context=None, call_id="c"):
        _emit_sync("operation_cancelled", reason="user", context=None, call_id="c")
    (tool,) = recording.spans()
    assert status(tool) == "cancelled"


def test_the_applications_own_code_sees_the_current_span(record):
    from opentelemetry import trace

    recording = record()
    with around("tool_call", tool_name="t", args={}, context=None):
        span = trace.get_current_span()
        span.set_attribute("app.tenant", "mine")
        span.add_event("cache miss", {"tries": 2})
        inside = f"{span.get_span_context().span_id:016x}"
    assert not trace.get_current_span().get_span_context().is_valid
    (tool,) = recording.spans()
    assert tool["spanId"] == inside
    assert tool["attributes"]["app.tenant"] == "mine"
    assert tool["events"][0]["name"] == "cache miss"


def test_below_an_application_span_a_call_joins_its_trace(record):
    from opentelemetry.sdk.trace import TracerProvider

    recording = record(real_ids=True)
    with TracerProvider().get_tracer("app").start_as_current_span("request") as app:
        with around("agent_call", agent=Agent()):
            with TracerProvider().get_tracer("app").start_as_current_span("inside"):
                with around("tool_call", tool_name="t", args={}, context=None):
                    pass
    agent, tool = recording.spans()
    assert agent["traceId"] == f"{app.get_span_context().trace_id:032x}"
    assert agent["parentSpanId"] == f"{app.get_span_context().span_id:016x}"
    assert tool["parentSpanId"] == agent["spanId"]


def test_a_secret_never_reaches_the_spool(record):
    recording = record()
    key = "sk-proj-" + "aB3" * 16
    with context.bind(f"session {key}"):
        with pytest.raises(RuntimeError):
            with around(
                "tool_call", tool_name=f"use {key}", args={"password": "hunter2hunter2", "x": key}, context=None
            ):
                raise RuntimeError(f"401 for {key}")
    recording.spool.flush()
    text = "".join(path.read_text() for path in recording.directory.iterdir())
    assert "hunter2hunter2" not in text
    assert key not in text


def test_a_value_is_recorded_as_it_was_when_the_hook_fired(record):
    recording = record()
    args = {"list": [1]}
    with around("tool_call", tool_name="t", args=args, context=None):
        args["list"].append(2)
    (tool,) = recording.spans()
    assert tool["attributes"]["gen_ai.tool.call.arguments"] == '{"list":[1]}'


def test_a_value_too_large_stays_valid_json_and_is_flagged(record):
    recording = record(max_bytes=2000)
    with around("tool_call", tool_name="t", args={"a": "x" * 100_000, "b": 1}, context=None):
        pass
    (tool,) = recording.spans()
    text = tool["attributes"]["gen_ai.tool.call.arguments"]
    assert len(text) <= 2000
    assert json.loads(text)["b"] == 1
    assert tool["attributes"]["gen_ai.tool.call.arguments_truncated"] is True
    assert tool["attributes"]["mcp.tool.input_json_truncated"] is True


def test_an_applications_provider_gets_a_span_for_each_call_without_content(record):
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    recording = record(tracer=provider.get_tracer("t"))
    with around("agent_call", agent=Agent()):
        with around("tool_call", tool_name="t", args={"plan": "secret"}, context=None):
            pass
    agent, tool = recording.spans()
    their_tool, their_agent = exporter.get_finished_spans()
    assert their_tool.name == "execute_tool t"
    assert f"{their_tool.context.span_id:016x}" == tool["spanId"]
    assert their_tool.parent.span_id == their_agent.context.span_id
    assert f"{their_agent.context.trace_id:032x}" == agent["traceId"]
    assert "secret" not in str(dict(their_tool.attributes))


def test_state_and_results_are_dumped_on_the_current_span(record):
    import inspector

    class Planner:
        def __init__(self):
            self.queue = ["a"]

        @inspector.dump_state("queue")
        def plan(self, goal):
            self.queue.append(goal)
            return {"steps": 2}

        @inspector.dump_state(result="verdict")
        async def judge(self):
            return True

    recording = record()
    planner = Planner()
    assert planner.plan("outside") == {"steps": 2}
    with around("agent_call", agent=Agent()):
        planner.plan("b")
        assert asyncio.run(planner.judge()) is True
    (agent,) = recording.spans()
    assert agent["attributes"]["mcp.result.plan_json"] == '{"steps":2}'
    assert agent["attributes"]["mcp.state.queue_json"] == '["a","outside","b"]'
    assert agent["attributes"]["mcp.result.verdict_json"] == "true"


@contextmanager
def subscribed(name, fn):
    instrument.register(name, fn)
    try:
        yield
    finally:
        instrument.unregister(name, fn)


def test_a_subscriber_of_the_contract_writes_on_the_right_span(record):
    from opentelemetry import trace

    async def note(llm, prompt, **_):
        trace.get_current_span().set_attribute("mine", prompt)

    recording = record()

    async def main():
        with subscribed("before_llm_generate", note):
            async with around("llm_generate", llm=Model(), prompt="hi"):
                pass

    asyncio.run(main())
    (llm,) = recording.spans()
    assert llm["attributes"]["mine"] == "hi"


def test_a_text_too_large_to_keep_whole_is_cut_wherever_it_is_given(record):
    from opentelemetry import trace

    recording = record()
    huge = "x y " * 200_000
    with around("tool_call", tool_name=huge, args={"huge": huge}, context=None) as call:
        trace.get_current_span().set_attribute("huge", huge)
        trace.get_current_span().add_event(huge, {"huge": huge})
        call.set(result=huge)
    with around("tool_call", tool_name="next", args={}, context=None):
        pass
    first, following = recording.spans()
    assert following["name"] == "execute_tool next"
    assert len(json.dumps(first)) < 6_000_000
    assert "more characters" in first["attributes"]["huge"]


@pytest.mark.parametrize("place", ["tool", "call_id", "session", "key", "event", "uri"])
def test_a_text_that_utf8_cannot_carry_costs_nothing(record, place):
    from opentelemetry import trace

    odd = "odd \ud800 text"
    recording = record()
    with context.bind(odd if place == "session" else "s"):
        with around("tool_call", tool_name=odd if place == "tool" else "t", args={}, context=None):
            if place == "key":
                trace.get_current_span().set_attribute(odd, 1)
            if place == "event":
                trace.get_current_span().add_event(odd, {odd: odd})
            if place == "uri":
                with around("resource_fetch", uri=odd, context=None):
                    pass
        if place == "call_id":
            with around("tool_call", tool_name="t", args={}, context=None, call_id=odd):
                pass
        with around("tool_call", tool_name="good", args={}, context=None):
            pass
    assert "execute_tool good" in [span["name"] for span in recording.spans()]
    assert len(recording.spans()) == (3 if place in ("uri", "call_id") else 2)
    assert recording.spool.losses.dropped == 0


def test_a_span_that_cannot_be_encoded_costs_itself_and_is_counted(record, caplog):
    from opentelemetry import trace

    recording = record(longest=10_000)
    with around("tool_call", tool_name="huge", args={}, context=None):
        # The start is written while it is short, so that only the end is too long.
        assert recording.spool.flush(10)
        for i in range(100):
            trace.get_current_span().set_attribute(f"k{i}", "é" * 260)
    with around("tool_call", tool_name="good", args={}, context=None):
        pass
    ended = [span["name"] for span in recording.spans() if "endTimeUnixNano" in span]
    assert ended == ["execute_tool good"]
    text = "".join(path.read_text() for path in recording.directory.iterdir())
    assert '"inspector.unencodable":1' in text
    assert "could not be written and is left out" in caplog.text


def test_ends_of_calls_that_never_began_are_reported_in_the_spool(record):
    recording, began_ns = record(), time.time_ns()
    for _ in range(2):
        _emit_sync("after_tool_call", tool_name="t", args={}, result=1, context=None)
    assert recording.spans() == []
    text = "".join(path.read_text() for path in recording.directory.iterdir())
    assert text.count('"inspector.unmatched":2') == 1
    until = re.findall(r'"inspector.lost_until_unix_nano":(\d+)', text)
    assert [began_ns <= int(each) <= time.time_ns() for each in until] == [True]


def test_state_that_changes_during_a_call_is_recorded_as_it_was_last(record):
    import inspector

    class Counter:
        total = 0

        @inspector.dump_state("total")
        def step(self):
            self.total += 1
            return self.total

    # A start that is written before the first step would not have it: that alone is written again by nothing.
    recording = record(pauses=Pauses(start_s=600))
    counter = Counter()
    with around("agent_call", agent=Agent()):
        counter.step()
        assert recording.spans()[0]["attributes"]["mcp.result.step_json"] == "1"
        counter.step()
    (agent,) = recording.spans()
    assert agent["attributes"]["mcp.result.step_json"] == agent["attributes"]["mcp.state.total_json"] == "2"


def test_an_end_with_the_id_of_another_call_ends_nobody_elses(record):
    recording = record()
    with around("tool_call", tool_name="t", args={}, context=None, call_id="a"):
        for _ in range(2):
            _emit_sync("error_tool_call", tool_name="t", args={}, exc=ValueError(), context=None, call_id="b")
    (span,) = recording.spans()
    assert status(span) == "ok"
    assert recording.recorder.unmatched == 2


def test_calls_that_end_in_another_context_do_not_hold_on_to_each_other(record):
    import contextvars
    import gc

    from inspector.record.calls.spans import RecordedSpan

    recording = record()
    for i in range(300):
        _emit_sync("before_tool_call", tool_name="t", args={}, context=None, call_id=str(i))
        end = {"tool_name": "t", "args": {}, "result": 1, "context": None, "call_id": str(i)}
        contextvars.copy_context().run(_emit_sync, "after_tool_call", **end)
    assert recording.spool.flush()
    gc.collect()
    assert sum(type(each) is RecordedSpan for each in gc.get_objects()) < 50


def test_a_failing_span_processor_of_the_application_does_not_cost_the_record(record, caplog):
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

    class Broken(SpanProcessor):
        def on_start(self, span, parent_context=None):
            raise RuntimeError("broken")

    provider = TracerProvider()
    provider.add_span_processor(Broken())
    recording = record(tracer=provider.get_tracer("t"))
    with around("tool_call", tool_name="t", args={}, context=None):
        pass
    (span,) = recording.spans()
    assert status(span) == "ok"
    assert "tracer provider fails" in caplog.text


def interrupting(raised):
    def redact(key, text):
        raise raised

    return redact


@pytest.mark.parametrize("raised", [SystemExit, RuntimeError])
def test_a_redaction_that_raises_for_the_applications_provider_reaches_no_host(record, raised):
    from opentelemetry.sdk.trace import TracerProvider

    recording = record(tracer=TracerProvider().get_tracer("t"), function=interrupting(raised))
    with around("tool_call", tool_name="t", args={}, context=None):
        pass
    assert len(recording.spans()) == 1


def test_an_interruption_during_a_redaction_passes_and_costs_no_record(record):
    from opentelemetry.sdk.trace import TracerProvider

    interrupted = []

    def redact(key, text):
        if not interrupted:
            interrupted.append(key)
            raise KeyboardInterrupt
        return text

    recording = record(tracer=TracerProvider().get_tracer("t"), function=redact)
    _emit_sync("before_tool_call", tool_name="t", args={}, context=None)
    with pytest.raises(KeyboardInterrupt):
        _emit_sync("after_tool_call", tool_name="t", args={}, result=1, context=None)
    (tool,) = recording.spans()
    assert status(tool) == "ok"


@pytest.fixture
def copying_takes_a_second():
    """Lets a second pass on a recording's clock whenever the recorder has copied a value."""

    def step(recording):
        def profile(frame, event, _):
            if event == "return" and frame.f_code is captured.__code__:
                recording.clock.passed_ns += 1_000_000_000

        sys.setprofile(profile)

    yield step
    sys.setprofile(None)


def duration_s(span):
    return (int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])) // 1_000_000_000


def test_copying_what_a_call_was_given_and_what_it_returned_is_none_of_its_time(record, copying_takes_a_second):
    recording = record(still=True)
    copying_takes_a_second(recording)
    with around("agent_call", agent="researcher", input="go"):
        with around("tool_call", tool_name="dump", args={"rows": 2}, context=None) as call:
            call.set(result=[1, 2])
    agent, tool = recording.spans()
    assert tool["attributes"]["gen_ai.tool.call.result"] == "[1,2]"
    assert duration_s(tool) == 0
    # The agent waited for the copies of what the tool was given and of what it returned; its own are none of its time.
    assert duration_s(agent) == 2


@pytest.mark.parametrize("jump_s", [-3600, 3600, -365 * 86400, 365 * 86400, 80 * 365 * 86400])
def test_a_clock_that_jumps_within_a_call_changes_nothing_of_how_long_it_took(record, monkeypatch, jump_s):
    recording = record(still=True)
    recording.clock.passed_ns = begun_ns = 1_800_000_000_000_000_000
    jumped_ns = [0]
    monkeypatch.setattr(recording.clock, "now_ns", lambda: recording.clock.passed_ns + jumped_ns[0])
    with around("agent_call", agent="researcher", input="go"):
        jumped_ns[0] = jump_s * 1_000_000_000
        with around("tool_call", tool_name="dump", args={}, context=None):
            recording.clock.passed_ns += 1_000_000_000
    spans = {span["name"]: span for span in recording.spans()}
    agent, tool = spans["invoke_agent researcher"], spans["execute_tool dump"]
    assert (duration_s(agent), duration_s(tool)) == (1, 1)
    assert tool["parentSpanId"] == agent["spanId"]
    assert int(agent["startTimeUnixNano"]) == begun_ns
    assert int(tool["startTimeUnixNano"]) == begun_ns + jumped_ns[0]


def test_reading_an_exception_is_none_of_the_calls_time(record):
    recording = record()

    class Slow(Exception):
        def __str__(self):
            recording.clock.tick_ns()
            raise KeyboardInterrupt

    with pytest.raises(Slow):
        with around("tool_call", tool_name="boom", args={}, context=None):
            raise Slow("no such city")
    (span,) = recording.spans()
    assert span["status"]["message"] == "no such city"
    assert duration_s(span) == 1


def test_calls_name_the_innermost_agent_around_them(record):
    recording = record()
    calls = {
        "llm_generate": {"llm": Model(), "prompt": "hi"},
        "tool_call": {"tool_name": "add", "args": {}, "context": None},
        "resource_fetch": {"uri": "file:///a", "context": None},
        "prompt_apply": {"template_id": "brief", "parameters": {}, "context": None},
    }

    def call_each():
        for noun, keywords in calls.items():
            with around(noun, **keywords):
                pass

    with around("workflow_run", workflow="trip", context=None):
        call_each()
        with around("agent_call", agent=Agent()):
            with around("tool_call", tool_name="ask", args={}, context=None):
                with around("agent_call", agent="guide"):
                    call_each()
            call_each()
        call_each()
    each = list(calls)
    attributes = [span["attributes"] for span in recording.spans()]
    assert [(found["inspector.hook"], found.get("gen_ai.agent.name")) for found in attributes] == [
        ("workflow_run", None),
        *((noun, None) for noun in each),
        ("agent_call", "researcher"),
        ("tool_call", "researcher"),
        ("agent_call", "guide"),
        *((noun, "guide") for noun in each),
        *((noun, "researcher") for noun in each),
        *((noun, None) for noun in each),
    ]


def test_the_agent_that_a_hook_names_is_the_calls_agent(record):
    recording = record()
    with around("agent_call", agent="boss"):
        with around("tool_call", tool_name="add", args={}, context={"agent_name": "worker"}):
            pass
    assert [span["attributes"]["gen_ai.agent.name"] for span in recording.spans()] == ["boss", "worker"]


def test_a_call_that_outlives_its_agent_keeps_the_agents_name(record):
    recording = record()
    with around("agent_call", agent="boss"):
        _emit_sync("before_tool_call", tool_name="late", args={}, context=None, call_id="bg")
    recording.records()
    _emit_sync("after_tool_call", tool_name="late", args={}, result="done", context=None, call_id="bg")
    agent, tool = recording.spans()
    assert status(tool) == "ok"
    assert tool["attributes"]["gen_ai.agent.name"] == "boss"


def test_the_span_names_the_emitter_where_it_is_no_part_of_the_application(record):
    recording = record()
    with around("llm_generate", llm="m", prompt="hi", emitter="openai"), around("agent_call", agent="a"):
        pass
    model, agent = recording.spans()
    assert model["attributes"]["inspector.emitter"] == "openai"
    assert "inspector.emitter" not in agent["attributes"]


class ProviderError(Exception):
    request_id = None

    def __init__(self, request_id):
        super().__init__("no")
        self.request_id = request_id


class Answered:
    """As the SDKs of OpenAI and Anthropic return."""

    def __init__(self):
        self._request_id = "req_1"


def test_the_id_that_a_provider_gave_a_request_is_recorded_whether_it_answered_or_failed(record):
    recording = record()
    with around("llm_generate", llm="gpt-4o", prompt="hi", emitter="openai") as call:
        call.set(response=Answered())
    with pytest.raises(ProviderError), around("llm_generate", llm="claude", prompt="hi", emitter="anthropic"):
        raise ProviderError("req_2")
    answered, failed = recording.spans()
    assert answered["attributes"]["http.response.header.x-request-id"] == ["req_1"]
    assert failed["attributes"]["http.response.header.request-id"] == ["req_2"]


def test_calls_are_recorded_where_no_event_loop_runs_and_none_is_made(record, monkeypatch):
    made = []
    monkeypatch.setattr(asyncio.BaseEventLoop, "__init__", lambda loop: made.append(loop))
    recording = record(still=True)

    def work(agent):
        with around("workflow_run", workflow="trip", context=None):
            _emit_sync("before_agent_call", agent=agent, call_id=agent)
            _emit_sync("after_agent_call", agent=agent, call_id=agent, result=1)

    thread = threading.Thread(target=work, args=("in a thread",))
    thread.start()
    thread.join()
    work("in the main thread")
    spans = recording.spans()
    assert [span["name"] for span in spans] == [
        "invoke_workflow trip",
        "invoke_agent in a thread",
        "invoke_workflow trip",
        "invoke_agent in the main thread",
    ]
    assert {status(span) for span in spans} == {"ok"}
    assert spans[1]["parentSpanId"] == spans[0]["spanId"]
    assert made == []


@pytest.mark.parametrize(
    ("noun", "name"), [("agent_call", "invoke_agent agent"), ("workflow_run", "invoke_workflow workflow")]
)
def test_an_owner_that_is_not_given_is_named_by_its_kind(record, noun, name):
    recording = record()
    with around(noun, context=None):
        pass
    (span,) = recording.spans()
    assert span["name"] == name
    assert "NoneType" not in str(span)
