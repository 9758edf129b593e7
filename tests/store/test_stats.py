from hypothesis import given
from hypothesis import strategies as st

from inspector.model import Filter
from inspector.store import ReadLimits
from inspector.store.sqlite.statistics import stats as stats_module
from inspector.store.sqlite.statistics.stats import quantile
from inspector.store.values.counting import total_usd


def test_quantiles_are_values_that_occurred(store, make_span):
    store.write([make_span(start_ns=100, end_ns=100 + ms * 1_000_000) for ms in range(1, 101)])
    total = store.stats(Filter()).total
    assert (total.count, total.p50_ms, total.p95_ms, total.p99_ms) == (100, 50.0, 95.0, 99.0)


@given(
    values=st.lists(st.floats(0, 1e6), min_size=1, max_size=60).map(sorted), share=st.sampled_from([0.5, 0.95, 0.99])
)
def test_a_quantile_is_the_smallest_value_that_enough_do_not_exceed(values, share):
    found = quantile(values, share)
    enough = [value for value in values if sum(other <= value for other in values) >= share * len(values)]
    assert found == min(enough)


def test_buckets_are_equal_slices_of_the_range_asked_for(store, make_span):
    store.write([make_span(start_ns=start) for start in (0, 9, 10, 29, 30)])
    buckets = store.stats(Filter(since_ns=0, until_ns=30), buckets=3).buckets
    assert [(bucket.start_time_unix_nano, bucket.count) for bucket in buckets] == [("0", 2), ("10", 1), ("20", 1)]


def test_buckets_cover_what_there_is_when_no_range_is_given(store, make_span):
    store.write([make_span(start_ns=start) for start in (100, 101, 199)])
    buckets = store.stats(Filter(), buckets=2).buckets
    assert [(bucket.start_time_unix_nano, bucket.count) for bucket in buckets] == [("100", 2), ("150", 1)]


def test_there_is_nothing_to_slice_in_an_empty_store_or_range(store, make_span):
    assert store.stats(Filter(), buckets=5).buckets == ()
    store.write([make_span()])
    assert store.stats(Filter(since_ns=5, until_ns=5), buckets=5).buckets == ()
    assert store.stats(Filter()).buckets == ()
    assert store.stats(Filter(q="nothing"), by="kind").groups == ()


@given(starts=st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=20), count=st.integers(1, 50))
def test_each_start_falls_into_the_bucket_that_begins_before_it(starts, count):
    rows = [(start, None, "ok", None, None, None, None, None, "tool") for start in starts]
    buckets = stats_module._buckets(rows, Filter(), count)
    begins = [int(bucket.start_time_unix_nano) for bucket in buckets]
    assert sum(bucket.count for bucket in buckets) == len(starts)
    for at, bucket in enumerate(buckets):
        until = begins[at + 1] if at + 1 < count else 2**63
        assert bucket.count == sum(begins[at] <= start < until for start in starts)


def test_a_capped_scan_covers_the_newest_and_says_so(store, make_span, open_store, path):
    store.write([make_span(name=f"n{at}") for at in range(10)])
    stats = open_store(path, read_only=True, limits=ReadLimits(scan_rows=4)).stats(Filter(), by="name")
    assert (stats.complete, stats.total.count) == (False, 4)
    assert {group.key for group in stats.groups} == {"n6", "n7", "n8", "n9"}
    assert open_store(path, read_only=True, limits=ReadLimits(scan_rows=10)).stats(Filter()).complete


def test_sums_of_tokens_saturate(store, make_span):
    store.write([make_span(input_tokens=2**63 - 1) for _ in range(3)])
    assert store.stats(Filter()).total.input_tokens == 2**63 - 1


def test_figures_by_model_are_read_from_the_index_over_time_alone(store, make_span, rows_of):
    store.write([make_span(kind="llm", model="m")])
    columns = ", ".join(str(column) for column in (stats_module._GROUPED["model"], *stats_module.COUNTED))
    sql = f"EXPLAIN QUERY PLAN SELECT start_ns, {columns} FROM spans WHERE folded_into IS NULL ORDER BY start_ns DESC"
    assert [row[3] for row in rows_of(sql)] == ["SCAN spans USING COVERING INDEX ix_spans_time"]


def test_costs_beyond_any_price_are_no_costs_and_figures_go_on(store, make_span):
    huge = [make_span(kind="llm", model="m", input_tokens=1, cost_usd=cost) for cost in (1e308, 1e308, -1.0, 1e9)]
    store.write(huge)
    store.write([make_span(kind="llm", model="m", cost_usd=0.25)])
    assert store.stats(Filter(), by="model", buckets=3).total.cost_usd == 1e9 + 0.25
    assert store.trace("a" * 32).cost_usd == 1e9 + 0.25
    assert store.trace("a" * 32).unpriced_calls == 3
    # Spans that come again are taken out of the sums and put in once more.
    store.write([*huge, make_span(kind="llm", model="m", cost_usd=0.5)])
    assert store.trace("a" * 32).cost_usd == 1e9 + 0.75


def test_costs_that_an_older_version_stored_do_not_stop_figures():
    assert total_usd([1e308, 1e308]) is None
    assert total_usd([float("inf"), float("-inf")]) is None
    assert total_usd([float("nan")]) is None
    assert total_usd([]) is None
    assert total_usd([0.1] * 10) == 1.0
