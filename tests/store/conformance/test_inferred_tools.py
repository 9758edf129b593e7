"""Runs that are found by tools of a hand-written loop, which no span tells of and no figure counts."""

import json

import pytest
from msgspec.structs import replace

from inspector.model import Filter

ASKED, ANSWERED = "gen_ai.input.messages", "gen_ai.output.messages"


def said(role, *parts):
    return {"role": role, "parts": list(parts)}


def text(content):
    return {"type": "text", "content": content}


@pytest.fixture
def loop(store, make_span):
    """Writes a loop of two model calls, each a trace, with two tools between them, and one that is never answered."""
    wants = [
        {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Oslo", "days": 2}},
        {"type": "tool_call", "id": "c2", "name": "book", "arguments": {"hotel": {"stars": 4}}},
    ]
    gave = [
        {"type": "tool_call_response", "id": "c1", "response": {"temp": 4}},
        {"type": "tool_call_response", "id": "c2", "response": {"error": "full"}},
    ]
    never = {"type": "tool_call", "id": "c3", "name": "pay", "arguments": {"city": "Rome"}}
    talk = [said("user", text("Plan it"))]
    for answer in (said("assistant", *wants), said("assistant", never)):
        attributes = {ASKED: json.dumps(talk), ANSWERED: json.dumps([answer])}
        span = make_span(
            kind="llm", run="loop", attributes=attributes, input_key=ASKED, output_key=ANSWERED, model="gpt-5"
        )
        store.write([replace(span, trace_id=span.span_id * 2)])
        talk = [*talk, answer, *(said("tool", part) for part in gave)]
    store.write([make_span(kind="llm", run="other", trace_id="f" * 32)])


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize(
    "where",
    [
        {"kinds": ("tool",)},
        {"tool": "weather"},
        {"arguments": (("city", "Oslo"),)},
        {"arguments": (("city", "Oslo"), ("days", "2")), "results": (("temp", "4"),), "tool": "weather"},
        {"arguments": (("hotel.stars", "4"),), "kinds": ("tool", "rpc")},
        {"results": (("error", "full"),), "since_ns": 0, "run_id": "loop"},
    ],
)
def test_a_run_is_found_by_what_its_messages_tell_of_a_tool(store, where):
    (found,) = store.runs(Filter(**where)).items
    assert (found.run_id, found.tool_calls, found.calls) == ("loop", 0, 2)
    assert store.stats(Filter(**where), of="runs").total.count == 1


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize(
    "where",
    [
        # Of two calls, each meets a part.
        {"arguments": (("city", "Oslo"),), "results": (("error", "full"),)},
        # Nothing says that it ran.
        {"tool": "pay"},
        {"arguments": (("city", "Rome"),)},
        # Such a call has no model, no error type, no hook.
        {"tool": "weather", "model": "gpt-5"},
        {"kinds": ("rpc",), "arguments": (("city", "Oslo"),)},
        {"kinds": ("tool",), "q": "Oslo"},
        {"tool": "weather", "agent": "planner"},
    ],
)
def test_a_run_is_not_found_by_what_no_single_tool_call_meets(store, where):
    assert store.runs(Filter(**where)).items == ()


@pytest.mark.usefixtures("loop")
def test_spans_are_not_found_by_inferred_tools(store):
    assert store.events(Filter(tool="weather")).items == ()
    assert store.traces(Filter(tool="weather")).items == ()
