"""What a generator leaves behind that its consumer drops or closes."""

import copy
import pickle

from opentelemetry import context as otel_context
from opentelemetry import trace

from inspector.integrations.endings import Abandoned
from instrument import _emit_sync, around


def parents(recording):
    spans = recording.spans()
    names = {span["spanId"]: span["name"] for span in spans}
    return {span["name"]: names.get(span.get("parentSpanId")) for span in spans}


def test_what_is_known_of_a_dropped_stream_is_recorded_although_it_was_already_written_as_abandoned(record):
    recording = record()
    with around("agent_call", agent="a"):
        _emit_sync("before_llm_generate", llm="m", prompt={"model": "m"}, call_id="c")
    recording.records()
    part = {"choices": [{"message": {"role": "assistant", "content": "half an"}}]}
    _emit_sync("error_llm_generate", llm="m", prompt=None, exc=Abandoned(), response=part, call_id="c")
    last = recording.spans()[-1]["attributes"]
    assert last["inspector.status"] == "abandoned"
    assert "half an" in last["gen_ai.output.messages"]


def test_nothing_is_below_an_ended_call_whose_identity_a_tracer_without_a_provider_left_current(record):
    recording = record()
    tracer = trace.NoOpTracer()
    with around("agent_call", agent="outer"):
        with around("agent_call", agent="stream"):
            left = trace.set_span_in_context(tracer.start_span("of a library"))
        otel_context.attach(left)
        with around("tool_call", tool_name="next", args={}, context=None):
            pass
    otel_context.attach(left)
    with around("tool_call", tool_name="last", args={}, context=None):
        pass
    assert parents(recording) == {
        "invoke_agent outer": None,
        "invoke_agent stream": "invoke_agent outer",
        "execute_tool next": "invoke_agent outer",
        "execute_tool last": None,
    }


def test_a_call_is_below_an_open_one_whose_identity_a_tracer_without_a_provider_repeats(record):
    recording = record()
    with around("agent_call", agent="outer"), trace.use_span(trace.NoOpTracer().start_span("of a library")):
        with around("tool_call", tool_name="inner", args={}, context=None):
            pass
    assert parents(recording) == {"invoke_agent outer": None, "execute_tool inner": "invoke_agent outer"}


def test_a_copy_of_a_calls_identity_is_the_identity_alone(record):
    record()
    with around("agent_call", agent="a"):
        identity = trace.get_current_span().get_span_context()
    for copied in (copy.deepcopy(identity), pickle.loads(pickle.dumps(identity))):
        assert type(copied) is trace.SpanContext
        assert copied == identity
