from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from inspector.model import Filter
from inspector.store.sqlite.salvage import salvaged
from inspector.store.values.codes import DIALECTS, HOOKS, KEYS
from inspector.store.values.identity import identity_text

CODES = {"hook": HOOKS, "dialect": DIALECTS, "input_key": KEYS, "output_key": KEYS}


def test_codes_mean_what_they_meant_when_databases_were_written():
    written = {HOOKS: (10, 0x2FC053FC), DIALECTS: (23, 0xD84CB43C), KEYS: (44, 0x91701680)}
    for codes, (count, checksum) in written.items():
        assert crc32(" ".join(codes.names[:count]).encode()) == checksum
        assert len(set(codes.names)) == len(codes.names) == len({codes.of(name) for name in codes.names})


@given(st.none() | st.text() | st.sampled_from(KEYS.names) | st.text("\x00\x01\x1f\x7f\x80\x9f a", max_size=4))
def test_every_name_comes_back(name):
    assert KEYS.name(KEYS.of(name)) == name


@pytest.fixture
def span(make_span):
    return make_span(
        kind="tool",
        hook="tool_call",
        dialect="inspector/1",
        tool="lookup",
        input_key="gen_ai.tool.call.arguments",
        output_key="gen_ai.tool.call.result",
        attributes={"gen_ai.tool.call.arguments": '{"city": "Rome"}', "gen_ai.tool.call.result": '"warm"'},
        session_id="s",
    )


def told(store):
    asked = [{}, {"hook": "tool_call"}, {"q": "rome"}, {"arguments": (("city", "Rome"),)}]
    (event,) = store.events(Filter()).items
    (run,) = store.runs(Filter()).items
    return (
        [store.events(Filter(**each), full=True) for each in asked],
        store.hits("warm", trace_id=event.trace_id, limit=5),
        store.previews(run.run_id, [event.span_id]),
        [each.span for each in store.stored([event.trace_id])],
    )


def write_as_of_schema_0021(store, span):
    store.write([span])
    names = {name: getattr(span, name) for name in CODES}
    with store._write() as connection:
        assert connection.exec_driver_sql("SELECT hook FROM spans").scalar_one() == HOOKS.of("tool_call") != "tool_call"
        connection.exec_driver_sql(
            f"UPDATE spans SET {', '.join(f'{name} = ?' for name in names)}, identity = ?",
            (*names.values(), identity_text(span)),
        )


def test_a_row_with_names_in_full_is_read_and_found_like_one_with_codes(tmp_path, open_store, span):
    new, old = open_store(tmp_path / "new.db"), open_store(tmp_path / "old.db")
    new.write([span])
    write_as_of_schema_0021(old, span)
    for store in (new, old):
        while store.index():
            pass
    assert told(new) == told(old)
    pages, hits, previews, spans = told(new)
    assert all(page.items for page in pages)
    assert (hits.total, previews[0].output, spans) == (1, "warm", [structs.replace(span, events=[], links=[])])
    last = old.last_seq()
    old.write([span])
    assert old.last_seq() == last


def test_rows_of_both_forms_are_salvaged(tmp_path, open_store, span):
    store = open_store(tmp_path / "old.db")
    write_as_of_schema_0021(store, span)
    store.write([structs.replace(span, span_id="b" * 16, trace_id="b" * 32)])
    with salvaged(tmp_path / "old.db") as found:
        assert (found.spans, found.lost) == (2, 0)
        assert [event.hook for event in found.store.events(Filter()).items] == ["tool_call"] * 2


def test_questions_and_answers_are_read_alike_whether_they_are_compressed_or_not(store, make_span):
    question = "Which of the trains that leave Oslo in the evening has a place for a bicycle and for a dog? " * 2
    given = {"input_key": "question", "output_key": "answer", "attributes": {"question": question, "answer": question}}
    store.write([make_span(kind="agent", session_id="s", **given)])
    (run,), (trace,) = store.runs(Filter()).items, store.traces(Filter()).items
    assert {run.question, run.answer, trace.question, trace.answer} == {question.strip()}
    with store._write() as connection:
        for table in ("runs", "traces"):
            kept = connection.exec_driver_sql(f"SELECT question, answer FROM {table}").one()
            assert all(isinstance(text, bytes) and len(text) < len(question) / 2 for text in kept)
            connection.exec_driver_sql(f"UPDATE {table} SET question = ?, answer = ?", (question.strip(),) * 2)
    assert (store.runs(Filter()).items, store.traces(Filter()).items) == ((run,), (trace,))
    store.write([make_span(kind="workflow", session_id="s")])
    assert store.runs(Filter()).items[0].question == question.strip()
