import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model import Filter, Span
from inspector.store import SqliteStore

INPUT, PROMPT = "gen_ai.input.messages", "mcp.llm.prompt_json"
DEFINITIONS = "gen_ai.tool.definitions"


def message(text):
    return {"role": "user", "content": f"{text} " + "filling " * 40}


def prompt_of(event, key=INPUT):
    return json.loads(json.loads(bytes(event.attributes))[key])


def test_a_conversation_that_resends_its_history_costs_its_new_text(store, make_span, rows_of):
    history, given_bytes = [], 0
    for turn in range(40):
        history = [*history, message(f"question {turn}"), message(f"answer {turn}")]
        text = json.dumps(history)
        given_bytes += len(text)
        store.write([make_span(kind="llm", session_id="s", input_key=INPUT, attributes={INPUT: text, PROMPT: text})])
    assert rows_of("SELECT count(*) FROM contents") == [(80,)]
    kept_bytes = rows_of("SELECT sum(length(body)) FROM contents")[0][0]
    kept_bytes += rows_of("SELECT sum(length(attributes) + length(coalesce(shared, ''))) FROM spans")[0][0]
    assert kept_bytes * 10 < given_bytes
    newest = store.events(Filter(), limit=1, full=True).items[0]
    assert json.loads(bytes(newest.input)) == prompt_of(newest) == prompt_of(newest, PROMPT) == history


def test_a_store_that_was_opened_again_still_knows_what_was_said(open_store, path, make_span, rows_of):
    history, spans = [], []
    for turn in range(6):
        history = [*history, message(f"turn {turn}"), message(f"answer {turn}")]
        spans.append(make_span(session_id="s", attributes={INPUT: json.dumps(history)}))
        store = open_store(path)
        store.write(spans)
        store.close()
    assert rows_of("SELECT count(*) FROM contents") == [(12,)]
    assert rows_of("SELECT max(seq) FROM spans") == [(6,)]


def test_an_old_span_that_is_written_again_changes_nothing(store, make_span):
    spans = [
        make_span(session_id="s", attributes={INPUT: json.dumps([message(f"{at}"), message("x")])}) for at in range(30)
    ]
    for span in spans:
        store.write([span])
    store._conversations.forget()
    store.write(spans)
    assert store.last_seq() == 30


def test_a_conversation_beyond_what_is_remembered_comes_back_whole(store, make_span):
    others = [message("of another session")]
    history = [message(f"turn {turn}") for turn in range(4200)]
    for turn in range(3):
        # More messages of a session, and then more sessions, than are remembered.
        store.write([make_span(session_id=f"{turn}-{at}", attributes={INPUT: json.dumps(others)}) for at in range(600)])
        history = [*history, message(f"one more {turn}")]
        for session_id in ("s1", "s2"):
            store.write([make_span(session_id=session_id, attributes={INPUT: json.dumps(history)})])
    for event in store.events(Filter(), limit=2, full=True).items:
        assert prompt_of(event) == history


def test_messages_of_a_batch_that_failed_are_not_taken_for_stored(store, make_span):
    text = json.dumps([message("one"), message("two")])
    span = make_span(span_id="1" * 16, session_id="s", attributes={INPUT: text})
    with pytest.raises(TypeError):
        store.write([span, make_span(start_ns=0, end_ns="never")])
    store.write([span])
    assert prompt_of(store.event("1" * 16)) == json.loads(text)


def test_messages_are_shared_within_a_session_and_never_beyond(store, make_span, rows_of):
    text = json.dumps([message("one"), message("two"), message("three")])
    for session_id, trace_id in (("s1", "t1"), ("s1", "t2"), ("s2", "t3"), (None, "t4"), (None, "t5")):
        store.write([make_span(session_id=session_id, trace_id=trace_id, attributes={INPUT: text})])
    assert rows_of("SELECT count(*) FROM contents") == [(3 * 4,)]


def test_equal_texts_within_a_span_are_kept_once(store, make_span, rows_of):
    arguments = json.dumps({"text": "word " * 100})
    given = {"gen_ai.tool.call.arguments": arguments, "other": 1, "mcp.tool.input_json": arguments}
    store.write([make_span(span_id="1" * 16, input_key="mcp.tool.input_json", attributes=given)])
    event = store.event("1" * 16)
    assert json.loads(bytes(event.attributes)) == given
    assert json.loads(bytes(event.input)) == json.loads(arguments)
    assert rows_of("SELECT length(attributes) FROM spans")[0][0] < 2 * len(arguments)


def test_large_attributes_are_compressed_at_rest(store, make_span, rows_of):
    store.write([make_span(span_id="1" * 16, attributes={"log": "the same line again\n" * 5000})])
    assert rows_of("SELECT length(attributes) FROM spans")[0][0] < 10_000
    assert json.loads(bytes(store.event("1" * 16).attributes)) == {"log": "the same line again\n" * 5000}


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1," * 900,
        '[{"a": NaN}, "' + "x" * 1200 + '"]',
        '["' + "\\ud800" * 300 + '"]',
        '{"not": "an array", "x": "' + "x" * 1200 + '"}',
        "[" * 1500 + "]" * 1500,
        '["' + "\x01" * 1200 + '"]',
        " " * 1200,
    ],
    ids=["cut", "nan", "surrogates", "object", "deep", "control", "blank"],
)
def test_a_prompt_that_is_no_json_array_comes_back_as_it_was(store, make_span, text):
    store.write([make_span(span_id="1" * 16, input_key=INPUT, attributes={INPUT: text})])
    event = store.event("1" * 16)
    assert json.loads(bytes(event.attributes)) == {INPUT: text}
    json.loads(bytes(event.input))


MESSAGES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(prompts=st.lists(st.lists(MESSAGES, max_size=5), min_size=1, max_size=4), indent=st.sampled_from([None, 1]))
def test_every_array_of_messages_comes_back_equal(tmp_path_factory, empty_database, prompts, indent):
    store = SqliteStore(empty_database(tmp_path_factory.mktemp("arrays") / "inspector.db"))
    texts = [json.dumps([*messages, "x" * 1100], indent=indent, ensure_ascii=bool(indent)) for messages in prompts]
    for at, text in enumerate(texts):
        span = Span(
            trace_id="t",
            span_id=str(at),
            name="n",
            kind="llm",
            status="ok",
            start_ns=1,
            end_ns=2,
            input_key=INPUT,
            attributes={"before": 1, INPUT: text, "after": [text]},
        )
        store.write([span])
    for at, text in enumerate(texts):
        event = store.event(str(at))
        served = json.loads(bytes(event.attributes))
        assert json.loads(served[INPUT]) == json.loads(text) == json.loads(bytes(event.input))
        assert (served["before"], served["after"]) == (1, [text])
    store.close()


TOOLS = json.dumps([{"type": "function", "name": f"tool-{at}", "description": "looks it up " * 20} for at in range(8)])


def test_the_tools_of_an_agent_are_stored_once_a_session_and_come_back_with_each_call(store, make_span, rows_of):
    for session_id in ("s1", "s2"):
        calls = [make_span(kind="llm", session_id=session_id, attributes={DEFINITIONS: TOOLS}) for _ in range(5)]
        store.write(calls[:3])
        store.write(calls[3:])
    assert rows_of("SELECT count(*) FROM contents") == [(16,)]
    events = store.events(Filter(), full=True).items
    assert [json.loads(json.loads(bytes(event.attributes))[DEFINITIONS]) for event in events] == [
        json.loads(TOOLS)
    ] * 10


def test_a_long_prompt_that_is_no_array_stays_with_its_span(store, make_span, rows_of):
    given = {INPUT: "[" + "no array " * 200, PROMPT: '{"goal": "' + "x" * 2000 + '"}'}
    store.write([make_span(attributes=given)])
    assert rows_of("SELECT count(*) FROM contents") == [(0,)]
    assert rows_of("SELECT shared FROM spans") == [(None,)]
    assert json.loads(bytes(store.events(Filter(), full=True).items[0].attributes)) == given


def object_of(messages):
    return json.dumps({"model": "m", "messages": messages, "tools": json.loads(TOOLS)})


def nested(messages):
    return json.dumps({"kwargs": {"input": json.dumps({"messages": [messages]})}})


def spaced(messages):
    return json.dumps([messages], indent=1)


@pytest.mark.parametrize("shape", [object_of, nested, spaced])
@pytest.mark.parametrize("key", [PROMPT, "input.value"])
def test_a_conversation_of_any_shape_costs_its_new_text(store, make_span, rows_of, shape, key):
    history, sizes, texts = [], [], []
    for turn in range(60):
        history = [*history, message(f"question {turn}"), message(f"answer {turn}")]
        texts.append(shape(history))
        store.write([make_span(kind="llm", session_id="s", input_key=key, attributes={key: texts[-1]})])
        sizes.append(rows_of("SELECT length(attributes) + length(coalesce(shared, '')) FROM spans ORDER BY id")[-1][0])
    assert rows_of("SELECT count(*) FROM contents")[0][0] in (120, 128)
    # A span's own row does not grow with what was said before it.
    assert sizes[-1] - sizes[10] < 50
    events = store.events(Filter(), limit=100, full=True).items
    assert [json.loads(bytes(event.attributes))[key] for event in events] == texts[::-1]
    assert [bytes(event.input).decode() for event in events] == texts[::-1]


def test_a_row_of_an_earlier_version_reads_and_goes_as_it_was(store, make_span, rows_of, path):
    history = [message("zebra"), message("zebra"), message("two")]
    given = {INPUT: json.dumps(history), "x": 1}
    store.write([make_span(span_id="1" * 16, trace_id="a" * 32, input_key=INPUT, attributes=given)])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE spans SET shared = ?", (json.dumps({INPUT: [1, 1, 2]}),))
    while store.index():
        pass
    assert [event.span_id for event in store.events(Filter(q="zebra")).items] == ["1" * 16]
    event = store.event("1" * 16)
    assert json.loads(json.loads(bytes(event.attributes))[INPUT]) == json.loads(bytes(event.input)) == history
    store.delete_trace("a" * 32)
    assert rows_of("SELECT count(*) FROM contents") == [(0,)]
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    assert rows_of("SELECT count(*) FROM search WHERE search MATCH 'zebra'") == [(0,)]
