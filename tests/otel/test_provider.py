import asyncio
import logging

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.propagate import extract, inject
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanKind, Status, StatusCode, TraceFlags

import inspector
from instrument import around


class Agent:
    name = "researcher"


REMOTE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def names(spool):
    return [span["name"] for span in spool.spans()]


def test_a_span_is_recorded_with_its_scope(attached):
    tracer = trace.get_tracer("lib", "1.2", schema_url="https://s/1", attributes={"team": "blue"})
    with tracer.start_as_current_span("GET /", kind=SpanKind.CLIENT, attributes={"a": 1}) as span:
        span.set_status(StatusCode.OK)
    (found,) = attached.spans()
    assert (found["name"], found["kind"], found["attributes"], found["status"]) == ("GET /", 3, {"a": 1}, {"code": 1})
    (scoped,) = attached.requests()[-1]["scopeSpans"]
    assert scoped["scope"] == {
        "name": "lib",
        "version": "1.2",
        "attributes": [{"key": "team", "value": {"stringValue": "blue"}}],
    }
    assert scoped["schemaUrl"] == "https://s/1"


def test_spans_are_those_of_the_sdk(attached):
    """As a library reads them that was written for the SDK."""
    with trace.get_tracer("lib").start_as_current_span("one", attributes={"a": 1}) as span:
        assert span.status.status_code is StatusCode.UNSET
        assert isinstance(span.status, Status)
        assert (span.name, dict(span.attributes), span.parent, span.end_time) == ("one", {"a": 1}, None, None)


def test_nothing_is_exported_that_nobody_asked_for(attached, monkeypatch):
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    trace.get_tracer("lib").start_span("one").end()
    from inspector.otel.provider import _own

    assert _own.sdk._active_span_processor._span_processors == (_own.processor,)
    assert names(attached) == ["one"]


def test_a_span_of_a_hook_is_the_parent_of_one_of_the_api_and_the_other_way_round(attached):
    tracer = trace.get_tracer("lib")
    with tracer.start_as_current_span("request"), around("agent_call", agent=Agent()):
        with tracer.start_as_current_span("inner"), around("tool_call", tool_name="add", args={}, context=None):
            pass
    assert attached.tree() == {
        "request": None,
        "invoke_agent researcher": "request",
        "inner": "invoke_agent researcher",
        "execute_tool add": "inner",
    }


def test_starting_a_span_does_not_make_it_current(attached):
    span = trace.get_tracer("lib").start_span("one")
    assert trace.get_current_span() is trace.INVALID_SPAN
    with trace.use_span(span):
        assert trace.get_current_span() is span
    span.end()


def test_a_context_that_is_passed_says_the_parent(attached):
    tracer = trace.get_tracer("lib")
    with tracer.start_as_current_span("outer"):
        here = extract({"traceparent": REMOTE, "tracestate": "vendor=1"})
        with tracer.start_as_current_span("below a remote one", context=here):
            carrier = {}
            inject(carrier)
        tracer.start_span("root", context=Context()).end()
    found = attached.by_name()
    below = found["below a remote one"]
    assert (below["traceId"], below["parentSpanId"], below["traceState"]) == (REMOTE[3:35], REMOTE[36:52], "vendor=1")
    assert carrier["traceparent"][:53] == f"00-{below['traceId']}-{below['spanId']}-"
    assert carrier["tracestate"] == "vendor=1"
    assert "parentSpanId" not in found["root"]


def test_a_sender_that_did_not_sample_is_recorded_here_and_not_told_otherwise_to_others(attached):
    here = extract({"traceparent": REMOTE[:-1] + "0"})
    with trace.get_tracer("lib").start_as_current_span("one", context=here) as span:
        with trace.get_tracer("lib").start_as_current_span("below"):
            assert not span.get_span_context().trace_flags & TraceFlags.SAMPLED
    assert names(attached) == ["one", "below"]


def test_as_many_attributes_are_kept_as_the_inspector_takes_in(attached):
    with trace.get_tracer("lib").start_as_current_span("one", attributes={f"a{n}": n for n in range(1030)}):
        pass
    (found,) = attached.spans()
    assert (len(found["attributes"]), found["droppedAttributesCount"]) == (1024, 6)


def test_an_exception_in_the_block_is_recorded_and_goes_on_unchanged(attached):
    raised = ValueError("no such city")
    with pytest.raises(ValueError) as caught:
        with trace.get_tracer("lib").start_as_current_span("one"):
            raise raised
    assert caught.value is raised
    (found,) = attached.spans()
    assert found["status"] == {"code": 2, "message": "ValueError: no such city"}
    (event,) = found["events"]
    assert event["attributes"]["exception.type"] == "ValueError"
    assert "raise raised" in event["attributes"]["exception.stacktrace"]


def test_functions_and_coroutine_functions_are_decorated(attached):
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
    assert names(attached) == ["plain", "plain", "coroutine"]


def test_a_tracer_made_before_there_was_a_recorder_records_too(attach, spool):
    tracer = trace.get_tracer("early")
    attach()
    with tracer.start_as_current_span("one"):
        pass
    assert names(spool) == ["one"]


def test_a_librarys_span_below_a_hook_is_recorded_whatever_its_name_ends_with(attached):
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    with around("tool_call", tool_name="research", args={}, context=None):
        with trace.get_tracer("lib").start_as_current_span("execute_tool search", attributes=said):
            pass
    assert attached.tree() == {"execute_tool research": None, "execute_tool search": "execute_tool research"}


def test_the_span_of_a_library_for_the_call_of_a_hook_is_recorded_below_it(attached):
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add", "x": 1}
    with around("tool_call", tool_name="math__add", args={}, context=None):
        with trace.get_tracer("lib").start_as_current_span("lib's own", attributes=said):
            carrier = {}
            inject(carrier)
    assert attached.tree() == {"execute_tool math__add": None, "lib's own": "execute_tool math__add"}
    assert carrier["traceparent"][36:52] == attached.by_name()["lib's own"]["spanId"]


# Beside a provider of the program's.


def test_a_provider_that_the_program_has_keeps_its_exporters_and_is_recorded_too(attach, spool, theirs):
    trace.set_tracer_provider(theirs)
    early = trace.get_tracer("early")
    attach()
    assert trace.get_tracer_provider() is theirs
    with early.start_as_current_span("request"), around("tool_call", tool_name="add", args={}, context=None):
        trace.get_tracer("late").start_span("query").end()
    assert theirs.exported() == ["query", "request"]
    assert spool.tree() == {"request": None, "execute_tool add": "request", "query": "execute_tool add"}


def test_a_provider_that_the_program_sets_later_wins_without_a_word(attached, theirs, caplog):
    early = trace.get_tracer("early")
    with early.start_as_current_span("ours"):
        pass
    with caplog.at_level(logging.DEBUG):
        trace.set_tracer_provider(theirs)
    assert caplog.records == []
    assert trace.get_tracer_provider() is theirs
    for tracer in (early, trace.get_tracer("late")):
        with tracer.start_as_current_span("theirs"):
            pass
    assert theirs.exported() == ["theirs", "theirs"]
    assert names(attached) == ["ours", "theirs", "theirs"]


def test_a_second_provider_is_refused_by_the_api_as_ever(attached, theirs, caplog):
    trace.set_tracer_provider(theirs)
    trace.set_tracer_provider(TracerProvider())
    assert trace.get_tracer_provider() is theirs
    assert [r.message for r in caplog.records] == ["Overriding of current TracerProvider is not allowed"]


def test_a_provider_that_the_environment_names_is_loaded_and_recorded(attach, spool, monkeypatch):
    monkeypatch.setenv("OTEL_PYTHON_TRACER_PROVIDER", "sdk_tracer_provider")
    attach()
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.get_tracer("lib").start_span("one").end()
    provider.shutdown()
    assert names(spool) == ["one"]


def test_a_provider_that_takes_no_processor_stays_as_it_is_and_is_told_of(attached, caplog):
    class Plain(trace.NoOpTracerProvider):
        pass

    theirs = Plain()
    trace.set_tracer_provider(theirs)
    assert trace.get_tracer_provider() is theirs
    trace.get_tracer("lib").start_span("one").end()
    assert [r.message.partition(": the program's provider")[0] for r in caplog.records] == [
        "spans of the OpenTelemetry API are not recorded"
    ]
    assert names(attached) == []


def test_the_program_may_add_a_processor_of_ours_as_well(attached, theirs):
    trace.set_tracer_provider(theirs)
    theirs.add_span_processor(inspector.SpanProcessor())
    trace.get_tracer("lib").start_span("one").end()
    assert len([span for span in attached.records() if "endTimeUnixNano" in span]) == 1


def test_a_provider_is_told_of_spans_once_however_often_recording_begins(attach, spool, theirs):
    trace.set_tracer_provider(theirs)
    attach()
    inspector.detach()
    attach()
    assert len(theirs._active_span_processor._span_processors) == 2
    trace.get_tracer("lib").start_span("one").end()
    assert names(spool) == ["one"]
    inspector.detach()
    inspector.attach(integrations=False)
    trace.get_tracer("lib").start_span("not asked for").end()
    assert names(spool) == ["one"]


def test_a_library_that_looks_for_a_provider_finds_none(attached):
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def test_a_private_provider_is_left_alone(attached, theirs):
    with theirs.get_tracer("private").start_as_current_span("theirs"):
        pass
    assert theirs.exported() == ["theirs"]
    assert attached.spans() == []


@pytest.mark.parametrize("name", ["OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT"])
def test_a_limit_that_is_no_number_costs_the_spans_of_the_api_alone(attach, spool, monkeypatch, caplog, name):
    from inspector.otel.provider import _own

    monkeypatch.setattr(_own, "_sdk", None)
    monkeypatch.setattr("inspector.logger._warned", set(), raising=False)
    monkeypatch.setenv(name, "4k")
    attach()
    assert name in caplog.text
    trace.get_tracer("lib").start_span("one").end()
    with around("tool_call", tool_name="add", args={}, context=None):
        pass
    assert names(spool) == ["execute_tool add"]


def test_detaching_gives_the_api_back_and_tracers_go_quiet(attach, attached):
    tracer = trace.get_tracer("lib")
    setter = trace._set_tracer_provider
    inspector.detach()
    assert trace._TRACER_PROVIDER is None
    assert trace._set_tracer_provider is not setter
    with tracer.start_as_current_span("one") as span:
        assert not span.is_recording()
    attach()
    with tracer.start_as_current_span("two"):
        pass
    assert names(attached) == ["two"]


def test_warnings_of_our_provider_are_not_printed_where_the_program_has_set_no_logging_up(
    attached, theirs, monkeypatch, capsys
):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    span = trace.get_tracer("lib").start_span("one")
    span.end()
    span.set_attribute("late", 1)
    assert capsys.readouterr().err == ""
    trace.set_tracer_provider(theirs)
    span = trace.get_tracer("lib").start_span("one")
    span.end()
    span.set_attribute("late", 1)
    assert "ended span" in capsys.readouterr().err


def test_a_provider_that_exits_where_a_processor_is_added_does_not_end_the_program(attached, caplog):
    class Leaves(trace.NoOpTracerProvider):
        def add_span_processor(self, processor):
            raise SystemExit(3)

    theirs = Leaves()
    trace.set_tracer_provider(theirs)
    assert trace.get_tracer_provider() is theirs
    assert "takes no span processor" in caplog.text
