import pytest
from hypothesis import given
from hypothesis import strategies as st
from lists import walk
from msgspec.structs import replace

from inspector.model import Filter
from inspector.store.values.presence import bits_of, mark_of, may_hold


def having(value, key="customer", **fields):
    return Filter(attributes=((key, value),), **fields)


def ids(events):
    return [event.span_id for event in events]


@given(st.sets(st.tuples(st.text(max_size=9), st.text(max_size=9)), max_size=60))
def test_what_a_filter_was_made_of_it_may_hold(found):
    marks = {mark_of(each[0], each[1].encode()) for each in found}
    bits = bits_of(marks)
    assert all(may_hold(bits, mark) for mark in marks)


def test_few_of_what_it_was_not_made_of_are_taken_for_there():
    bits = bits_of({mark_of("key", b"%d" % at) for at in range(1_000)})
    assert sum(may_hold(bits, mark_of("key", b"%d" % at)) for at in range(1_000, 11_000)) < 100
    assert not may_hold(bits_of(()), mark_of("key", b"0"))


def test_spans_are_found_by_attributes_in_any_order_whether_or_not_their_page_has_a_filter(store, make_span):
    spans = [make_span(attributes={"customer": f"c{at % 100}", "n": at}, cost_usd=at % 7 / 4) for at in range(1_000)]
    store.write(spans[:700])
    store.maintain()
    store.write(spans[700:])
    for _ in range(2):
        for value, expected in (("c7", 10), ("c99", 10), ("nobody", 0)):
            for sort in ("time", "cost", "tokens"):
                assert len(walk(store.events, having(value), sort=sort, limit=3)) == expected
        assert ids(store.events(having("512", "n")).items) == [spans[512].span_id]
        assert ids(store.events(having("c7", min_cost_usd=1.5)).items) == [
            span.span_id for span in reversed(spans) if span.attributes["customer"] == "c7" and span.cost_usd == 1.5
        ]
        store.maintain()
    with store._read() as connection:
        pages = connection.exec_driver_sql("SELECT count(*) FROM attribute_pages WHERE bits IS NOT NULL").scalar()
    assert pages == 1_000 // 256


def test_an_attribute_that_comes_with_the_end_of_a_span_is_found(store, make_span):
    first = make_span(status="running", attributes={"customer": "early"})
    store.write([first, *(make_span() for _ in range(600))])
    store.maintain()
    store.write([replace(first, status="ok", end_ns=first.start_ns + 1, attributes={"customer": "late"})])
    for _ in range(2):
        assert ids(store.events(having("late")).items) == [first.span_id]
        assert store.events(having("early")).items == ()
        store.maintain()


@pytest.mark.parametrize(
    "value", ["", "ü" * 100, 'a "b" \\ c', "x" * 256, "x" * 257, "x" * 5_000, "1", "true", "[1,2]"]
)
def test_values_of_every_form_are_found(store, make_span, value):
    known = {"1": 1, "true": True, "[1,2]": [1, 2]}
    wanted = make_span(attributes={"key": known.get(value, value), "same": "s" * 100, "other": "s" * 100})
    store.write([wanted, *(make_span(attributes={"key": "else"}) for _ in range(600))])
    store.maintain()
    assert ids(store.events(having(value, "key")).items) == [wanted.span_id]
    assert ids(store.events(having("s" * 100, "other")).items) == [wanted.span_id]


@pytest.mark.slow
def test_the_latest_of_many_are_on_the_first_page_though_they_came_first(open_store, path, make_span):
    store = open_store(path)
    early = make_span(attributes={"customer": "c"}, start_ns=10**18)
    store.write([early])
    for _ in range(260):
        store.write([make_span(attributes={"customer": "c"}, start_ns=5), *(make_span(start_ns=4) for _ in range(255))])
    store.maintain()
    page = store.events(having("c"), limit=20)
    assert page.items[0].span_id == early.span_id
    assert len(walk(store.events, having("c"), limit=200)) == 261
