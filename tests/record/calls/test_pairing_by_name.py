"""Calls whose emitters send no ``call_id``, as those of the contract's first version do."""

import asyncio
import json
import sys
import threading

import pytest

from inspector.record.calls.current import innermost
from instrument import _emit, _emit_sync


class Named:
    def __init__(self, name=None, **attributes):
        self.name = name
        self.__dict__.update(attributes)


class Proxy:
    """Stands for another object in everything but its type, as wrapt's ObjectProxy does."""

    def __init__(self, of):
        object.__setattr__(self, "_of", of)

    def __getattribute__(self, name):
        return getattr(object.__getattribute__(self, "_of"), name)

    def __str__(self):
        return str(object.__getattribute__(self, "_of"))


def status(span):
    return span["attributes"].get("inspector.status", "running")


def named(recording):
    return {span["name"]: span for span in recording.spans()}


def parents(recording):
    spans = recording.spans()
    names = {span["spanId"]: span["name"] for span in spans}
    return {span["name"]: names.get(span.get("parentSpanId")) for span in spans}


def fresh(text):
    return "".join(list(text))


SUBJECTS = {
    "equal strings": (lambda: fresh("planner"), lambda: fresh("planner")),
    "fresh objects": (lambda: Named("planner"), lambda: Named("planner")),
    "a proxy and its object": (lambda: Proxy(Named("planner")), lambda: Named("planner")),
    "a proxy of a string": (lambda: Proxy("planner"), lambda: "planner"),
}


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
@pytest.mark.parametrize(("noun", "keyword"), [("agent_call", "agent"), ("workflow_run", "workflow")])
def test_a_call_ends_whichever_object_of_its_name_the_hook_has(record, noun, keyword, subject):
    recording = record()
    before, after = subject
    _emit_sync(f"before_{noun}", **{keyword: before()})
    _emit_sync("before_tool_call", tool_name="t", args={}, context=None)
    _emit_sync("after_tool_call", tool_name="t", args={}, result=1, context=None)
    _emit_sync(f"after_{noun}", **{keyword: after()}, result="done")
    _emit_sync("before_tool_call", tool_name="next", args={}, context=None)
    _emit_sync("error_tool_call", tool_name="next", args={}, exc=ValueError(), context=None)
    call, tool, later = recording.spans()
    assert call["name"].endswith(" planner")
    assert (status(call), tool["parentSpanId"], later.get("parentSpanId")) == ("ok", call["spanId"], None)
    assert '"done"' in call["attributes"].values()
    assert recording.recorder.unmatched == 0


def test_a_model_call_ends_whichever_object_has_the_models_name_and_keeps_its_tokens(record):
    recording = record()
    _emit_sync("before_llm_generate", llm=Named(model="gpt-4o"), prompt="hi")
    usage = {"input_tokens": 1000, "output_tokens": 20}
    _emit_sync("after_llm_generate", llm=Named(model="gpt-4o"), prompt="hi", response="yes", usage=usage)
    _emit_sync("before_llm_generate", llm=fresh("gpt-4o"), prompt="hi")
    _emit_sync("error_llm_generate", llm=fresh("gpt-4o"), prompt="hi", exc=ValueError("no"))
    answered, failed = recording.spans()
    assert (status(answered), status(failed)) == ("ok", "error")
    assert answered["attributes"]["gen_ai.usage.input_tokens"] == 1000


def test_objects_without_a_name_go_by_their_class(record):
    recording = record()
    _emit_sync("before_agent_call", agent=Proxy(Named()))
    _emit_sync("after_agent_call", agent=Named(), result=1)
    _emit_sync("before_resource_fetch", uri=Proxy("file:///a"), context=None)
    _emit_sync("after_resource_fetch", uri="file:///a", content="", mime_type=None, context=None)
    assert [status(span) for span in recording.spans()] == ["ok", "ok"]


def test_an_object_that_is_given_another_name_meanwhile_still_ends_its_call(record):
    recording = record()
    agent, other = Named("draft"), Named("final")
    _emit_sync("before_agent_call", agent=other)
    _emit_sync("before_agent_call", agent=agent)
    agent.name = "published"
    _emit_sync("after_agent_call", agent=agent, result="mine")
    outer, inner = recording.spans()
    assert (status(outer), status(inner)) == ("running", "ok")


def test_of_two_calls_of_one_name_the_inner_one_ends_first(record):
    recording = record()
    for depth in (1, 2):
        _emit_sync("before_agent_call", agent=Named("planner"), input=depth)
    for result in ("inner", "outer"):
        _emit_sync("after_agent_call", agent=Named("planner"), result=result)
    outer, inner = recording.spans()
    assert inner["attributes"]["mcp.result.agent_call_json"] == '"inner"'
    assert outer["attributes"]["mcp.result.agent_call_json"] == '"outer"'


def test_a_name_that_is_not_open_ends_nothing(record):
    recording = record()
    _emit_sync("before_agent_call", agent="planner")
    _emit_sync("after_agent_call", agent="writer", result=1)
    assert [status(span) for span in recording.spans()] == ["running"]
    assert recording.recorder.unmatched == 1


# Ends that never come


async def says_nothing_when_cancelled(name, begun):
    await _emit("before_agent_call", agent=name)
    await _emit("before_tool_call", tool_name="slow", args={}, context=None)
    begun.set()
    await asyncio.Event().wait()


def test_a_call_whose_task_is_done_is_abandoned_and_adopts_nothing_that_begins_after(record):
    recording = record()

    async def background(begun, go):
        await _emit("before_agent_call", agent="A1")
        later = asyncio.create_task(tool_later(go))
        begun.set()
        return later

    async def tool_later(go):
        await go.wait()
        await _emit("before_tool_call", tool_name="later", args={}, context=None)
        await _emit("after_tool_call", tool_name="later", args={}, result=1, context=None)

    async def main():
        begun, go = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(background(begun, go))
        later = await task
        go.set()
        await later
        assert status(named(recording)["invoke_agent A1"]) == "abandoned"

    asyncio.run(main())
    assert parents(recording) == {"invoke_agent A1": None, "execute_tool later": None}


def test_every_call_that_a_cancelled_task_left_open_is_abandoned(record):
    recording = record()

    async def main():
        begun = asyncio.Event()
        task = asyncio.create_task(says_nothing_when_cancelled("A1", begun))
        await begun.wait()
        task.cancel()
        await asyncio.wait([task])
        await _emit("before_agent_call", agent="NEXT")
        await _emit("after_agent_call", agent="NEXT", result=1)

    asyncio.run(main())
    spans = named(recording)
    assert {name: status(span) for name, span in spans.items()} == {
        "invoke_agent A1": "abandoned",
        "execute_tool slow": "abandoned",
        "invoke_agent NEXT": "ok",
    }
    assert parents(recording)["invoke_agent NEXT"] is None


def test_nothing_is_below_a_call_of_a_done_task_even_before_the_loop_noticed(record):
    recording = record()

    async def main():
        call_begun = asyncio.Event()

        async def leaves_open():
            await _emit("before_agent_call", agent="A1")
            # Ready to run in the very round of the loop in which this task is over.
            asyncio.get_running_loop().call_soon(
                lambda: _emit_sync("before_tool_call", tool_name="next", args={}, context=None)
            )
            call_begun.set()

        await asyncio.create_task(leaves_open())

    asyncio.run(main())
    assert parents(recording)["execute_tool next"] is None


def test_the_end_of_an_abandoned_call_that_comes_after_all_counts(record):
    recording = record()

    async def begins():
        await _emit("before_agent_call", agent="A1")

    async def main():
        await asyncio.create_task(begins())
        await asyncio.sleep(0)
        assert status(named(recording)["invoke_agent A1"]) == "abandoned"
        await _emit("after_agent_call", agent="A1", result=1)

    asyncio.run(main())
    assert status(named(recording)["invoke_agent A1"]) == "ok"


def test_a_call_that_promises_its_end_by_an_id_outlives_the_task_it_began_in(record):
    recording = record()

    async def begins():
        await _emit("before_agent_call", agent="A1", call_id="c")
        return asyncio.create_task(tool())

    async def tool():
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await _emit("before_tool_call", tool_name="streamed", args={}, context=None)
        await _emit("after_tool_call", tool_name="streamed", args={}, result=1, context=None)

    async def main():
        await (await asyncio.create_task(begins()))
        assert status(named(recording)["invoke_agent A1"]) == "running"
        await _emit("after_agent_call", agent="A1", result=1, call_id="c")

    asyncio.run(main())
    assert parents(recording)["execute_tool streamed"] == "invoke_agent A1"


def test_in_one_task_nothing_can_tell_that_a_call_was_left_open(record):
    recording = record()

    async def main():
        await _emit("before_agent_call", agent="A1")
        await _emit("before_agent_call", agent="NEXT")
        await _emit("after_agent_call", agent="NEXT", result=1)

    asyncio.run(main())
    assert parents(recording)["invoke_agent NEXT"] == "invoke_agent A1"
    assert status(named(recording)["invoke_agent A1"]) == "abandoned"


def test_a_task_that_makes_many_calls_holds_on_to_none_of_them(record):
    recording = record()

    async def main():
        for i in range(50):
            await _emit("before_tool_call", tool_name="t", args={}, context=None)
            await asyncio.to_thread(_emit_sync, "after_tool_call", tool_name="t", args={}, result=i, context=None)
        (calls,) = recording.recorder._calls._tasks._by_id.values()
        assert not calls.open

    asyncio.run(main())
    assert {status(span) for span in recording.spans()} == {"ok"}
    assert not recording.recorder._calls._tasks._by_id


def test_emits_awaited_by_wait_for_nest_as_far_as_python_runs_them_in_the_same_task(record):
    recording = record()

    async def main():
        await asyncio.wait_for(_emit("before_agent_call", agent="planner"), 5)
        assert status(named(recording)["invoke_agent planner"]) == "running"
        await _emit("before_tool_call", tool_name="t", args={}, context=None)
        await _emit("after_tool_call", tool_name="t", args={}, result=1, context=None)
        await asyncio.wait_for(_emit("after_agent_call", agent="planner", result=1), 5)

    asyncio.run(main())
    assert {status(span) for span in recording.spans()} == {"ok"}
    above = "invoke_agent planner" if sys.version_info >= (3, 12) else None
    assert parents(recording)["execute_tool t"] == above


# JSON-RPC


def request(number, method="tools/list", **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def response(number, result):
    return {"jsonrpc": "2.0", "id": number, "result": result}


def rpc(span):
    attributes = span["attributes"]
    return attributes.get("mcp.rpc.transport"), json.loads(attributes["mcp.rpc.response_json"])["result"]


def test_two_servers_with_the_same_id_get_their_own_answers_read_by_another_task(record):
    recording = record()

    async def read():
        for transport in ("http", "stdio"):
            await _emit(
                "after_rpc_response", envelope=response(1, f"of {transport}"), transport=transport, duration_ms=1.0
            )

    async def ask(transport, asked, answered):
        await _emit("before_rpc_request", envelope=request(1), transport=transport)
        asked.release()
        await answered.wait()

    async def main():
        asked, answered = asyncio.Semaphore(0), asyncio.Event()
        tasks = [asyncio.create_task(ask(transport, asked, answered)) for transport in ("http", "stdio")]
        await asked.acquire()
        await asked.acquire()
        await asyncio.create_task(read())
        answered.set()
        await asyncio.gather(*tasks)

    asyncio.run(main())
    assert sorted(map(rpc, recording.spans())) == [("http", "of http"), ("stdio", "of stdio")]


def test_a_notification_ends_at_once_and_nothing_is_below_it(record):
    recording = record()
    _emit_sync("before_rpc_request", envelope={"method": "notifications/initialized"}, transport="stdio")
    _emit_sync("before_tool_call", tool_name="t", args={}, context=None)
    _emit_sync("after_tool_call", tool_name="t", args={}, result=1, context=None)
    notification, tool = recording.spans()
    assert (notification["name"], status(notification)) == ("notifications/initialized", "ok")
    assert "endTimeUnixNano" in notification
    assert "parentSpanId" not in tool


def test_an_end_of_a_notification_is_its_own_and_a_failure_is_shown(record):
    recording = record()
    notification = {"method": "notifications/progress", "params": {"progress": 1}}
    _emit_sync("before_rpc_request", envelope=request(7), transport="http")
    _emit_sync("before_rpc_request", envelope=notification, transport="http")
    _emit_sync("after_rpc_response", envelope=notification, transport="http", duration_ms=1.0)
    _emit_sync("before_rpc_request", envelope=notification, transport="http")
    recording.records()
    _emit_sync("error_rpc_request", envelope=notification, transport="http", exc=OSError("broken pipe"))
    asked, sent, failed = recording.spans()
    assert [status(span) for span in (asked, sent, failed)] == ["running", "ok", "error"]
    assert failed["name"] == "notifications/progress"
    assert failed["attributes"]["error.type"] == "OSError"
    assert recording.recorder.unmatched == 0


def test_a_request_given_to_the_response_hook_ends_it_and_is_not_taken_for_the_answer(record):
    recording = record()
    _emit_sync("before_rpc_request", envelope=request(1), transport="stdio")
    _emit_sync("after_rpc_response", envelope=request(1), transport="stdio", duration_ms=2.5)
    (span,) = recording.spans()
    assert status(span) == "ok"
    assert "mcp.rpc.response_json" not in span["attributes"] or span["attributes"]["mcp.rpc.response_json"] == "null"
    assert span["attributes"]["mcp.rpc.duration_ms"] == 2.5


@pytest.mark.parametrize("encode", [json.dumps, lambda value: json.dumps(value).encode()], ids=["text", "bytes"])
def test_envelopes_that_are_text_are_read(record, encode):
    recording = record()
    _emit_sync("before_rpc_request", envelope=encode(request(2, "ping")), transport="http")
    _emit_sync("before_rpc_request", envelope=encode(request(1, "tools/call", name="add")), transport="http")
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no such tool"}}
    _emit_sync("after_rpc_response", envelope=encode(error), transport="http", duration_ms=1.0)
    ping, call = recording.spans()
    assert (call["name"], status(call), call["attributes"]["error.type"]) == ("tools/call add", "error", "-32602")
    assert (ping["name"], status(ping)) == ("ping", "running")


@pytest.mark.parametrize("text", ["", "{", "[]", b"\xff", '{"id": {}, "method": 3}', "9" * 400])
def test_text_that_is_no_message_is_kept_as_it_is(record, text):
    recording = record()
    _emit_sync("before_rpc_request", envelope=text, transport="http")
    _emit_sync("after_rpc_response", envelope=None, transport="http", duration_ms=1.0)
    (span,) = recording.spans()
    assert (span["name"], status(span)) == ("rpc", "ok")


@pytest.mark.parametrize(
    ("given", "known", "other"),
    [
        ("stdio", "stdio", None),
        ("streamable-http", "http", None),
        ("StreamableHTTP", "http", None),
        ("wss", "websocket", None),
        ("memory", "memory", None),
        ("carrier-pigeon", None, "carrier-pigeon"),
        (Named(), None, "Named"),
        (None, None, None),
    ],
)
def test_a_transport_has_one_of_the_contracts_names_or_is_kept_apart(record, given, known, other):
    recording = record()
    _emit_sync("before_rpc_request", envelope=request(1), transport=given)
    _emit_sync("after_rpc_response", envelope=response(1, "x"), transport=given, duration_ms=1.0)
    (span,) = recording.spans()
    assert status(span) == "ok"
    assert span["attributes"].get("mcp.rpc.transport") == known
    assert span["attributes"].get("inspector.rpc.transport") == other


def test_ends_read_by_other_threads_find_calls_of_any_context(record):
    recording = record()
    for name in ("a", "b"):
        _emit_sync("before_agent_call", agent=Named(name))
    for name in ("a", "b"):
        thread = threading.Thread(target=_emit_sync, args=("after_agent_call",), kwargs={"agent": name, "result": name})
        thread.start()
        thread.join()
    results = {span["name"]: span["attributes"]["mcp.result.agent_call_json"] for span in recording.spans()}
    assert results == {"invoke_agent a": '"a"', "invoke_agent b": '"b"'}


def test_a_message_that_two_emitters_tell_of_is_one_span(record):
    recording = record()
    _emit_sync("before_rpc_request", envelope=request(1), transport="stdio")
    _emit_sync("before_rpc_request", envelope=request(1), transport="stdio", emitter="mcp", call_id="c")
    ended = {"envelope": response(1, "x"), "transport": "stdio", "duration_ms": 1.0}
    _emit_sync("after_rpc_response", **ended, emitter="mcp", call_id="c")
    _emit_sync("after_rpc_response", **ended)
    (span,) = recording.spans()
    assert (status(span), rpc(span)) == ("ok", ("stdio", "x"))


def test_the_own_end_of_a_call_that_was_cancelled_is_no_loss_and_ends_no_other(record):
    recording = record()
    _emit_sync("before_tool_call", tool_name="add", args={}, context=None)
    _emit_sync("before_tool_call", tool_name="add", args={}, context=None, call_id="c")
    _emit_sync("operation_cancelled", reason="user", context=None, call_id="c")
    failed = {"tool_name": "add", "args": {}, "exc": asyncio.CancelledError(), "context": None, "call_id": "c"}
    _emit_sync("error_tool_call", **failed)
    assert sorted(status(span) for span in recording.spans()) == ["cancelled", "running"]
    assert recording.recorder.unmatched == 0


def tool_hook(name, exc=None):
    keywords = {} if exc is None else {"exc": exc}
    _emit_sync(name, tool_name="add", args={}, context=None, **keywords)


def test_the_own_end_of_a_cancelled_call_without_an_id_ends_no_call_of_its_name_around_it(record):
    recording = record()
    for _ in range(3):
        tool_hook("before_tool_call")
    for _ in range(2):
        _emit_sync("operation_cancelled", reason="user", context=None)
    for _ in range(2):
        tool_hook("error_tool_call", asyncio.CancelledError())
    assert [status(span) for span in recording.spans()] == ["running", "cancelled", "cancelled"]
    tool_hook("error_tool_call", ValueError("x"))
    assert [status(span) for span in recording.spans()] == ["error", "cancelled", "cancelled"]
    assert recording.recorder.unmatched == 0


def test_a_call_that_begins_after_one_of_its_name_was_cancelled_ends_as_any_other(record):
    recording = record()
    tool_hook("before_tool_call")
    _emit_sync("operation_cancelled", reason="user", context=None)
    tool_hook("before_tool_call")
    tool_hook("error_tool_call", ValueError("x"))
    assert [status(span) for span in recording.spans()] == ["cancelled", "error"]


def test_a_cancelled_message_that_a_call_stands_for_is_an_event_of_that_call(record):
    recording = record()
    _emit_sync("before_rpc_request", envelope=request(1), transport="stdio")
    _emit_sync("before_rpc_request", envelope=request(1), transport="stdio", emitter="mcp", call_id="c")
    _emit_sync("operation_cancelled", reason="user", context=None, call_id="c")
    _emit_sync("after_rpc_response", envelope=response(1, "x"), transport="stdio", duration_ms=1.0)
    (span,) = recording.spans()
    assert [event["name"] for event in span["events"]] == ["operation_cancelled"]


def test_abandoned_calls_that_are_no_longer_awaited_are_forgotten_with_all_that_they_held(record, monkeypatch):
    recording = record()
    monkeypatch.setattr("inspector.record.calls.pairing._MAX_LATE", 3)
    _emit_sync("before_agent_call", agent="all the time", call_id="a")
    around_all = innermost()

    async def left():
        await _emit("before_rpc_request", envelope=request(1), transport="stdio")
        await _emit("before_rpc_request", envelope=request(1), transport="stdio", emitter="mcp", call_id=object())
        await _emit("before_tool_call", tool_name="t", args={}, context=None)

    async def main():
        for _ in range(10):
            await asyncio.create_task(left())

    asyncio.run(main())
    calls = recording.recorder._calls
    assert len(calls._late) == 3
    assert len(around_all.children) <= 3
    assert len(calls._open) <= 1 + 3


def test_tasks_that_are_over_are_looked_for_ever_more_seldom(record, monkeypatch):
    monkeypatch.setattr("inspector.record.calls.tasks._KEPT", 4)
    recording = record()
    tasks = recording.recorder._calls._tasks
    tables = []

    async def main():
        done = asyncio.Event()

        async def call():
            await _emit("before_tool_call", tool_name="t", args={}, context=None)
            if not tables or tables[-1] is not tasks._by_id:
                tables.append(tasks._by_id)
            await done.wait()

        running = [asyncio.create_task(call()) for _ in range(64)]
        await asyncio.sleep(0)
        done.set()
        await asyncio.gather(*running)

    asyncio.run(main())
    assert len(tables) <= 6
