import pytest
from hypothesis import given
from hypothesis import strategies as st
from lists import walk
from msgspec.structs import replace

from inspector.model import Filter
from inspector.store import ReadLimits

MANY = ReadLimits(few_matches=0)
"""As if every search had many matches."""


def ids(events):
    return [event.span_id for event in events]


def test_spans_that_began_late_and_came_early_are_on_the_first_page_of_a_search(open_store, path, make_span):
    store = open_store(path, limits=MANY)
    early = [make_span(name="word", start_ns=10**18 + at) for at in range(5)]
    store.write(early)
    store.write([make_span(name="word", start_ns=at) for at in range(900)])
    store.maintain()
    found = store.events(Filter(q="word"), limit=50)
    assert ids(found.items[:5]) == [span.span_id for span in reversed(early)]
    assert found.next_cursor is not None
    assert len(ids(walk(store.events, Filter(q="word"), limit=100))) == 905


@pytest.mark.parametrize("kept", [3, 60, 3_000])
def test_a_search_whose_latest_matches_meet_no_filter_is_walked(open_store, path, make_span, kept):
    store = open_store(path, limits=MANY)
    store.write([make_span(name="word", kind="tool") for _ in range(kept)])
    store.write([make_span(name="word", kind="other") for _ in range(500)])
    store.maintain()
    found = ids(walk(store.events, Filter(q="word", kinds=("tool",)), limit=50))
    assert len(found) == len(set(found)) == kept


lengths = st.lists(st.sampled_from([None, 0, 1, 1, 2, 5, 9]), max_size=40)


@given(found=lengths, limit=st.integers(1, 7), order=st.sampled_from(["asc", "desc"]))
def test_sorting_along_an_index_pages_without_gaps(tmp_path_factory, make_span, found, limit, order):
    from inspector.store.sqlite import SqliteStore

    store = SqliteStore(tmp_path_factory.mktemp("sorts") / "inspector.db")
    spans = [
        make_span(start_ns=0, end_ns=None if ms is None else ms * 10**6, status="running" if ms is None else "ok")
        for ms in found
    ]
    store.write(spans)
    for where in (Filter(), Filter(statuses=("ok",))):
        listed = walk(store.events, where, sort="duration", order=order, limit=limit)
        lasted = [event.duration_ms for event in listed if event.duration_ms is not None]
        assert lasted == sorted(lasted, reverse=order == "desc")
        assert len(listed) == len(set(ids(listed)))
        assert len(listed) == len([span for span in spans if not where.statuses or span.status == "ok"])
    store.close()


@pytest.mark.parametrize("failed", [1_900, 2_100])
def test_what_failed_is_sorted_along_an_index_however_much_of_it_there_is(store, make_span, failed):
    spans = [make_span(start_ns=0, end_ns=(at * 7919 % 4000) * 10**6) for at in range(3_000)]
    spans = [replace(span, status="error") if at % 3 and at < failed * 1.5 else span for at, span in enumerate(spans)]
    spans += [make_span(start_ns=0, end_ns=None, status="lost") for _ in range(200)]
    store.write(spans)
    for statuses, order in (("error",), "desc"), (("error", "lost"), "asc"):
        expected = [span for span in spans if span.status in statuses]
        listed = walk(store.events, Filter(statuses=statuses), sort="duration", order=order, limit=700)
        lasted = [event.duration_ms for event in listed if event.duration_ms is not None]
        assert lasted == sorted(lasted, reverse=order == "desc")
        assert sorted(ids(listed)) == sorted(span.span_id for span in expected)
