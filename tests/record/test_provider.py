"""Spans that are started through the OpenTelemetry API are recorded without an SDK."""

import asyncio
import json
import logging
import sys
import threading

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.propagate import extract, inject
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.util._once import Once

from inspector import context
from inspector.record.provider import provide, stop_providing
from instrument import around


class Agent:
    name = "researcher"


REMOTE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def api(monkeypatch):
    """The API as it is in a fresh process, and put back."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
    monkeypatch.delenv("OTEL_PYTHON_TRACER_PROVIDER", raising=False)
    yield trace
    stop_providing()


@pytest.fixture
def provided(api, record):
    """A recording that gets the API's spans."""
    recording = record()
    assert provide(recording.recorder)
    return recording


def by_name(recording):
    return {span["name"]: span for span in recording.spans()}


def scopes(recording):
    """The scope of each line."""
    assert recording.spool.flush(10)
    lines = [line for path in sorted(recording.directory.glob("*.jsonl")) for line in path.read_text().splitlines()]
    return [json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["scope"] for line in lines]


def test_a_span_is_recorded_with_all_that_it_was_told(provided):
    tracer = trace.get_tracer("lib", "1.2", attributes={"team": "blue"})
    with tracer.start_as_current_span(
        "GET /", kind=SpanKind.CLIENT, attributes={"a": 1, "ok": True, "x": 0.5, "s": "t", "l": (1, 2), "w": ["u", "v"]}
    ) as span:
        span.set_attribute("a", 2)
        span.set_attributes({"b": "c"})
        span.add_event("happened", {"n": 3}, timestamp=5)
        span.update_name("GET /x")
        span.set_status(StatusCode.OK)
    (found,) = provided.spans()
    assert found == {
        "traceId": found["traceId"],
        "spanId": found["spanId"],
        "name": "GET /x",
        "kind": 3,
        "startTimeUnixNano": "1000000000",
        "endTimeUnixNano": "2000000000",
        "attributes": {"a": 2, "ok": True, "x": 0.5, "s": "t", "l": [1, 2], "w": ["u", "v"], "b": "c"},
        "events": [{"timeUnixNano": "5", "name": "happened", "attributes": {"n": 3}}],
        "status": {"code": 1},
    }
    assert scopes(provided)[-1] == {
        "name": "lib",
        "version": "1.2",
        "attributes": [{"key": "team", "value": {"stringValue": "blue"}}],
    }


def test_a_running_span_is_in_the_spool_before_it_ends(provided):
    span = trace.get_tracer("lib").start_span("slow", attributes={"a": 1})
    (start,) = provided.records()
    assert "endTimeUnixNano" not in start
    assert start["attributes"] == {"a": 1}
    span.end()
    assert "endTimeUnixNano" in provided.records()[-1]


def test_spans_and_calls_of_hooks_are_one_tree(provided):
    tracer = trace.get_tracer("lib")
    with tracer.start_as_current_span("request"):
        with around("agent_call", agent=Agent()):
            with tracer.start_as_current_span("inner"):
                with around("tool_call", tool_name="add", args={}, context=None):
                    with tracer.start_as_current_span("query"):
                        pass
            with around("tool_call", tool_name="sub", args={}, context=None):
                pass
        with tracer.start_as_current_span("after"):
            pass
    found = by_name(provided)
    parents = {
        name: next((n for n, s in found.items() if s["spanId"] == span.get("parentSpanId")), None)
        for name, span in found.items()
    }
    assert parents == {
        "request": None,
        "invoke_agent researcher": "request",
        "inner": "invoke_agent researcher",
        "execute_tool add": "inner",
        "query": "execute_tool add",
        "execute_tool sub": "invoke_agent researcher",
        "after": "request",
    }
    assert len({span["traceId"] for span in found.values()}) == 1


def test_a_call_left_open_below_a_span_is_abandoned_with_the_call_around_it(provided):
    tracer = trace.get_tracer("lib")
    with around("agent_call", agent=Agent()):
        with tracer.start_as_current_span("inner"):
            around("tool_call", tool_name="left", args={}, context=None).__enter__()
    assert by_name(provided)["execute_tool left"]["attributes"]["inspector.status"] == "abandoned"


def test_the_agent_and_session_around_a_span_reach_the_calls_below_it(provided):
    with context.bind("trip-1"), around("agent_call", agent=Agent()):
        with trace.get_tracer("lib").start_as_current_span("inner"):
            with around("tool_call", tool_name="add", args={}, context=None):
                pass
    found = by_name(provided)
    assert found["inner"]["attributes"] == {"session.id": "trip-1"}
    assert found["execute_tool add"]["attributes"]["gen_ai.agent.name"] == "researcher"
    assert found["execute_tool add"]["attributes"]["session.id"] == "trip-1"


def test_starting_a_span_does_not_make_it_current(provided):
    span = trace.get_tracer("lib").start_span("one")
    assert trace.get_current_span() is trace.INVALID_SPAN
    with trace.use_span(span):
        assert trace.get_current_span() is span
    assert span.is_recording()
    span.end()


def test_a_context_that_is_given_says_the_parent(provided):
    tracer = trace.get_tracer("lib")
    with tracer.start_as_current_span("outer"):
        here = extract({"traceparent": REMOTE, "tracestate": "vendor=1"})
        with tracer.start_as_current_span("below a remote one", context=here) as span:
            carrier = {}
            inject(carrier)
        tracer.start_span("root", context=Context()).end()
    found = by_name(provided)
    below = found["below a remote one"]
    assert (below["traceId"], below["parentSpanId"], below["traceState"]) == (
        REMOTE[3:35],
        REMOTE[36:52],
        "vendor=1",
    )
    assert carrier == {"traceparent": f"00-{below['traceId']}-{below['spanId']}-01", "tracestate": "vendor=1"}
    assert "parentSpanId" not in found["root"]
    assert found["root"]["traceId"] != found["outer"]["traceId"]
    assert span.get_span_context().is_remote is False


def test_a_sender_that_did_not_sample_is_recorded_here_and_not_told_to_others(provided):
    here = extract({"traceparent": REMOTE[:-1] + "0"})
    with trace.get_tracer("lib").start_as_current_span("one", context=here) as span:
        assert span.is_recording()
        assert span.get_span_context().trace_flags == TraceFlags.DEFAULT
    assert "one" in by_name(provided)


def test_links_are_kept_with_their_attributes(provided):
    other = SpanContext(0xA, 0xB, is_remote=True)
    span = trace.get_tracer("lib").start_span("one", links=[Link(other, {"why": "batch"})])
    span.add_link(SpanContext(0xC, 0xD, is_remote=False))
    span.end()
    (found,) = provided.spans()
    assert found["links"] == [
        {
            "traceId": f"{0xA:032x}",
            "spanId": f"{0xB:016x}",
            "attributes": [{"key": "why", "value": {"stringValue": "batch"}}],
        },
        {"traceId": f"{0xC:032x}", "spanId": f"{0xD:016x}"},
    ]


def test_an_exception_in_the_block_is_recorded_and_goes_on_unchanged(provided):
    raised = ValueError("no such city")
    with pytest.raises(ValueError) as caught:
        with trace.get_tracer("lib").start_as_current_span("one"):
            raise raised
    assert caught.value is raised
    (found,) = provided.spans()
    assert found["status"] == {"code": 2, "message": "ValueError: no such city"}
    (event,) = found["events"]
    assert event["name"] == "exception"
    assert event["attributes"]["exception.type"] == "ValueError"
    assert "raise raised" in event["attributes"]["exception.stacktrace"]
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_an_exception_that_cannot_say_what_it_is_goes_on_unchanged(provided):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    with pytest.raises(Mute):
        with trace.get_tracer("lib").start_as_current_span("one"):
            raise Mute
    assert provided.spans()[0]["status"]["code"] == 2


def test_what_to_record_of_an_exception_can_be_chosen(provided):
    tracer = trace.get_tracer("lib")
    for name, options in (
        ("no event", {"record_exception": False}),
        ("no status", {"set_status_on_exception": False}),
        ("neither", {"record_exception": False, "set_status_on_exception": False}),
    ):
        with pytest.raises(ValueError), tracer.start_as_current_span(name, **options):
            raise ValueError(name)
    found = by_name(provided)
    assert "events" not in found["no event"]
    assert found["no event"]["status"]["code"] == 2
    assert "events" in found["no status"]
    assert "status" not in found["no status"]
    assert {"events", "status"}.isdisjoint(found["neither"])


def test_a_cancelled_block_is_no_error(provided):
    with pytest.raises(asyncio.CancelledError):
        with trace.get_tracer("lib").start_as_current_span("one"):
            raise asyncio.CancelledError
    (found,) = provided.spans()
    assert {"events", "status"}.isdisjoint(found)
    assert "endTimeUnixNano" in found


def test_ok_is_final_and_unset_unsets_nothing(provided):
    tracer = trace.get_tracer("lib")
    with tracer.start_as_current_span("ok") as span:
        span.set_status(Status(StatusCode.OK))
        span.set_status(StatusCode.ERROR, "late")
    with tracer.start_as_current_span("error") as span:
        span.set_status(StatusCode.ERROR, "why")
        span.set_status(StatusCode.UNSET)
    found = by_name(provided)
    assert found["ok"]["status"] == {"code": 1}
    assert found["error"]["status"] == {"code": 2, "message": "why"}


def test_an_ended_span_takes_nothing_more_and_ends_once(provided):
    span = trace.get_tracer("lib").start_span("one", start_time=7)
    span.end(end_time=9)
    span.end(end_time=11)
    span.set_attribute("late", 1)
    span.add_event("late")
    span.update_name("late")
    span.set_status(StatusCode.ERROR)
    span.record_exception(ValueError("late"))
    assert not span.is_recording()
    (found,) = provided.spans()
    assert (found["name"], found["startTimeUnixNano"], found["endTimeUnixNano"]) == ("one", "7", "9")
    assert found["attributes"] == {}
    assert {"events", "status"}.isdisjoint(found)


def test_end_on_exit_can_be_left_to_the_program(provided):
    with trace.get_tracer("lib").start_as_current_span("one", end_on_exit=False) as span:
        pass
    assert span.is_recording()
    with span:
        pass
    assert not span.is_recording()


def test_functions_and_coroutine_functions_are_decorated(provided):
    tracer = trace.get_tracer("lib")

    @tracer.start_as_current_span("plain")
    def plain():
        return trace.get_current_span().is_recording()

    @tracer.start_as_current_span("coroutine")
    async def coroutine():
        await asyncio.sleep(0)
        return trace.get_current_span().is_recording()

    assert plain() and plain()
    assert asyncio.run(coroutine())
    assert [span["name"] for span in provided.spans()] == ["plain", "plain", "coroutine"]


def test_a_tracer_made_before_there_was_a_recorder_records_too(api, record):
    tracer = trace.get_tracer("early")
    recording = record()
    provide(recording.recorder)
    with tracer.start_as_current_span("one"):
        pass
    assert [span["name"] for span in recording.spans()] == ["one"]


def test_threads_record_at_once(provided):
    tracer = trace.get_tracer("lib")

    def work(number):
        for each in range(50):
            with tracer.start_as_current_span(f"{number}-{each}"):
                pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum("endTimeUnixNano" in span for span in provided.spans()) == 400


def test_secrets_are_removed_and_content_only_kept_where_it_is_wanted(api, record):
    recording = record(content=False)
    provide(recording.recorder)
    with trace.get_tracer("lib").start_as_current_span(
        "one",
        attributes={
            "metadata.user_api_key": "abcd-efgh-1234",
            "note": "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd",
            "gen_ai.input.messages": "[…]",
            "gen_ai.prompt.0.content": "hello",
            "llm.model": "m",
        },
    ) as span:
        span.add_event("gen_ai.user.message", {"content": "hello"})
        span.add_event("retry", {"n": 1, "input.value": "hello"})
    (found,) = recording.spans()
    assert set(found["attributes"]) == {"metadata.user_api_key", "note", "llm.model"}
    text = str(found)
    for secret in ("efgh", "AbCdEf", "hello"):
        assert secret not in text
    assert [(event["name"], event["attributes"]) for event in found["events"]] == [
        ("gen_ai.user.message", {}),
        ("retry", {"n": 1}),
    ]


def test_values_of_no_attribute_do_not_reach_the_program(provided):
    class Bad:
        def __repr__(self):
            raise RuntimeError

    with trace.get_tracer("lib").start_as_current_span("one", attributes={"bad": Bad(), "none": None, "": 1}) as span:
        span.set_attribute("map", {"a": [1, {"b": 2}]})
        span.set_attribute("\ud800", "\ud800")
        span.set_attribute("big", 2**80)
    (found,) = provided.spans()
    assert found["attributes"]["map"] == '{"a":[1,{"b":2}]}'


# Where a hook has told of the same call.


def rpc(method="tools/call", **values):
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": "add"}}
    return around("rpc_request", envelope=request, transport="stdio", **values)


def test_a_span_for_the_call_of_a_hook_adds_to_it(provided):
    tracer = trace.get_tracer("mcp-python-sdk")
    with rpc():
        with tracer.start_as_current_span(
            "MCP send tools/call add",
            kind=SpanKind.CLIENT,
            attributes={"mcp.method.name": "tools/call", "mcp.protocol.version": "2026-07-28"},
        ) as span:
            span.set_attribute("network.peer.port", 7)
            span.set_attribute("mcp.method.name", "other")
            span.update_name("other")
            span.add_event("sent")
            assert span.is_recording()
            carrier = {}
            inject(carrier)
            with tracer.start_as_current_span("below"):
                pass
    call, below = provided.spans()
    assert call["name"] == "tools/call add"
    assert call["attributes"]["mcp.protocol.version"] == "2026-07-28"
    assert call["attributes"]["network.peer.port"] == 7
    assert call["attributes"]["mcp.method.name"] == "tools/call"
    assert [event["name"] for event in call["events"]] == ["sent"]
    assert carrier["traceparent"].split("-")[1:3] == [call["traceId"], call["spanId"]]
    assert (below["name"], below["parentSpanId"]) == ("below", call["spanId"])
    assert not span.is_recording()


def test_an_exception_that_cannot_say_what_it_is_leaves_the_call_of_a_hook_unchanged(provided):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    tracer = trace.get_tracer("mcp-python-sdk")
    with pytest.raises(Mute), rpc():
        with tracer.start_as_current_span("sent", kind=SpanKind.CLIENT, attributes={"mcp.method.name": "tools/call"}):
            raise Mute
    (call,) = provided.spans()
    assert call["status"]["code"] == 2


def test_a_call_below_a_span_that_was_added_is_a_child_of_its_call(provided):
    with around("llm_generate", llm=type("M", (), {"model": "m"})(), prompt="hi"):
        with trace.get_tracer("lib").start_as_current_span("chat m", attributes={"gen_ai.operation.name": "chat"}):
            with around("tool_call", tool_name="add", args={}, context=None):
                pass
    llm, tool = provided.spans()
    assert tool["parentSpanId"] == llm["spanId"]


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"gen_ai.operation.name": "chat"},
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sub"},
        {"mcp.method.name": "tools/list"},
    ],
)
def test_a_span_of_another_operation_stays_one_of_its_own(provided, attributes):
    with around("tool_call", tool_name="add", args={}, context=None):
        with trace.get_tracer("lib").start_as_current_span("other", attributes=attributes):
            pass
    tool, other = provided.spans()
    assert (other["name"], other["parentSpanId"]) == ("other", tool["spanId"])


def test_a_second_span_for_the_same_call_is_recorded_below_it(provided):
    tracer = trace.get_tracer("lib")
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add"}
    with around("tool_call", tool_name="math__add", args={}, context=None):
        with (
            tracer.start_as_current_span("first", attributes=said),
            tracer.start_as_current_span("second", attributes=said),
        ):
            pass
    assert [span["name"] for span in provided.spans()] == ["execute_tool math__add", "second"]


def test_a_servers_span_below_the_same_remote_parent_adds_to_its_call(provided):
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {"traceparent": REMOTE}}}
    with around("rpc_request", envelope=request, transport="stdio", direction="inbound"):
        with trace.get_tracer("mcp-python-sdk").start_as_current_span(
            "tools/list",
            kind=SpanKind.SERVER,
            attributes={"mcp.method.name": "tools/list", "mcp.protocol.version": "x"},
            context=extract({"traceparent": REMOTE}),
        ):
            pass
    (call,) = provided.spans()
    assert call["parentSpanId"] == REMOTE[36:52]
    assert call["attributes"]["mcp.protocol.version"] == "x"


def test_what_a_library_adds_is_content_where_content_is(api, record):
    recording = record(content=False)
    provide(recording.recorder)
    with around("llm_generate", llm=type("M", (), {"model": "m"})(), prompt="hi"):
        with trace.get_tracer("lib").start_as_current_span(
            "chat", attributes={"gen_ai.operation.name": "chat", "gen_ai.input.messages": "hi there", "x": "y"}
        ):
            pass
    (call,) = recording.spans()
    assert call["attributes"]["x"] == "y"
    assert "hi there" not in str(call)


# Beside a provider of the program.


def test_a_program_that_has_a_provider_keeps_it_and_is_told(api, record, caplog):
    theirs = TracerProvider()
    trace.set_tracer_provider(theirs)
    with caplog.at_level(logging.WARNING, "mcp.inspector"):
        assert provide(record().recorder) is False
    assert trace.get_tracer_provider() is theirs
    assert [r.message for r in caplog.records] == [
        "the program has its own OpenTelemetry provider, which keeps the spans that libraries start"
    ]


def test_a_provider_that_the_program_sets_later_is_taken_and_told_of_once(provided, caplog):
    early = trace.get_tracer("early")
    with early.start_as_current_span("ours"):
        pass
    theirs, exporter = TracerProvider(), InMemorySpanExporter()
    theirs.add_span_processor(SimpleSpanProcessor(exporter))
    with caplog.at_level(logging.WARNING):
        trace.set_tracer_provider(theirs)
    assert trace.get_tracer_provider() is theirs
    assert len(caplog.records) == 1
    assert "has set its own OpenTelemetry provider" in caplog.text
    for tracer in (early, trace.get_tracer("late")):
        with tracer.start_as_current_span("theirs"):
            pass
    assert [span.name for span in exporter.get_finished_spans()] == ["theirs", "theirs"]
    assert [span["name"] for span in provided.spans()] == ["ours"]
    theirs.shutdown()


def test_a_library_that_looks_for_a_provider_finds_none(provided):
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def test_a_private_provider_is_left_alone(provided):
    theirs, exporter = TracerProvider(), InMemorySpanExporter()
    theirs.add_span_processor(SimpleSpanProcessor(exporter))
    with theirs.get_tracer("private").start_as_current_span("theirs"):
        pass
    assert len(exporter.get_finished_spans()) == 1
    assert provided.spans() == []
    theirs.shutdown()


def test_stopping_gives_the_api_back_and_tracers_go_quiet(provided):
    tracer = trace.get_tracer("lib")
    setter = trace._set_tracer_provider
    stop_providing()
    assert trace._TRACER_PROVIDER is None
    assert trace._set_tracer_provider is not setter
    with tracer.start_as_current_span("one") as span:
        assert not span.is_recording()
    assert provided.spans() == []
    assert provide(provided.recorder)
    with tracer.start_as_current_span("two"):
        pass
    assert [each["name"] for each in provided.spans()] == ["two"]


# Instrumentors.


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """Install a distribution with instrumentors: one that works, one that fails, one that cannot be imported."""
    (tmp_path / "stub_instrumentation.py").write_text(
        "from opentelemetry import trace\n"
        "calls = []\n"
        "class Works:\n"
        "    def instrument(self, **kwargs):\n"
        "        calls.append('instrument')\n"
        "        with trace.get_tracer('stub').start_as_current_span('from the stub'): pass\n"
        "    def uninstrument(self): calls.append('uninstrument')\n"
        "class Fails:\n"
        "    def instrument(self, **kwargs): raise RuntimeError('does not fit')\n"
    )
    info = tmp_path / "stub-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stub\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[opentelemetry_instrumentor]\n"
        "works = stub_instrumentation:Works\n"
        "fails = stub_instrumentation:Fails\n"
        "missing = no_such_module:Missing\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import stub_instrumentation

    yield stub_instrumentation
    del sys.modules["stub_instrumentation"]


def test_installed_instrumentors_are_started_and_stopped_and_may_fail(distribution, provided, caplog):
    stop_providing()
    assert distribution.calls == ["instrument", "uninstrument"]
    assert [span["name"] for span in provided.spans()] == ["from the stub"]


def test_an_instrumentor_that_fails_is_named(distribution, api, record, caplog):
    with caplog.at_level(logging.DEBUG, "mcp.inspector"):
        provide(record().recorder)
    told = [r.message for r in caplog.records]
    assert "the instrumentor fails could not be started" in told
    assert "the instrumentor missing could not be started" in told
    assert "started OpenTelemetry instrumentors: works" in told


def test_no_instrumentor_is_started_for_what_an_integration_records(distribution, api, record):
    provide(record().recorder, integrated={"works", "fails", "missing"})
    assert distribution.calls == []


def test_instrumentors_can_be_left_out_by_opentelemetrys_own_variable(distribution, api, record, monkeypatch):
    monkeypatch.setenv("OTEL_PYTHON_DISABLED_INSTRUMENTATIONS", "works, fails,missing")
    provide(record().recorder)
    assert distribution.calls == []
