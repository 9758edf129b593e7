"""Phrases, which SQLite's index has no positions for."""

import json
import random
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENT

from inspector.model import Filter, Span
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.search.fulltext import INDEXED_COLUMNS, Indexed, documents
from inspector.store.sqlite.search.phrases import found_by_index, matching, query_of
from inspector.store.values.terms import expression

WORDS = (
    *("red", "Red", "réd", "re\u0301d", "RED", "blue", "4711", "x", "über", "foo"),
    # Of the last two, the one is no letter, and the other one SQLite does not know yet.
    *("日本", "İ", "ß", "½", "ﬁn", "a\u0301b", "\U0001f600", "\U0001e900"),
)
GAPS = (" ", "-", "_", ".", "\n", "/", ", ", " \0 ", "\u200b", "*", "'")
MANY = 120
WALKED = replace(PATIENT, few_matches=0, listed_spans=0, span_steps=(50,), sorted_steps=(70,), trace_steps=(20,))


def joined(rng, count):
    return "".join(rng.choice(WORDS) + rng.choice(GAPS) for _ in range(count))


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """Stores of the same spans with and without ways by an index, and what is indexed of each span."""

    path = tmp_path_factory.mktemp("phrases") / "inspector.db"
    rng = random.Random(32)
    with closing(SqliteStore(path, limits=PATIENT)) as store:
        for at in range(MANY):
            span = Span(
                trace_id=f"{at // 3:032x}",
                span_id=f"{at:016x}",
                name=joined(rng, 2),
                tool=joined(rng, 2),
                kind="tool",
                status="ok",
                start_ns=1 + at * 7 % MANY,
                end_ns=1000,
                attributes={"gen_ai.tool.call.arguments": json.dumps({"a": joined(rng, 4), "b": [joined(rng, 3)]})},
            )
            store.write([span])
        store.maintain()
        with store._write() as connection:
            rows = connection.exec_driver_sql(f"SELECT {INDEXED_COLUMNS} FROM spans")
            texts = documents(connection, [Indexed._make(row) for row in rows])
        with closing(SqliteStore(path, read_only=True, limits=WALKED)) as walked:
            yield store, walked, texts


def phrases():
    words = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), min_size=1, max_size=3)
    text = words.map(lambda parts: "".join(word + gap for word, gap in parts))
    quoted = text.map(lambda phrase: f'"{phrase}"')
    bare = text.map(lambda phrase: phrase.strip("*").replace(" ", "-"))
    return st.lists(st.one_of(quoted, bare, bare.map(lambda term: term + "*")), min_size=1, max_size=2).map(" ".join)


@pytest.mark.slow
@given(q=phrases())
def test_a_phrase_is_found_as_by_an_index_that_knows_where_each_word_is(shelf, q):
    store, walked, texts = shelf
    match = expression(q)
    rows = found_by_index(texts, match) if match else set()
    span_ids = sorted(f"{row - 1:016x}" for row in rows)
    trace_ids = {f"{(row - 1) // 3:032x}" for row in rows}
    for each in (store, walked):
        where = Filter(q=q)
        for options in ({}, {"order": "asc"}, {"sort": "duration"}):
            found = each.events(where, limit=MANY, **options).items if match else ()
            assert sorted(event.span_id for event in found) == span_ids
        if not match:
            continue
        assert [event.seq for event in each.after(0, where)] == sorted(rows)
        assert [event.seq for event in each.after(0, where, full=True, limit=2)] == sorted(rows)[:2]
        assert {trace.trace_id for trace in each.traces(where, limit=MANY).items} == trace_ids
        assert len(each.runs(where, limit=MANY).items) == len(trace_ids)
        assert each.stats(where).total.count == len(rows)
        assert each.stats(where, of="traces").total.count == len(trace_ids)
        hits = each.hits(q, trace_id=f"{0:032x}", attributes=False)
        assert {hit.span_id for hit in hits.items} == {f"{row - 1:016x}" for row in rows if row <= 3}


SIMPLE = st.text(alphabet="aAb1 -_.\n\0*'", max_size=30)


@given(texts=st.lists(SIMPLE, max_size=20), q=st.lists(SIMPLE.map(lambda text: f'"{text}"') | SIMPLE).map(" ".join))
def test_a_phrase_is_found_in_texts_of_ascii_as_by_an_index(shelf, texts, q):
    with shelf[0]._read() as connection:
        query = query_of(connection, q)
    if query is None or query.phrases is None:
        return
    # Of a document, a null is stored as a space.
    documents = [(at, text.replace("\0", " ")) for at, text in enumerate((*texts, q, q.upper(), f"{q}1"))]
    candidates = found_by_index(documents, query.match)
    found = matching([document for document in documents if document[0] in candidates], query.phrases)
    assert found == found_by_index(documents, query.phrases.match)


def of_phrases(make_span, count):
    """Spans with the same words, few of them in an order that is searched for."""
    for at in range(count):
        yield make_span(name="one two" if at % 50 == 0 else "two one", trace_id=f"{at:032x}")


def everything(read, **options):
    """All pages, and how many."""
    cursor, found, pages = None, [], 0
    while cursor or not pages:
        page = read(cursor=cursor, **options)
        found += page.items
        cursor, pages = page.next_cursor, pages + 1
    return found, pages


@pytest.mark.slow
def test_a_page_whose_time_is_over_goes_on_at_the_next_one_and_none_is_missed(store, make_span, open_store, path):
    store.write(list(of_phrases(make_span, 60)))
    store.maintain()
    for limits in (replace(PATIENT, few_matches=0, walk_s=0), replace(PATIENT, phrase_s=0, walk_s=0)):
        hasty = open_store(path, read_only=True, limits=limits)
        for read in (hasty.events, hasty.traces, hasty.runs):
            found, pages = everything(read, where=Filter(q='"one two"'), limit=50)
            assert (len(found), pages > 3) == (2, True)


def test_what_of_a_phrase_could_not_be_read_in_time_is_said(store, make_span, open_store, path):
    store.write([*of_phrases(make_span, 100), *(make_span(name="one two", trace_id="t") for _ in range(100))])
    store.maintain()
    hasty = open_store(path, read_only=True, limits=replace(PATIENT, few_matches=0, walk_s=0, scan_s=0))
    stats = hasty.stats(Filter(q='"one two"'))
    assert (stats.complete, 0 < stats.total.count < 102) == (False, True)
    assert hasty.stats(Filter(q="one two")).total.count == 200
    for attributes in (True, False):
        hits = hasty.hits('"one two"', trace_id="t", attributes=attributes)
        assert (hits.complete, 0 < hits.total < 100) == (False, True)
    assert store.stats(Filter(q='"one two"')).total.count == 102


def test_a_text_is_read_only_for_terms_of_several_words(store, make_span, path):
    store.write([make_span(name="read_file one")])
    store.maintain()
    with store._write() as connection:
        connection.exec_driver_sql("UPDATE spans SET name = 'another text'")
    assert len(store.events(Filter(q="file read one")).items) == len(store.events(Filter(q="fi* über*")).items) + 1 == 1
    assert store.events(Filter(q="read_file")).items == ()
