import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event

from inspector.model import STATUSES, Filter, Span
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.writing.totals import _load_shares, _sum_shares, load_traces, sum_trace

PICK = st.sampled_from([None, "x", "y"])
RECORDS = st.lists(
    st.builds(
        dict,
        trace_id=st.sampled_from(["t1", "t2", "t3"]),
        span_id=st.sampled_from(["1", "2", "3", "4"]),
        parent_id=st.sampled_from([None, "1", "9"]),
        session_id=PICK,
        agent=PICK,
        model=PICK,
        kind=st.sampled_from(["llm", "tool", "agent"]),
        status=st.sampled_from(STATUSES),
        start_ns=st.integers(1, 4),
        end_ns=st.sampled_from([None, 2, 5, 9]),
        input_tokens=st.sampled_from([None, 0, 3, 2**62]),
        cost_usd=st.sampled_from([None, 0.0, 0.1]),
        name=st.sampled_from(["n1", "n2"]),
    ),
    max_size=25,
)


@given(records=RECORDS, size=st.integers(1, 6), deleted=st.sampled_from([None, "t1", "t2"]))
def test_sums_always_equal_those_of_the_rows(tmp_path_factory, records, size, deleted):
    store = SqliteStore(tmp_path_factory.mktemp("sums") / "inspector.db")
    all_spans = [
        Span(**{**fields, "input_tokens": None}) if at % 2 else Span(**fields) for at, fields in enumerate(records)
    ]
    for start in range(0, len(all_spans), size):
        store.write(all_spans[start : start + size])
    if deleted is not None:
        store.delete("trace", deleted)
    with store._write() as connection:
        stored = load_traces(connection, ["t1", "t2", "t3"])
        for trace_id, kept in stored.items():
            again = sum_trace(connection, trace_id)
            again.saturate()
            assert (round(kept.cost_usd, 9), kept.models) == (round(again.cost_usd, 9), again.models)
            kept.cost_usd = again.cost_usd
            kept.head_status = again.head_status
            if kept.input_tokens < 2**63 - 1 and again.input_tokens < 2**63 - 1:
                assert kept == again
            shares = _load_shares(connection, [kept.id])[kept.id]
            summed = _sum_shares(connection, kept.id) if kept.mixed else {}
            assert {session_id: comparable(share) for session_id, share in shares.items()} == {
                session_id: comparable(share) for session_id, share in summed.items()
            }
    events = store.events(Filter(), limit=1000).items
    assert {event.trace_id for event in events} == set(stored)
    check_sessions(store, stored)
    store.close()


def comparable(share):
    """A share without what is cut off at the largest number, and with a cost that may be summed in any order."""
    return replace(share, input_tokens=0, cost_usd=round(share.cost_usd, 9))


def check_sessions(store, stored):
    sessions = {session.session_id: session for session in store.sessions().items}
    events = store.events(Filter(), limit=1000).items
    assert set(sessions) == {event.session_id for event in events} - {None}
    for session_id, session in sessions.items():
        mine = [event for event in events if event.session_id == session_id]
        members = [stored[trace_id] for trace_id in {event.trace_id for event in mine}]
        assert (session.traces, session.spans) == (len(members), len(mine))
        assert session.errors == sum(event.status == "error" and event.folded_into is None for event in mine)
        assert session.start_time_unix_nano == str(min(trace.start_ns for trace in members))
        assert session.seq == max(trace.seq for trace in members)
        if "running" in {trace.status for trace in members}:
            assert (session.status, session.end_time_unix_nano) == ("running", None)


def test_a_trace_is_named_by_its_earliest_span_until_its_root_comes(store, make_span):
    store.write(
        [make_span(name="second", parent_id="p", start_ns=20), make_span(name="first", parent_id="p", start_ns=10)]
    )
    assert store.trace("a" * 32).name == "first"
    store.write([make_span(name="root", kind="workflow", agent=None, start_ns=30, status="running")])
    trace = store.trace("a" * 32)
    assert (trace.name, trace.kind, trace.status, trace.end_time_unix_nano) == ("root", "workflow", "running", None)
    assert trace.start_time_unix_nano == "10"


def test_a_trace_has_the_status_of_its_root_whatever_happened_inside(store, make_span):
    store.write([make_span(kind="workflow"), make_span(parent_id="p", status="error")])
    trace = store.trace("a" * 32)
    assert (trace.status, trace.errors, trace.spans, trace.tool_calls) == ("ok", 1, 2, 1)


def test_without_a_root_the_worst_status_stands(store, make_span):
    expected = []
    for at, status in enumerate(["ok", "denied", "cancelled", "abandoned", "lost", "error", "running"]):
        store.write([make_span(parent_id="p", status=status)])
        expected.append(store.trace("a" * 32).status)
        assert store.health().spans == at + 1
    assert expected == ["ok", "ok", "cancelled", "abandoned", "lost", "error", "running"]


def test_a_call_that_was_denied_leaves_its_run_as_it_is_and_is_itself_found_by_its_status(store, make_span):
    store.write([make_span(status="denied"), make_span(parent_id="p", status="denied")])
    trace = store.trace("a" * 32)
    assert (trace.status, trace.errors, trace.tool_calls) == ("denied", 0, 2)
    assert len(store.events(Filter(statuses=("denied",))).items) == 2


def test_models_tokens_and_costs_are_summed(store, make_span):
    store.write(
        [
            make_span(
                kind="llm", model="b", input_tokens=10, output_tokens=1, cached_tokens=4, cost_usd=0.1, session_id="s"
            ),
            make_span(kind="llm", model="a", input_tokens=20, cost_usd=0.2, session_id="s"),
            make_span(session_id="s"),
        ]
    )
    trace, session = store.trace("a" * 32), store.session("s")
    assert trace.models == ("a", "b")
    assert (trace.input_tokens, trace.output_tokens, trace.cached_tokens, trace.cost_usd) == (30, 1, 4, 0.3)
    assert (session.llm_calls, session.tool_calls, session.input_tokens, session.cost_usd) == (2, 1, 30, 0.3)


@pytest.mark.parametrize("asked_model", [None, "m", "m-latest"])
def test_a_large_trace_is_not_summed_again_for_each_batch(store, make_span, asked_model):
    store.write([make_span(parent_id="p") for _ in range(3000)])
    scans = []

    @event.listens_for(store._writer._usable(), "before_cursor_execute")
    def note(connection, cursor, statement, parameters, context, many):
        if "FROM spans WHERE trace_id" in statement:
            scans.append(statement)

    running = make_span(parent_id="p", status="running", model=asked_model)
    store.write([running])
    assert store.trace("a" * 32).models == ()
    store.write([make_span(span_id=running.span_id, start_ns=running.start_ns, parent_id="p", model="m")])
    assert scans == []
    assert (store.trace("a" * 32).spans, store.trace("a" * 32).models) == (3001, ("m",))


def test_a_trace_of_several_sessions_is_not_summed_again_for_each_batch(store, make_span):
    store.write([make_span(parent_id="p", session_id="early") for _ in range(30)])
    scans = []

    @event.listens_for(store._writer._usable(), "before_cursor_execute")
    def note(connection, cursor, statement, *_):
        if "FROM spans WHERE trace_id" in statement:
            scans.append(statement)

    for _ in range(3):
        store.write([make_span(parent_id="p", session_id="late"), make_span(parent_id="p")])
    early, late = store.session("early"), store.session("late")
    assert (early.spans, late.spans, early.tool_calls, late.tool_calls) == (33, 3, 33, 3)
    assert scans == []


def test_sums_are_json_that_the_api_can_serve(store, make_span):
    import msgspec

    store.write([make_span(session_id="s")])
    assert json.loads(msgspec.json.encode(store.trace("a" * 32)))["spans"] == 1
    assert json.loads(msgspec.json.encode(store.session("s")))["traces"] == 1


def test_the_agent_of_a_trace_is_the_outermost_one(store, make_span):
    root = make_span(trace_id="t", kind="workflow", agent=None, start_ns=1)
    outer = make_span(trace_id="t", kind="agent", agent="planner", parent_id=root.span_id, start_ns=2)
    inner = make_span(trace_id="t", kind="agent", agent="guide", parent_id=outer.span_id, start_ns=3)
    store.write([inner])
    store.write([outer, root])
    assert store.trace("t").agent == "planner"
    assert [t.trace_id for t in store.traces(Filter(agent="planner")).items] == ["t"]


def test_a_folded_span_is_counted_but_its_call_is_not(store, make_span):
    asked = {"kind": "llm", "model": "m", "input_tokens": 10, "output_tokens": 2, "cached_tokens": 1, "cost_usd": 0.5}
    outer, inner = make_span(span_id="1" * 16, **asked), make_span(span_id="2" * 16, parent_id="1" * 16, **asked)
    tool = make_span(span_id="3" * 16, parent_id="1" * 16, kind="tool")
    store.write([outer, inner, tool])
    with store._write() as connection:
        connection.exec_driver_sql("UPDATE spans SET folded_into = ? WHERE span_id <> ?", ("1" * 16, "1" * 16))
        sums = sum_trace(connection, "a" * 32)
    assert (sums.spans, sums.llm_calls, sums.tool_calls, sums.priced) == (3, 1, 0, 1)
    assert (sums.input_tokens, sums.output_tokens, sums.cached_tokens, sums.cost_usd) == (10, 2, 1, 0.5)
    total = store.stats(Filter()).total
    assert (total.count, total.input_tokens, total.output_tokens, total.cached_tokens) == (1, 10, 2, 1)
    assert total.cost_usd == 0.5


def test_spans_that_name_no_session_have_that_of_their_trace_also_those_stored_before_it_was_named(store, make_span):
    root = make_span(kind="workflow", status="running")
    server = make_span(parent_id=root.span_id, service="desk")
    store.write([root, server])
    before = store.last_seq()
    store.write([make_span(parent_id=root.span_id, session_id="trip")])
    store.write([make_span(parent_id=server.span_id, service="desk")])
    assert [event.session_id for event in store.events(Filter()).items] == ["trip"] * 4
    assert {event.span_id for event in store.after(before, Filter(session_id="trip"))} >= {root.span_id, server.span_id}
    assert (store.session("trip").spans, store.stats(Filter(session_id="trip")).total.count) == (4, 4)


def test_a_trace_of_several_sessions_is_of_the_one_named_first_and_counts_in_each_what_is_its_own(store, make_span):
    late = make_span(session_id="late", status="error")
    store.write([late, make_span(), make_span(trace_id="b" * 32, session_id="late")])
    store.write([make_span(session_id="early", start_ns=late.start_ns - 5)])
    assert store.trace("a" * 32).session_id == "early"
    early, late = store.session("early"), store.session("late")
    assert (early.traces, early.spans, early.errors) == (1, 2, 0)
    assert (late.traces, late.spans, late.errors) == (2, 2, 1)
    assert {trace.trace_id for trace in store.traces(Filter(session_id="late")).items} == {"a" * 32, "b" * 32}
    assert [trace.trace_id for trace in store.traces(Filter(session_id="early")).items] == ["a" * 32]
    assert store.delete("session", "early") == 3
    assert (store.session("early"), store.session("late").spans) == (None, 1)


def test_messages_of_spans_that_came_before_their_session_stay_and_go_with_it(store, make_span):
    prompt = '[{"role": "user", "content": "' + "filling " * 100 + '"}]'
    asked = {"kind": "llm", "attributes": {"gen_ai.input.messages": prompt}, "input_key": "gen_ai.input.messages"}
    first = make_span(**asked)
    store.write([first])
    store.write([make_span(session_id="trip", **asked)])
    store.write([first])
    assert [len(bytes(event.input)) for event in store.events(Filter(), full=True).items] == [len(prompt)] * 2
    assert store.delete("session", "trip") == 2
    with store._write() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM contents").scalar() == 0
