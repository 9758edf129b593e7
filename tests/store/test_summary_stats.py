from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.model import Filter, GroupBy, Span, SpanError
from inspector.store import ReadLimits
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.statistics.summary_stats import TRACES
from inspector.store.values.counting import quantile

INT64_MAX = 2**63 - 1
ONE = st.builds(
    dict,
    start_ns=st.integers(0, 40) | st.sampled_from([INT64_MAX, 2**64 - 1]),
    length_ns=st.integers(0, 10**9),
    status=st.sampled_from(["ok", "error", "running"]),
    name=st.sampled_from(["a", "b"]),
    service=st.sampled_from(["x", None]),
    agent=st.sampled_from(["x", None]),
    kind=st.sampled_from(["agent", "tool"]),
    input_tokens=st.sampled_from([None, 5]),
    cost_usd=st.sampled_from([None, 0.25, 0.1]),
)


def build(at, fields):
    fields = dict(fields)
    length_ns = fields.pop("length_ns")
    end_ns = None if fields["status"] == "running" else min(fields["start_ns"] + length_ns, 2**64 - 1)
    return Span(trace_id=f"t{at}", span_id=f"{at:016x}", end_ns=end_ns, **fields)


def figures(traces):
    durations = sorted(trace.duration_ms for trace in traces if trace.duration_ms is not None)
    costs = [trace.cost_usd for trace in traces if trace.cost_usd is not None]
    return {
        "count": len(traces),
        "errors": sum(trace.status == "error" for trace in traces),
        "p50_ms": quantile(durations, 0.5),
        "p95_ms": quantile(durations, 0.95),
        "p99_ms": quantile(durations, 0.99),
        "input_tokens": sum(trace.input_tokens for trace in traces),
        "output_tokens": 0,
        "cached_tokens": 0,
        "cost_usd": pytest.approx(sum(costs)) if costs else None,
    }


def told(found):
    return {name: getattr(found, name) for name in figures([])}


@pytest.mark.slow
@given(
    recorded=st.lists(ONE, max_size=15),
    by=st.none() | st.sampled_from(tuple(TRACES.grouped)),
    buckets=st.integers(0, 7),
    where=st.builds(
        Filter,
        statuses=st.sampled_from([(), ("error",)]),
        name=st.sampled_from([None, "a"]),
        since_ns=st.sampled_from([None, 0, 7, 2**64 - 1]),
        until_ns=st.sampled_from([None, 30, INT64_MAX, 2**64 - 1]),
        kinds=st.sampled_from([(), ("tool",), ("agent",)]),
    ),
)
def test_figures_of_traces_are_those_of_the_list_of_traces(tmp_path_factory, recorded, by, buckets, where):
    path = tmp_path_factory.mktemp("stats") / "inspector.db"
    store = SqliteStore(path, limits=ReadLimits(read_s=120, scan_s=60))
    store.write([build(at, fields) for at, fields in enumerate(recorded)])
    traces = store.traces(where, limit=50).items
    found = store.stats(where, of="traces", by=by, buckets=buckets)
    assert found.complete
    assert told(found.total) == figures(traces)
    expected = {}
    for trace in traces if by else ():
        expected.setdefault(getattr(trace, by), []).append(trace)
    assert {group.key: told(group) for group in found.groups} == {key: figures(of) for key, of in expected.items()}
    begins = [int(bucket.start_time_unix_nano) for bucket in found.buckets]
    assert len(begins) in (0, buckets)
    for at, bucket in enumerate(found.buckets):
        until = begins[at + 1] if at + 1 < buckets else 2**64
        inside = [trace for trace in traces if begins[at] <= int(trace.start_time_unix_nano) < until]
        assert told(bucket) == figures(inside)
    store.close()


def test_buckets_are_those_of_events_with_the_same_starts(store, make_span):
    store.write([make_span(trace_id=f"t{at}", start_ns=start) for at, start in enumerate((0, 9, 10, 29, 30))])
    for where in (Filter(), Filter(since_ns=0, until_ns=30), Filter(since_ns=5, until_ns=10**18)):
        for count in (1, 3, 60):
            of_events = store.stats(where, buckets=count).buckets
            assert store.stats(where, of="traces", buckets=count).buckets == of_events


def test_figures_that_take_too_long_cover_the_newest_and_say_so(open_store, path, make_span):
    store = open_store(path, limits=ReadLimits(scan_s=0.0))
    store.write([make_span(trace_id=f"t{at}") for at in range(10)])
    found = store.stats(Filter(), of="traces", buckets=2)
    assert (found.complete, found.total.count) == (False, 0)


def test_tokens_of_traces_saturate(store, make_span):
    store.write([make_span(trace_id=f"t{at}", input_tokens=INT64_MAX) for at in range(3)])
    assert store.stats(Filter(), of="traces").total.input_tokens == INT64_MAX


def test_an_empty_store_has_no_figures(store):
    found = store.stats(Filter(), of="traces", by="kind", buckets=5)
    assert (found.total.count, found.groups, found.buckets, found.complete) == (0, (), (), True)


def test_a_trace_is_in_the_group_of_each_model_tool_and_error_type_it_has(store, make_span):
    store.write(
        [
            make_span(trace_id="a" * 32, kind="llm", model="large", input_tokens=5),
            make_span(trace_id="a" * 32, kind="llm", model="large", input_tokens=7),
            make_span(trace_id="a" * 32, kind="llm", model="small", input_tokens=1),
            make_span(trace_id="b" * 32, kind="llm", model="small", input_tokens=2),
            make_span(trace_id="c" * 32, tool="clock", status="error", error=SpanError("ValueError", None)),
        ]
    )
    found = store.stats(Filter(), of="traces", by="model", buckets=2)
    assert {group.key: (group.count, group.input_tokens) for group in found.groups} == {
        "small": (2, 15),
        "large": (1, 13),
        None: (1, 0),
    }
    assert (found.total.count, found.total.input_tokens) == (3, 15)
    assert sum(bucket.count for bucket in found.buckets) == 3
    by_tool = store.stats(Filter(), of="traces", by="tool").groups
    assert {group.key: group.count for group in by_tool} == {"clock": 1, None: 2}
    by_error = store.stats(Filter(tool="clock"), of="traces", by="error_type").groups
    assert {group.key: group.errors for group in by_error} == {"ValueError": 1}


def test_every_split_of_events_is_one_of_traces(store, make_span):
    store.write([make_span()])
    for by in get_args(GroupBy):
        assert store.stats(Filter(), of="traces", by=by).total.count == 1


@given(
    recorded=st.lists(st.tuples(ONE, st.sampled_from(["r1", "r2", "r3", None])), max_size=15),
    by=st.none() | st.sampled_from(["agent", "service", "status", "name"]),
    buckets=st.integers(0, 7),
    where=st.builds(
        Filter,
        statuses=st.sampled_from([(), ("error",)]),
        name=st.sampled_from([None, "a", "x"]),
        agent=st.sampled_from([None, "x"]),
        since_ns=st.sampled_from([None, 0, 7]),
        until_ns=st.sampled_from([None, 30]),
        kinds=st.sampled_from([(), ("tool",)]),
    ),
)
def test_figures_of_runs_are_those_of_the_list_of_runs(tmp_path_factory, recorded, by, buckets, where):
    path = tmp_path_factory.mktemp("stats") / "inspector.db"
    store = SqliteStore(path, limits=ReadLimits(read_s=120, scan_s=60))
    # A run of ages has a length with more digits than a list of lengths in JSON.
    store.write(
        [
            replace(build(at, fields | {"start_ns": fields["start_ns"] % 41}), run=run)
            for at, (fields, run) in enumerate(recorded)
        ]
    )
    runs = store.runs(where, limit=50).items
    found = store.stats(where, of="runs", by=by, buckets=buckets)
    assert found.complete
    assert told(found.total) == figures(runs)
    expected = {}
    for run in runs if by else ():
        expected.setdefault(getattr(run, by), []).append(run)
    assert {group.key: told(group) for group in found.groups} == {key: figures(of) for key, of in expected.items()}
    assert sum(bucket.count for bucket in found.buckets) == (len(runs) if buckets else 0)
    store.close()


def test_a_run_is_in_the_group_of_each_tool_of_any_of_its_traces(store, make_span):
    store.write(
        [
            make_span(trace_id="t1", span_id="1", run="r1", kind="tool", tool="clock"),
            make_span(trace_id="t2", span_id="2", run="r1", kind="tool", tool="clock"),
            make_span(trace_id="t3", span_id="3", run="r1", kind="tool", tool="sum"),
            make_span(trace_id="t4", span_id="4", run="r2", kind="llm", model="m"),
            make_span(trace_id="t5", span_id="5", run="r3", kind="tool", tool="sum"),
        ]
    )
    found = store.stats(Filter(), of="runs", by="tool")
    assert found.total.count == 3
    assert {group.key: group.count for group in found.groups} == {"clock": 1, "sum": 2, None: 1}
