from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lists import fields_of

from inspector.model import STATUSES, Filter, Span
from inspector.store import ReadLimits
from inspector.store.sqlite import SqliteStore

KEPT = ReadLimits(exact_calls=0)
"""Statistics are read from rollups however few calls there are."""
HOUR_NS = 3600 * 10**9
NAMES = ("count", "errors", "input_tokens", "output_tokens", "cached_tokens", "cost_usd", "unpriced_calls")
WHERE = (
    Filter(),
    Filter(replays=False),
    Filter(replays=False, since_ns=1, until_ns=30 * HOUR_NS + 5),
    Filter(replays=False, since_ns=1, until_ns=2 * HOUR_NS),
    Filter(kinds=("llm",)),
    Filter(since_ns=1, until_ns=30 * HOUR_NS + 5),
    Filter(statuses=("error", "ok")),
)
PICK = st.sampled_from([None, "x", "y"])
RECORDS = st.lists(
    st.builds(
        dict,
        trace_id=st.sampled_from(["t1", "t2", "t3"]),
        span_id=st.sampled_from(["1", "2", "3", "4", "5"]),
        parent_id=st.sampled_from([None, "1"]),
        kind=st.sampled_from(["llm", "tool"]),
        status=st.sampled_from(STATUSES),
        start_ns=st.sampled_from([0, 1, 59 * 10**9, HOUR_NS, 30 * HOUR_NS, 30 * HOUR_NS + 5, 2**64 - 1]),
        end_ns=st.sampled_from([None, 31 * HOUR_NS]),
        input_tokens=st.sampled_from([None, 0, 3]),
        cost_usd=st.sampled_from([None, 0.0, 0.1]),
        name=st.sampled_from(["n1", "n2"]),
        attributes=st.sampled_from(
            [{}, {"inspector.emitter": "a"}, {"inspector.emitter": "b"}, {"inspector.replay.run": "r"}]
        ),
        **dict.fromkeys(("service", "model", "tool"), PICK),
    ),
    max_size=20,
)


@pytest.mark.slow
@given(
    records=RECORDS,
    size=st.integers(1, 6),
    every=st.integers(1, 3),
    deleted=st.sampled_from([None, "t1", "t2"]),
    by=st.sampled_from(["kind", "model", "tool", "service", "status", "name"]),
    where=st.sampled_from(WHERE),
    buckets=st.sampled_from([0, 5]),
)
def test_what_is_kept_says_what_the_calls_say(tmp_path_factory, records, size, every, deleted, by, where, buckets):
    path = tmp_path_factory.mktemp("figures") / "inspector.db"
    with closing(SqliteStore(path, limits=KEPT)) as store, closing(SqliteStore(path, read_only=True)) as exact:
        spans = [Span(**fields) for fields in records]
        for at, start in enumerate(range(0, len(spans), size)):
            store.write(spans[start : start + size])
            if at % every == 0:
                store.maintain()
        if deleted is not None:
            store.delete("trace", deleted)
        for _ in range(2):
            one, other = store.stats(where, by=by, buckets=buckets), exact.stats(where, by=by)
            assert not one.buckets or sum(each.count for each in one.buckets) == one.total.count
            assert fields_of(one.total, NAMES) == fields_of(other.total, NAMES)
            assert {group.key: fields_of(group, NAMES) for group in one.groups} == {
                group.key: fields_of(group, NAMES) for group in other.groups
            }
            store.maintain()
        for trace_id in ("t1", "t2", "t3"):
            store.delete("trace", trace_id)
        with store._read() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM figures").scalar() == 0


def test_calls_without_a_server_are_taken_back_from_groups_that_schema_0022_wrote(open_store, path, make_span):
    store = open_store(path, limits=KEPT)
    served = {"inspector.tool.server": "bank"}
    store.write([make_span(kind="tool", tool="pay", service="shop", attributes=each) for each in ({}, {}, served)])
    store.maintain()
    with store._read() as connection:
        written = set(connection.exec_driver_sql("SELECT written FROM figure_groups WHERE view = 0").scalars())
    # As it was before calls had a server, then as it is with one.
    assert written == {
        '["tool","ok","shop",null,null,"pay",null]',
        '["tool","ok","shop",null,null,"pay","bank",null]',
    }


def test_quantiles_of_what_is_kept_are_within_a_hundredth(open_store, path, make_span):
    store = open_store(path, limits=KEPT)
    for at in range(400):
        store.write([make_span(start_ns=0, end_ns=int(1.03**at * 1_000))])
    store.maintain()
    found = store.stats(Filter()).total
    for share, value in ((0.5, found.p50_ms), (0.95, found.p95_ms), (0.99, found.p99_ms)):
        exact_ms = int(1.03 ** (400 * share - 1) * 1_000) / 1e6
        assert value == pytest.approx(exact_ms, rel=0.011)


def test_calls_that_took_no_time_are_counted_as_such(open_store, path, make_span):
    store = open_store(path, limits=KEPT)
    store.write([make_span(start_ns=5, end_ns=5), make_span(start_ns=5, end_ns=4), make_span(status="running")])
    store.maintain()
    assert (store.stats(Filter()).total.count, store.stats(Filter()).total.p99_ms) == (3, 0.0)


def test_slices_begin_at_whole_minutes_where_figures_are_kept(open_store, path, make_span):
    store = open_store(path, limits=KEPT)
    store.write([make_span(start_ns=at * 61 * 10**9) for at in range(60)])
    store.maintain()
    where = Filter(since_ns=7, until_ns=60 * 61 * 10**9)
    buckets = store.stats(where, buckets=5).buckets
    begins = [int(bucket.start_time_unix_nano) for bucket in buckets]
    assert begins[0] == 7
    assert [begin % (60 * 10**9) for begin in begins[1:]] == [0] * 4
    assert sum(bucket.count for bucket in buckets) == store.stats(where).total.count == 59
    narrow = store.stats(where, buckets=50).buckets
    assert (len(narrow), sum(bucket.count for bucket in narrow)) == (50, 59)


def test_calls_that_figures_do_not_know_yet_are_counted_once_wherever_they_began(open_store, path, make_span):
    store = open_store(path, limits=KEPT)
    store.write([make_span(start_ns=at * 30 * 10**9) for at in range(20)])
    store.maintain()
    store.write([make_span(start_ns=at * 30 * 10**9 + 1) for at in range(20)])
    where = Filter(since_ns=10**9, until_ns=19 * 30 * 10**9 + 5)
    assert store.stats(where).total.count == 19 + 19
    # The second slice begins at the fifth minute.
    assert [each.count for each in store.stats(where, buckets=2).buckets] == [18, 20]
    store.maintain()
    assert store.stats(where).total.count == 19 + 19


@pytest.mark.parametrize(("hours", "counts"), [(2, {"a": 24, "b": 24}), (12, {"a": 144, "b": 144})])
def test_groups_are_those_of_all_slices_however_long_the_time(open_store, path, make_span, hours, counts):
    store = open_store(path, limits=KEPT)
    calls = [make_span(start_ns=at * 300 * 10**9, name="ab"[at % 2]) for at in range(12 * hours)]
    store.write(calls)
    store.maintain()
    # Rollups do not include these yet.
    store.write([make_span(start_ns=call.start_ns, name=call.name) for call in calls])
    found = store.stats(Filter(since_ns=0, until_ns=hours * HOUR_NS), by="name", buckets=4)
    assert {group.key: group.count for group in found.groups} == counts
    assert [bucket.count for bucket in found.buckets] == [6 * hours] * 4
    assert found.total.count == 24 * hours


def test_names_that_are_never_the_same_are_not_kept_and_counted_all_the_same(open_store, path, make_span):
    store = open_store(path, limits=KEPT)
    store.write([make_span(name=f"work {at}", tool="pay") for at in range(5_100)])
    store.maintain()
    with store._read() as connection:
        views = connection.exec_driver_sql("SELECT DISTINCT view FROM figures").scalars().all()
    assert views == [0]
    assert store.stats(Filter(name="work 7")).total.count == 1
    assert {group.count for group in store.stats(Filter(), by="name").groups} == {1}
    store.write([make_span(name="one more", tool="pay")])
    store.maintain()
    assert store.stats(Filter(), by="tool").groups[0].count == 5_101
