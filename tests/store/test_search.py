import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from inspector.model import Filter, Span, SpanError
from inspector.store import ReadLimits
from inspector.store.sqlite import SqliteStore

INPUT = "gen_ai.input.messages"


def indexed(store):
    while store.index(7):
        pass
    return store


def found(store, q, **fields):
    return [event.name for event in store.events(Filter(q=q, **fields), order="asc").items]


def check(rows_of):
    rows_of("INSERT INTO search (search) VALUES ('integrity-check')")


def test_text_is_found_in_prompt_answer_arguments_result_error_and_names(store, make_span):
    prompt = json.dumps([{"role": "user", "content": "where is the gr\u00fcne Katze"}])
    store.write(
        [
            make_span(name="prompt", attributes={INPUT: prompt}),
            make_span(name="answer", attributes={"gen_ai.output.messages": '[{"content": "under the\\nbed"}]'}),
            make_span(name="arguments", attributes={"gen_ai.tool.call.arguments": '{"place": "cellar", "floor": 17}'}),
            make_span(name="result", output_key="custom", attributes={"custom": "plain attic"}),
            make_span(name="seed", attributes={"mcp.tool.output_json": '["garage"]'}),
            make_span(name="error", error=SpanError("LookupError", "nobody home")),
            make_span(name="named thing", tool="finder", agent="scout"),
            make_span(name="hidden", attributes={"color": "purple"}),
        ]
    )
    indexed(store)
    assert found(store, "katze") == found(store, "GRUNE") == found(store, '"the grüne"') == ["prompt"]
    assert found(store, "bed") == ["answer"]
    assert found(store, "cellar 17") == ["arguments"]
    assert found(store, "attic") == ["result"]
    assert found(store, "garage") == ["seed"]
    assert found(store, "lookuperror nobody") == ["error"]
    assert found(store, "finder") == found(store, "scout") == found(store, "named") == ["named thing"]
    assert found(store, "purple") == found(store, "place") == []


def test_words_are_joined_by_and_phrases_keep_their_order_and_stars_end_prefixes(store, make_span):
    store.write([make_span(name="one two three"), make_span(name="two one"), make_span(name="onward")])
    indexed(store)
    assert found(store, "two one") == ["one two three", "two one"]
    assert found(store, '"one two"') == ["one two three"]
    assert found(store, "on*") == ["one two three", "two one", "onward"]
    assert found(store, '"one tw"*') == []
    assert found(store, '"two one') == found(store, 'two one"') == ["one two three", "two one"]
    assert found(store, "two -one") == ["one two three", "two one"]
    assert found(store, "one OR onward") == []
    assert found(store, "   ") == ["one two three", "two one", "onward"]


def test_what_of_a_query_is_not_understood_is_said_with_how_it_was_read(store, make_span):
    store.write([make_span(name="one two")])
    indexed(store)
    for q, words in {
        '"one two': "quotation mark without its pair",
        "***": "no word",
        "one OR two": "OR was searched for as a word",
        "one -two": "-two was searched for as two",
        "o*ne": "a star means any ending at the end",
        "one " * 33: "only the first 32 words",
    }.items():
        for answer in (store.events(Filter(q=q)), store.traces(Filter(q=q)), store.runs(Filter(q=q))):
            assert words in answer.notice
        assert words in store.stats(Filter(q=q)).notice
    for q in (None, "  ", "one two", '"one two"', "on*", "a-b 12:30"):
        assert store.events(Filter(q=q)).notice is UNSET


ODD = [
    *('"', '""', '"""', "'", "*", "**", "a*b", "^a", "a:b", "name:a", "(", ")", "{a b}", "[", "-", "--", "-a", "+a"),
    *("a+b", "NEAR(a b)", "NEAR", "AND", "OR", "NOT", "a AND", "a NOT b", ";", "\\", "%", "_", "\0", "a\0b", "\ud800"),
    *(
        "²",
        "½",
        "日本",
        "𐌰",
        "é",
        "e\u0301",
        "\u200b",
        "x" * 60_000,
        "a " * 30_000,
        '"' * 60_000,
        "( " * 5000,
        "NEAR(" * 999,
    ),
    *("*" * 60_000, '"a" ' * 9000, "\ufffe", "a\tb", "a\nb", "ª*", "١", "ß", "İ"),
]


@pytest.mark.sweep(12)
@pytest.mark.parametrize("q", ODD, ids=[repr(q)[:12] + str(at) for at, q in enumerate(ODD)])
def test_no_query_is_syntax(store, make_span, q):
    store.write([make_span(name="a b")])
    indexed(store)
    assert found(store, q) in ([], ["a b"])
    store.traces(Filter(q=q))
    store.stats(Filter(q=q))


WORDS = ["red", "green", "blue", "red blue"]


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["1", "2", "3"]),
            st.sampled_from(["running", "ok", "error"]),
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
            st.sampled_from(["write", "index", "delete t1", "delete t2"]),
        ),
        max_size=10,
    ),
)
def test_search_knows_exactly_what_is_stored(tmp_path_factory, steps):
    store = SqliteStore(tmp_path_factory.mktemp("search") / "inspector.db")
    for span_id, status, words, step in steps:
        if step == "index":
            store.index(1)
        elif step.startswith("delete"):
            store.delete("trace", step[-2:])
        else:
            prompt = json.dumps([{"text": word, "filling": "x" * 600} for word in words])
            span = Span(
                trace_id=f"t{len(words) % 2 + 1}",
                span_id=span_id,
                name=words[0],
                kind="llm",
                status=status,
                start_ns=1,
                end_ns=None if status == "running" else 2,
                session_id="s",
                attributes={INPUT: prompt},
            )
            store.write([span])
    indexed(store)
    with store._write() as connection:
        connection.exec_driver_sql("INSERT INTO search (search) VALUES ('integrity-check')")
        rows = connection.exec_driver_sql("SELECT id, span FROM contents").all()
        assert {span for _, span in rows} <= {row[0] for row in connection.exec_driver_sql("SELECT id FROM spans")}
    everything = store.events(Filter(), limit=100, full=True).items
    for word in ("red", "green", "blue"):
        hits = {(event.trace_id, event.span_id) for event in store.events(Filter(q=word), limit=100).items}
        final = [event for event in everything if event.status != "running"]
        said = {(e.trace_id, e.span_id): json.loads(bytes(e.attributes))[INPUT] for e in final}
        assert hits <= {key for key, text in said.items() if word in text}
        # The last message of a span is always its own.
        assert hits >= {key for key, text in said.items() if word in json.loads(text)[-1]["text"]}
        # Whatever anyone said is found somewhere.
        assert bool(hits) == any(word in text for text in said.values()) or any(
            e.status == "running" for e in everything
        )
    for trace_id in ("t1", "t2"):
        store.delete("trace", trace_id)
    with store._write() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM contents").scalar() == 0
        found_rows = connection.exec_driver_sql("SELECT rowid FROM search WHERE search MATCH 'red OR green OR blue'")
        assert found_rows.all() == []
    store.close()


def test_a_span_is_found_by_its_last_text_once_replaced(store, make_span):
    span = make_span(span_id="1" * 16, name="before")
    store.write([span])
    indexed(store)
    store.write([replace(span, name="afterwards")])
    assert found(store, "before") == []
    indexed(store)
    assert found(store, "afterwards") == ["afterwards"]


def test_messages_of_a_deleted_trace_stay_searchable_where_others_repeat_them(store, make_span):
    first = json.dumps([{"text": "zebra " * 200}, {"text": "one"}])
    second = json.dumps([{"text": "zebra " * 200}, {"text": "two"}])
    store.write([make_span(trace_id="t1", session_id="s", name="first", attributes={INPUT: first})])
    store.write([make_span(trace_id="t2", session_id="s", name="second", attributes={INPUT: second})])
    indexed(store)
    assert found(store, "zebra") == ["first"]
    store.delete("trace", "t1")
    assert found(store, "zebra") == ["second"]
    assert json.loads(bytes(store.events(Filter(), full=True).items[0].attributes))[INPUT] == second


@pytest.mark.parametrize("key", [INPUT, "mcp.llm.prompt_json", "input.value"])
@pytest.mark.parametrize("quoted", [False, True])
def test_the_first_question_is_found_where_it_was_asked_and_not_at_every_turn(store, make_span, key, quoted):
    history = []
    for turn, word in enumerate(("zebra", "heron", "otter", "lemur")):
        history = [*history, {"role": "user", "content": word + " filling" * 150}]
        text = json.dumps({"messages": json.dumps(history) if quoted else history, "user": "bob"})
        store.write([make_span(session_id="s", name=f"turn {turn}", input_key=key, attributes={key: text})])
        history = [*history, {"role": "assistant", "content": f"answer {turn}"}]
    indexed(store)
    assert [found(store, word) for word in ("zebra", "heron", "lemur")] == [["turn 0"], ["turn 1"], ["turn 3"]]
    assert sorted(found(store, "bob")) == [f"turn {at}" for at in range(4)]
    assert found(store, "null") == []


def test_a_call_that_is_repeated_is_found_by_its_question_too(store, make_span):
    text = json.dumps({"messages": [{"role": "user", "content": "hello " * 300}, {"role": "user", "content": "zebra"}]})
    for name in ("first", "again"):
        store.write([make_span(session_id="s", name=name, attributes={"mcp.llm.prompt_json": text})])
    indexed(store)
    assert sorted(found(store, "zebra")) == ["again", "first"]
    assert found(store, "hello") == ["first"]


def test_messages_that_their_span_no_longer_carries_are_found_where_others_repeat_them(store, make_span, rows_of):
    both = json.dumps([{"text": "zebra " * 200}, {"text": "one"}])
    start = make_span(name="first", session_id="s", status="running", attributes={INPUT: both})
    store.write([start, make_span(name="second", session_id="s", attributes={INPUT: both})])
    store.write([replace(start, status="ok", end_ns=start.start_ns, attributes={})])
    indexed(store)
    assert found(store, "zebra") == ["second"]
    store.delete("session", "s")
    assert rows_of("SELECT count(*) FROM contents") == [(0,)]


def test_how_far_search_is_behind_is_known(store, make_span):
    store.write([make_span() for _ in range(5)])
    assert store.health().search_behind == 5
    assert store.index(3) == 3
    assert store.health().search_behind == 2
    assert (store.index(3), store.index(3)) == (2, 0)


def test_rare_and_common_words_give_the_same_answer_either_way(store, make_span, open_store, path):
    store.write(
        [
            make_span(name=f"common {'rare' if at % 10 == 0 else ''}", kind="llm" if at % 2 else "tool")
            for at in range(60)
        ]
    )
    indexed(store)
    questions = [Filter(q="common"), Filter(q="rare"), Filter(q="common", kinds=("llm",)), Filter(q="rare common")]
    few = [store.events(where, limit=20).items for where in questions]
    walking = open_store(path, read_only=True, limits=ReadLimits(few_matches=3))
    assert [walking.events(where, limit=20).items for where in questions] == few
    assert len(few[1]) == 6


def test_live_listeners_may_search_too(store, make_span):
    store.write([make_span(name="wanted"), make_span(name="other")])
    indexed(store)
    assert [event.name for event in store.after(0, Filter(q="wanted"))] == ["wanted"]


def test_what_the_tools_of_an_agent_say_of_themselves_is_not_searched(store, make_span):
    tools = json.dumps([{"name": "lookup", "description": "unmistakable " * 100}])
    prompt = json.dumps([{"role": "user", "content": "where is it? " * 100}])
    store.write(
        [make_span(name=f"call {at}", attributes={"gen_ai.tool.definitions": tools, INPUT: prompt}) for at in range(3)]
    )
    indexed(store)
    assert found(store, "unmistakable") == []
    assert found(store, "where") == ["call 0", "call 1", "call 2"]


@pytest.mark.parametrize("depth", [1, 300, 900, 960, 970, 980, 990, 3000])
def test_text_is_found_however_deeply_it_lies_in_json(store, make_span, rows_of, depth):
    nested = '{"first": "shallow", "rest": ' + "[" * depth + '"sunken"' + "]" * depth + "}"
    store.write([make_span(name="it", attributes={"mcp.tool.output_json": nested})])
    indexed(store)
    assert found(store, "sunken") == found(store, "shallow sunken") == ["it"]
    check(rows_of)


def test_a_span_of_very_many_attributes_is_searched_too(store, make_span):
    store.write([make_span(name="wide", attributes={f"part_{at}_json": f'"word{at}"' for at in range(200)})])
    indexed(store)
    assert found(store, "word0 word199") == ["wide"]
