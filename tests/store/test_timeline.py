from itertools import pairwise

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from inspector.model import Filter, SpanError, TimelineBar
from inspector.store.values.bars import MOMENTS, MOST_BARS, SAMPLED_ABOVE

MS = 1_000_000


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


MINUTE_NS = 60 * 10**9


@pytest.fixture
def long_run(make_span):
    """Builds a root and a thousand tool calls, spread evenly over a minute; gives the root too."""

    def build(**fields):
        root = make_span(kind="workflow", start_ns=0, end_ns=MINUTE_NS)
        step_ns = MINUTE_NS // 1000
        return root, [
            make_span(parent_id=root.span_id, start_ns=at * step_ns, end_ns=(at + 1) * step_ns, **fields)
            for at in range(1000)
        ]

    return build


def test_the_bars_of_a_long_trace_are_spread_over_all_of_it(store, long_run):
    root, calls = long_run()
    store.write([root, *calls])
    bars = timeline_of(store)
    assert len(bars) == MOST_BARS
    starts_ms = [bar.offset_ms for bar in bars]
    assert starts_ms == sorted(set(starts_ms))
    assert starts_ms[0] == 0.0 and starts_ms[-1] > 59_800
    # Twice the time from one moment to the next.
    assert max(later - earlier for earlier, later in pairwise(starts_ms)) <= 2 * 60_000 / (MOMENTS - 1)


def test_a_trace_is_looked_at_whole_until_it_is_long(store, make_span):
    calls = [make_span(parent_id="9" * 16, start_ns=at, end_ns=at + 1) for at in range(SAMPLED_ABOVE - 1)]
    longest = make_span(parent_id="9" * 16, kind="llm", start_ns=3, end_ns=10**9)
    store.write([*calls, longest])
    assert "llm" in {bar.kind for bar in timeline_of(store)}


def test_the_call_that_fills_a_quiet_time_of_a_long_trace_is_shown(store, make_span, long_run):
    root, calls = long_run()
    quiet = [call for call in calls if not 20 * 10**9 < call.start_ns < 50 * 10**9]
    waiting = make_span(kind="llm", parent_id=root.span_id, start_ns=20 * 10**9 + 1, end_ns=50 * 10**9)
    store.write([root, *quiet, waiting])
    assert TimelineBar(20_000.000001, 29_999.999999, "llm", "ok") in timeline_of(store)


def test_what_runs_last_in_a_long_trace_is_shown_as_running(store, make_span, long_run):
    root, calls = long_run()
    store.write([root, *calls, make_span(kind="llm", status="running", parent_id=root.span_id, start_ns=MINUTE_NS)])
    assert timeline_of(store)[-1] == TimelineBar(60_000.0, None, "llm", "running")


@pytest.mark.parametrize("at", [0, 1, 340, 998, 999])
def test_the_one_call_of_a_long_trace_that_failed_is_shown_wherever_it_is(store, long_run, make_span, at):
    root, calls = long_run()
    failed = replace(calls[at], status="error", error=SpanError("ValueError", "it failed"))
    elsewhere = make_span(trace_id="b" * 32, status="error", start_ns=-1, end_ns=0)
    store.write([elsewhere, root, *calls[:at], failed, *calls[at + 1 :]])
    bars = next(
        trace.timeline for trace in store.traces(Filter(), timeline=True).items if trace.errors and trace.spans > 1
    )
    assert [bar.offset_ms for bar in bars if bar.status == "error"] == [at * 60.0]
    assert len(bars) == MOST_BARS


def test_failures_leave_room_for_the_rest_of_a_long_trace(store, long_run, make_span):
    root, calls = long_run()
    early = [make_span(parent_id=root.span_id, status="error", start_ns=at, end_ns=at + 1) for at in range(500)]
    store.write([root, *early, *calls])
    bars = timeline_of(store)
    assert "error" in {bar.status for bar in bars}
    assert bars[-1].offset_ms > 59_000


def test_a_long_trace_that_began_all_at_once_shows_each_span_once(store, make_span):
    store.write([make_span(parent_id="9" * 16, start_ns=5, end_ns=6) for _ in range(SAMPLED_ABOVE + 1)])
    bars = timeline_of(store)
    assert set(bars) == {TimelineBar(0.0, 1e-06, "tool", "ok")}
    assert len(bars) <= MOST_BARS


def test_a_run_of_several_traces_is_told_by_all_their_calls(store, make_span):
    store.write(
        [
            make_span(trace_id="t1", span_id="1", run="r1", kind="llm", start_ns=10 * MS, end_ns=20 * MS),
            make_span(trace_id="t2", span_id="2", run="r1", kind="agent", start_ns=30 * MS, end_ns=60 * MS),
            make_span(
                trace_id="t2", span_id="3", parent_id="2", run="r1", kind="tool", start_ns=40 * MS, end_ns=50 * MS
            ),
        ]
    )
    (run,) = store.runs(Filter(), timeline=True).items
    assert [(bar.offset_ms, bar.kind) for bar in run.timeline] == [(0, "llm"), (30, "tool")]


def test_a_run_of_thousands_of_traces_is_told_at_a_few_moments_of_its_time(store, make_span):
    store.write(
        [
            make_span(trace_id=f"t{at}", span_id="1", run="r1", kind="llm", start_ns=at * MS, end_ns=at * MS + 500)
            for at in range(1, 3001)
        ]
    )
    (run,) = store.runs(Filter(), timeline=True).items
    assert 30 <= len(run.timeline) <= 40
    assert run.timeline[0].offset_ms == 0
    assert run.timeline[-1].offset_ms >= 2998
