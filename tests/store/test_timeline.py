from msgspec import UNSET

from inspector.model import Filter, TimelineBar
from inspector.store.timeline import LOOKED_AT, MOST_BARS


def timeline_of(store):
    return store.traces(Filter(), timeline=True).items[0].timeline


def test_a_timeline_is_there_only_when_asked_for(store, make_span):
    store.write([make_span()])
    assert store.traces(Filter()).items[0].timeline is UNSET
    assert store.trace("a" * 32).timeline is UNSET


def test_the_bars_come_in_the_order_the_spans_began_without_the_root(store, make_span):
    root = make_span(kind="workflow", start_ns=1000)
    late = make_span(kind="tool", status="error", parent_id=root.span_id, start_ns=3_001_000, end_ns=5_001_000)
    early = make_span(kind="llm", status="running", parent_id=root.span_id, start_ns=1_001_000)
    store.write([late, root, early])
    assert timeline_of(store) == (
        TimelineBar(1.0, None, "llm", "running"),
        TimelineBar(3.0, 2.0, "tool", "error"),
    )


def test_a_root_that_is_alone_is_its_own_timeline(store, make_span):
    store.write([make_span(kind="workflow", start_ns=0, end_ns=4_000_000)])
    assert timeline_of(store) == (TimelineBar(0.0, 4.0, "workflow", "ok"),)


def test_of_many_spans_errors_and_the_longest_work_are_kept(store, make_span):
    root = make_span(kind="workflow", start_ns=0)
    agent = make_span(kind="agent", parent_id=root.span_id, start_ns=1, end_ns=10**12)
    failed = make_span(kind="other", status="error", parent_id=root.span_id, start_ns=2, end_ns=3)
    others = [make_span(kind="other", parent_id=root.span_id, start_ns=4, end_ns=10**12) for _ in range(5)]
    tools = [
        make_span(kind="tool", parent_id=agent.span_id, start_ns=10 + at, end_ns=10 + at + at * 1_000_000)
        for at in range(60)
    ]
    store.write([root, agent, failed, *others, *tools])
    bars = timeline_of(store)
    assert len(bars) == MOST_BARS
    assert (bars[0].kind, bars[0].status) == ("other", "error")
    assert [bar.duration_ms for bar in bars[1:]] == [float(at) for at in range(21, 60)]


def test_only_the_first_spans_of_a_long_trace_are_looked_at(store, make_span):
    store.write([make_span(kind="llm", start_ns=at, parent_id="9" * 16) for at in range(LOOKED_AT)])
    store.write([make_span(kind="tool", status="error", start_ns=10**6 + at, parent_id="9" * 16) for at in range(50)])
    assert {bar.kind for bar in timeline_of(store)} == {"llm"}
