import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.model import Filter
from inspector.store.sqlite import SqliteStore

ONE, OTHER = {"inspector.emitter": "langchain"}, {"inspector.emitter": "openai"}
"""Two recorders."""
ANSWERED = {"gen_ai.response.id": "msg_1"}


def folded(store, trace_id="a" * 32):
    page = store.events(Filter(trace_id=trace_id), order="asc", limit=500)
    return {event.span_id: event.folded_into for event in page.items if event.folded_into}


def test_nested_spans_of_one_model_call_count_their_tokens_and_cost_once(store, make_span):
    outer = make_span(attributes=ONE, kind="llm", input_tokens=10, output_tokens=5, cost_usd=0.5, session_id="s")
    inner = make_span(
        attributes=OTHER,
        kind="llm",
        parent_id=outer.span_id,
        input_tokens=10,
        output_tokens=5,
        cost_usd=0.5,
        session_id="s",
    )
    store.write([outer, inner])
    assert folded(store) == {inner.span_id: outer.span_id}
    trace, session = store.trace(outer.trace_id), store.session("s")
    total = store.stats(Filter()).total
    for sums in (trace, session):
        assert (sums.spans, sums.llm_calls, sums.input_tokens, sums.output_tokens, sums.cost_usd) == (2, 1, 10, 5, 0.5)
    assert (total.input_tokens, total.output_tokens, total.cost_usd) == (10, 5, 0.5)
    assert store.event(inner.span_id).input_tokens == 10, "what the span said of itself stays"


def test_spans_of_one_answer_next_to_each_other_count_once(store, make_span):
    main, usage = make_span(), {"kind": "llm", "input_tokens": 10, "output_tokens": 5, "cost_usd": 0.5}
    begun = make_span(kind="llm", status="running", attributes=ONE, parent_id=main.span_id)
    sdk = make_span(**usage, parent_id=main.span_id, attributes=OTHER | ANSWERED, start_ns=begun.start_ns)
    store.write([main, begun, sdk])
    assert folded(store) == {}
    ended = replace(begun, status="ok", end_ns=sdk.end_ns, attributes=begun.attributes | ANSWERED, input_tokens=10)
    store.write([ended])
    assert folded(store) == {begun.span_id: sdk.span_id}
    total = store.stats(Filter(kinds=("llm",))).total
    assert (total.count, total.input_tokens, total.output_tokens, total.cost_usd) == (1, 10, 5, 0.5)


def test_calls_of_one_recorder_all_count_with_their_errors_tokens_and_cost(store, make_span):
    recursive = [make_span(kind="tool", tool="walk", attributes=ONE)]
    for status in ("ok", "error", "ok"):
        parent = recursive[-1].span_id
        recursive.append(make_span(kind="tool", tool="walk", attributes=ONE, parent_id=parent, status=status))
    main = make_span(kind="agent", agent="helper", attributes=ONE)
    helpers = [make_span(kind="agent", agent="helper", attributes=ONE, parent_id=main.span_id) for _ in range(6)]
    outer = make_span(kind="llm", model="gpt-4o", input_tokens=10, cost_usd=0.25, attributes=ONE)
    inner = make_span(
        kind="llm", model="gpt-4o-mini", input_tokens=1000, cost_usd=0.5, attributes=ONE, parent_id=outer.span_id
    )
    store.write([*recursive, main, *helpers, outer, inner])
    total = store.stats(Filter()).total
    assert (total.count, total.errors, total.input_tokens, total.cost_usd) == (13, 1, 1010, 0.75)
    assert folded(store) == {}


def test_what_an_earlier_version_decided_stays_until_the_span_comes_again(store, make_span):
    outer = make_span(kind="tool", tool="add")
    inner = make_span(kind="tool", tool="add", parent_id=outer.span_id)
    store.write([outer, inner])
    with store._write() as connection:
        connection.exec_driver_sql("UPDATE spans SET identity = NULL")
        connection.exec_driver_sql("UPDATE spans SET folded_into = ? WHERE span_id = ?", (outer.span_id, inner.span_id))
    store._cache.families.forget()
    store.write([make_span(kind="tool", tool="add", parent_id=outer.span_id, attributes=OTHER)])
    assert folded(store) == {inner.span_id: outer.span_id}
    store.write([replace(inner, name="add again")])
    assert folded(store) == {}


def test_a_parent_that_comes_later_folds_what_is_stored(store, make_span):
    outer = make_span(attributes=ONE, kind="llm", input_tokens=10)
    inner = make_span(attributes=OTHER, kind="llm", input_tokens=10, parent_id=outer.span_id)
    store.write([inner])
    before = store.event(inner.span_id)
    store.write([outer])
    after = store.event(inner.span_id)
    assert (before.folded_into, after.folded_into) == (None, outer.span_id)
    assert after.seq > before.seq, "listeners are told"
    assert store.trace(outer.trace_id).input_tokens == 10


def test_tokens_known_at_the_end_alone_unfold_and_fold_again(store, make_span):
    outer = make_span(attributes=ONE, kind="llm", status="running")
    inner = make_span(attributes=OTHER, kind="llm", input_tokens=7, parent_id=outer.span_id)
    store.write([outer, inner])
    assert folded(store) == {outer.span_id: inner.span_id}
    store.write([replace(outer, status="ok", end_ns=outer.start_ns + 1, input_tokens=7)])
    assert folded(store) == {inner.span_id: outer.span_id}
    assert (store.trace(outer.trace_id).input_tokens, store.trace(outer.trace_id).llm_calls) == (7, 1)
    store.write([replace(outer, status="ok", end_ns=outer.start_ns + 1, input_tokens=9)])
    assert folded(store) == {}, "other tokens are another call's"
    assert (store.trace(outer.trace_id).input_tokens, store.trace(outer.trace_id).llm_calls) == (16, 2)


def test_the_same_record_twice_changes_nothing(store, make_span):
    outer = make_span(attributes=ONE, kind="tool", tool="add")
    inner = make_span(attributes=OTHER, kind="tool", tool="add", parent_id=outer.span_id)
    store.write([outer, inner])
    seq = store.last_seq()
    store.write([outer, inner])
    store.write([inner])
    assert store.last_seq() == seq


def test_another_process_folds_on_where_the_last_one_ended(open_store, path, make_span):
    outer = make_span(attributes=ONE, kind="tool", tool="add")
    inner = make_span(attributes=OTHER, kind="tool", tool="add", parent_id=outer.span_id)
    innermost = make_span(attributes={"inspector.emitter": "httpx"}, kind="tool", tool="add", parent_id=inner.span_id)
    first = open_store(path)
    first.write([outer, inner])
    first.close()
    second = open_store(path)
    second.write([innermost])
    assert folded(second) == {inner.span_id: outer.span_id, innermost.span_id: outer.span_id}
    assert second.trace(outer.trace_id).tool_calls == 1


def test_what_is_folded_stays_so_when_its_process_is_lost(store, make_span):
    outer = make_span(attributes=ONE, kind="tool", tool="add", status="running", process="p")
    inner = make_span(attributes=OTHER, kind="tool", tool="add", status="running", process="p", parent_id=outer.span_id)
    store.write([outer, inner])
    store.mark_lost(["p"])
    assert folded(store) == {inner.span_id: outer.span_id}
    assert store.trace(outer.trace_id).tool_calls == 1


def test_a_deleted_trace_that_comes_again_is_folded_anew(store, make_span):
    outer = make_span(attributes=ONE, kind="tool", tool="add")
    inner = make_span(attributes=OTHER, kind="tool", tool="add", parent_id=outer.span_id)
    store.write([outer, inner])
    store.delete("trace", outer.trace_id)
    store.write([inner])
    assert folded(store) == {}
    store.write([outer])
    assert folded(store) == {inner.span_id: outer.span_id}


shapes = st.lists(
    st.tuples(
        st.sampled_from(["llm", "tool", "other", "rpc"]),
        st.integers(-1, 8),
        st.sampled_from(["add", "x_add"]),
        st.one_of(st.none(), st.integers(1, 2)),
        st.sampled_from(
            [
                ONE,
                OTHER,
                OTHER | ANSWERED,
                {"otel.scope.name": "openinference", **ANSWERED},
                {"mcp.rpc.direction": "inbound"},
            ]
        ),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.slow
@given(shapes, st.randoms())
def test_whatever_order_spans_come_in_the_sums_are_the_same(tmp_path_factory, make_span, shape, random):
    spans = [
        replace(
            make_span(kind=kind, tool=tool if kind == "tool" else None, attributes=attributes),
            span_id=f"{at + 1:016x}",
            parent_id=f"{parent + 1:016x}" if 0 <= parent < at else None,
            input_tokens=tokens if kind == "llm" else None,
        )
        for at, (kind, parent, tool, tokens, attributes) in enumerate(shape)
    ]
    shuffled = random.sample(spans, len(spans))
    results = []
    for batches in ([spans], [[span] for span in shuffled], [shuffled[::2], shuffled[1::2]]):
        store = SqliteStore(tmp_path_factory.mktemp("home") / "inspector.db")
        for batch in batches:
            store.write(batch)
            # A process of its own for each batch.
            store._cache.families.forget()
        trace = store.trace(spans[0].trace_id)
        results.append((trace.spans, trace.llm_calls, trace.tool_calls, trace.input_tokens, folded(store)))
        store.close()
    assert all(one == other for one, other in itertools.pairwise(results))


def test_only_so_many_spans_are_remembered_and_others_are_read_again(store, make_span, monkeypatch):
    monkeypatch.setattr("inspector.store.sqlite.writing.families.MOST_REMEMBERED", 3)
    pairs = []
    for trace in range(4):
        outer = make_span(attributes=ONE, trace_id=f"{trace + 1:032x}", kind="tool", tool="add")
        pairs.append(
            (
                outer,
                make_span(attributes=OTHER, trace_id=outer.trace_id, kind="tool", tool="add", parent_id=outer.span_id),
            )
        )
    for outer, _ in pairs:
        store.write([outer])
    for outer, inner in pairs:
        store.write([inner])
        assert folded(store, outer.trace_id) == {inner.span_id: outer.span_id}
    assert (
        store._cache.families._remembered
        == sum(1 + len(each.nodes) for each in store._cache.families._families.values())
        <= 3
    )


def test_traces_without_calls_are_not_remembered_without_end(store, make_span, monkeypatch):
    monkeypatch.setattr("inspector.store.sqlite.writing.families.MOST_REMEMBERED", 3)
    for number in range(10):
        store.write([make_span(trace_id=f"t{number}", kind="workflow")])
    assert len(store._cache.families._families) <= 3


def test_a_trace_that_is_too_long_counts_what_comes_later_by_itself(store, make_span, monkeypatch):
    monkeypatch.setattr("inspector.store.sqlite.writing.families.MOST_SPANS", 2)
    outer = make_span(attributes=ONE, kind="tool", tool="add")
    early = make_span(attributes=OTHER, kind="tool", tool="add", parent_id=outer.span_id)
    store.write([outer, early, make_span(kind="other")])
    store.write([make_span(attributes=OTHER, kind="tool", tool="add", parent_id=outer.span_id)])
    assert folded(store) == {early.span_id: outer.span_id}
    assert store.trace(outer.trace_id).tool_calls == 2
