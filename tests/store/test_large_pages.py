from lists import pages

from inspector.model import Filter
from inspector.store import ReadLimits

LARGE = 1000


def large_spans(make_span, count):
    return [
        make_span(trace_id=f"t{at}", input_key="k", attributes={"k": f'"{at:04d}{"x" * LARGE}"'}) for at in range(count)
    ]


def test_a_full_page_ends_once_it_is_large_and_the_next_one_goes_on(open_store, path, make_span):
    store = open_store(path, limits=ReadLimits(full_bytes=5 * LARGE))
    store.write(large_spans(make_span, 10))
    for sort in ("time", "duration", "cost", "tokens"):
        found = [page.items for page in pages(store.events, Filter(), sort=sort, full=True)]
        assert [event.trace_id for items in found for event in items] == [f"t{at}" for at in reversed(range(10))]
        # Each is counted twice, as its input and as the attribute that this is.
        assert [len(items) for items in found] == [2, 2, 2, 2, 2]


def test_a_full_page_has_at_least_one_event(open_store, path, make_span):
    store = open_store(path, limits=ReadLimits(full_bytes=1))
    store.write(large_spans(make_span, 3))
    page = store.events(Filter(), order="asc", full=True)
    assert [event.trace_id for event in page.items] == ["t0"]
    rest = store.events(Filter(), order="asc", full=True, cursor=page.next_cursor)
    assert [event.trace_id for event in rest.items] == ["t1"]


def test_a_full_page_of_a_walk_ends_early_as_well(open_store, path, make_span):
    store = open_store(path, limits=ReadLimits(full_bytes=1))
    spans = large_spans(make_span, 4)
    store.write([*spans, make_span(service="other")])
    where = Filter(attributes=(("k", spans[1].attributes["k"]),))
    assert [event.trace_id for event in store.events(where, full=True).items] == ["t1"]


def test_what_is_not_full_is_not_cut(open_store, path, make_span):
    store = open_store(path, limits=ReadLimits(full_bytes=1))
    store.write(large_spans(make_span, 10))
    assert len(store.events(Filter()).items) == 10
    assert len(store.after(0, Filter())) == 10


def test_changes_in_full_come_in_batches_that_are_not_large(open_store, path, make_span):
    store = open_store(path, limits=ReadLimits(full_bytes=5 * LARGE))
    store.write(large_spans(make_span, 5))
    found, seq, batches = [], 0, 0
    while batch := store.after(seq, Filter(), full=True):
        found += [event.trace_id for event in batch]
        seq, batches = batch[-1].seq, batches + 1
    assert found == [f"t{at}" for at in range(5)]
    assert batches == 3
