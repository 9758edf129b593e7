"""Rows of a hand-written loop, in the order in which they happened: its turns, and what was recorded between them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.drawing.conversations import with_conversations
from inspector.cli.drawing.tree import tree_rows
from inspector.model import InferredTool, SpanPlace, Turn


def turn_of(call, *asked, conversation="1"):
    """A model call as a turn whose answer asks for recorded calls."""
    tools = tuple(
        InferredTool(
            None, each.name, "{}", "fine", failed=False, start_time_unix_nano=call.end_time_unix_nano,
            end_time_unix_nano=each.end_time_unix_nano, recorded=True, span=SpanPlace(each.trace_id, each.span_id),
        )
        for each in asked
    )  # fmt: skip
    return Turn(conversation, call.trace_id, call.span_id, "continues", None, 0, 1, 0, {}, tools)


def drawn(traces, turns):
    """The names of all rows, with a dot for each level, trace after trace."""
    placed = with_conversations(traces, turns, lambda first, last: (None, None)).traces
    return [f"{'.' * row.depth}{row.event.name}{row.mark}" for events in placed for row in tree_rows(events)]


@pytest.fixture
def chat(event):
    def build(number, parent=None, **fields):
        return event(number, parent, name=f"chat {number}", kind="llm", **fields)

    return build


def test_what_an_answer_asked_for_stands_between_the_turns(event, chat):
    calls = [chat(2, 1, start_ms=1, end_ms=2), chat(6, 1, start_ms=6, end_ms=7)]
    batch = event(3, 1, name="batch", kind="workflow", start_ms=2, end_ms=6)
    tools = [event(at, 3, name=f"t{at}", start_ms=at, end_ms=at + 1) for at in (4, 5)]
    events = [event(1, name="loop", kind="workflow", end_ms=9), *calls, batch, *tools]
    assert drawn([events], [turn_of(calls[0], *tools), turn_of(calls[1])]) == [
        *("loop", ".conversation", "..chat 2", "..batch", "...t4", "...t5", "..chat 6")
    ]


def test_what_the_loop_did_besides_stands_there_too_but_no_model_call(event, chat):
    calls = [chat(2, 1, start_ms=1, end_ms=2), chat(6, 1, start_ms=6, end_ms=7)]
    retrieved = event(3, 1, name="retrieve", start_ms=3, end_ms=4)
    judged = chat(4, 1, start_ms=4, end_ms=5)
    events = [event(1, name="loop", kind="workflow", end_ms=9), *calls, retrieved, judged]
    turns = [*map(turn_of, calls), turn_of(judged, conversation="2")]
    assert drawn([events], turns) == [
        *("loop", ".conversation", "..chat 2", "..retrieve", "..chat 6", ".chat 4")
    ]  # fmt: skip


def test_what_lies_between_the_turns_of_two_conversations_stays_where_it_is(event, chat):
    first = [chat(2, 1, start_ms=1, end_ms=2), chat(6, 1, start_ms=8, end_ms=9)]
    other = [chat(3, 1, start_ms=2, end_ms=3), chat(7, 1, start_ms=9, end_ms=10)]
    asked = event(4, 1, name="asked", start_ms=4, end_ms=5)
    unasked = event(5, 1, name="unasked", start_ms=5, end_ms=6)
    overlapping = event(8, 1, name="overlapping", start_ms=0, end_ms=3)
    events = [event(1, name="loop", kind="workflow", end_ms=9), *first, *other, asked, unasked, overlapping]
    turns = [*map(turn_of, first), turn_of(other[0], asked, conversation="2"), turn_of(other[1], conversation="2")]
    assert drawn([events], turns) == [
        *("loop", ".overlapping", ".conversation", "..chat 2", "..chat 6"),
        *(".conversation", "..chat 3", "..asked", "..chat 7", ".unasked"),
    ]


def test_calls_below_steps_stay_below_them(event, chat):
    steps = [event(at, 1, name=f"step {at}", kind="other", start_ms=at, end_ms=at + 3) for at in (2, 6)]
    calls = [chat(at + 1, at, start_ms=at, end_ms=at + 1) for at in (2, 6)]
    tool = event(4, 2, name="look", start_ms=4, end_ms=5)
    events = [event(1, name="loop", kind="workflow", end_ms=9), *steps, *calls, tool]
    assert drawn([events], [turn_of(calls[0], tool), turn_of(calls[1])]) == [
        *("loop", ".step 2", "..chat 3", "..look", ".step 6", "..chat 7")
    ]


def test_a_trace_that_moves_into_a_conversation_moves_whole(event, chat):
    calls = [chat(1), replace(chat(5, start_ms=5, end_ms=6), trace_id="b" * 32)]
    tool = replace(event(2, name="look", start_ms=2, end_ms=5), trace_id="c" * 32)
    inner = [replace(chat(at, 2, start_ms=at, end_ms=at + 1), trace_id="c" * 32) for at in (3, 4)]
    below = replace(event(6, 5, name="POST", kind="other", start_ms=5, end_ms=6), trace_id="b" * 32)
    traces = [[calls[0]], [tool, *inner], [calls[1], below]]
    turns = [turn_of(calls[0], tool), *(turn_of(each, conversation="2") for each in inner), turn_of(calls[1])]
    assert drawn(traces, turns) == [
        *("conversation", ".chat 1", ".look", "..conversation", "...chat 3", "...chat 4", ".chat 5", "..POST")
    ]


def test_the_last_answer_may_have_asked_for_calls_too(event, chat):
    calls = [chat(2, start_ms=1, end_ms=2), chat(3, start_ms=2, end_ms=3)]
    own, asked, after = (event(at, name=f"t{at}", start_ms=at, end_ms=at + 1) for at in (4, 5, 6))
    traces = [[replace(each, trace_id=each.span_id * 2)] for each in (*calls, own, asked, after)]
    (first,), (last,), _, (asked,), _ = traces
    assert drawn(traces, [turn_of(first), turn_of(last, asked)]) == [
        *("conversation", ".chat 2", ".chat 3", ".t4", ".t5", "t6")
    ]  # fmt: skip


def test_a_conversation_lasts_as_long_as_what_its_last_answer_asked_for(event, chat):
    calls = [chat(2, 1, start_ms=1, end_ms=2), chat(3, 1, start_ms=2, end_ms=3)]
    running = event(4, 1, name="look", start_ms=3, end_ms=None)
    events = [event(1, name="loop", kind="workflow", end_ms=None), *calls, running]
    turns = [turn_of(calls[0]), turn_of(calls[1], running)]
    (placed,) = with_conversations([events], turns, lambda first, last: (None, None)).traces
    (top,) = [each for each in placed if each.name == "conversation"]
    assert (top.status, top.end_time_unix_nano) == ("running", None)


@given(
    st.lists(st.sampled_from(["chat", "chat", "asked", "own", "batch", "agent"]), max_size=12),
    st.booleans(),
)
def test_rows_of_a_loop_are_in_the_order_in_which_they_happened(event, chat, steps, enclosed):
    """Whatever one call after another did, in one trace or in a trace each: every span is drawn, once and in turn."""
    parent = 1 if enclosed else None
    traces, turns, asked, last = [], [], [], None
    for at, step in enumerate(steps, 2):
        number, times = at * 10, {"start_ms": at * 10, "end_ms": at * 10 + 9}
        kind = {"batch": "workflow", "agent": "agent"}.get(step, "tool")
        spans = [chat(number, parent, **times) if step == "chat" else event(number, parent, kind=kind, **times)]
        if step in ("batch", "agent"):
            inner = {"start_ms": number + 1, "end_ms": number + 2}
            spans.append(event(number + 1, number, **inner) if step == "batch" else chat(number + 1, number, **inner))
        trace_id = "a" * 32 if enclosed else f"{number:032x}"
        spans = [replace(span, trace_id=trace_id) for span in spans]
        traces.append(spans)
        if step == "chat":
            turns += [] if last is None else [turn_of(last, *asked)]
            last, asked = spans[0], []
        elif step in ("asked", "batch"):
            asked.append(spans[-1])
    turns += [] if last is None else [turn_of(last, *asked)]
    if enclosed:
        loop = replace(event(1, name="loop", kind="workflow", end_ms=9999), trace_id="a" * 32)
        traces = [[loop, *(span for spans in traces for span in spans)]]
    placed = with_conversations(traces, turns, lambda first, last: (None, None)).traces
    rows = [row.event for events in placed for row in tree_rows(events)]
    recorded = [int(each.span_id, 16) for each in rows if "-" not in each.span_id]
    assert recorded == sorted(int(span.span_id, 16) for spans in traces for span in spans)
