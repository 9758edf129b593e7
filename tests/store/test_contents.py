import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.model import Filter, Span
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.search.fulltext import INDEXED_COLUMNS, Indexed, documents

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
    store._cache.forget()
    store.write(spans)
    assert store.last_seq() == 30


def test_a_span_of_an_earlier_version_that_is_written_again_changes_nothing(open_store, path, make_span, rows_of):
    long_text = "x" * 600
    prompt = json.dumps([message("one"), message(long_text), message("two" * 200)])
    span = make_span(session_id="s", attributes={INPUT: prompt})
    store = open_store(path)
    store.write([span])
    store.close()
    with sqlite3.connect(path) as database:
        # Messages had another hash, which covered their session.
        database.execute("UPDATE contents SET hash = randomblob(16)")
    database.close()
    store = open_store(path)
    store.write([span])
    assert store.last_seq() == 1
    assert rows_of("SELECT count(*) FROM contents") == [(5,)]


@pytest.mark.slow
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


def test_calls_of_a_run_without_a_session_share_their_messages_whatever_their_traces(store, make_span, rows_of):
    text = json.dumps([message("one"), message("two"), message("three")])
    process = "20261122T120000-17-abcdef01"
    for trace_id, run in (("t1", "run-1"), ("t2", "run-1"), ("t3", "run-2"), ("t4", None), ("t5", None)):
        store.write([make_span(run=run, process=process, trace_id=trace_id, attributes={INPUT: text})])
        store._cache.forget()
    # Where the recorder names no run, as earlier ones did not, it is the trace.
    assert rows_of("SELECT count(*) FROM contents WHERE substr(body, 1, 1) <> x'01'") == [(3 * 4,)]


def test_a_loop_of_bare_calls_costs_its_new_text_and_is_found_where_it_was_said(store, make_span, rows_of):
    for turn, call in enumerate(conversation(make_span, 12, run="run-1")):
        store.write([replace(call, trace_id=f"{turn:032x}")])
    while store.index():
        pass
    assert rows_of("SELECT count(*) FROM contents WHERE substr(body, 1, 1) <> x'01'") == [(24,)]
    for word in ("question0", "answer3", "question7"):
        found = store.events(Filter(q=word)).items
        assert [event.span_id for event in found] == [f"{int(word[-1]):016x}"]


@pytest.mark.parametrize("named", [False, True])
def test_what_a_trace_brought_stays_for_the_others_of_its_run(store, make_span, rows_of, path, named):
    first, second = list(conversation(make_span, 2, run="run-1"))
    store.write([replace(first, trace_id="a" * 32)])
    store.write([replace(second, trace_id="b" * 32)])
    if named:
        # Each trace turns out to be of a session, after the messages were kept for the run.
        for at, trace_id in enumerate(("a" * 32, "b" * 32)):
            store.write([make_span(trace_id=trace_id, span_id=f"{at + 7:016x}", session_id=f"s{at}", start_ns=9)])
    while store.index():
        pass
    store.delete("trace", "a" * 32)
    event = store.event(second.span_id)
    assert json.loads(bytes(event.attributes)) == second.attributes
    assert [each.span_id for each in store.events(Filter(q="answer0")).items] == [second.span_id]
    store.delete("trace", "b" * 32)
    assert rows_of("SELECT count(*) FROM contents") == [(0,)]
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO search (search) VALUES ('integrity-check')")


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
def test_every_array_of_messages_comes_back_equal(tmp_path_factory, prompts, indent):
    store = SqliteStore(tmp_path_factory.mktemp("arrays") / "inspector.db")
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


@pytest.mark.sweep(2)
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


OUTPUT, RESPONSE = "gen_ai.output.messages", "mcp.llm.response_json"


def long(text):
    return f"{text} " + "filling words that make it long " * 40


def parts_of(messages):
    return [{"role": each["role"], "parts": [{"type": "text", "content": each["content"]}]} for each in messages]


def conversation(make_span, turns, **options):
    """The calls of a conversation: each text in the shapes of a provider and of the conventions, asked and answered."""
    history = []
    for turn in range(turns):
        history = [*history, {"role": "user", "content": long(f"question{turn}")}]
        answer = {"role": "assistant", "content": long(f"answer{turn}")}
        yield make_span(
            kind="llm",
            span_id=f"{turn:016x}",
            start_ns=turn,
            end_ns=turn + 1,
            input_key=PROMPT,
            output_key=RESPONSE,
            attributes={
                PROMPT: json.dumps({"model": "m", "messages": history}),
                INPUT: json.dumps(parts_of(history)),
                RESPONSE: json.dumps({"id": turn, "choices": [{"message": answer}]}),
                OUTPUT: json.dumps(parts_of([answer])),
            },
            **options,
        )
        history = [*history, answer]


def test_a_long_text_is_kept_once_whatever_says_it(store, make_span, rows_of):
    calls = list(conversation(make_span, 20, session_id="s"))
    for call in calls:
        store.write([call])
    texts = rows_of("SELECT count(*), count(DISTINCT body) FROM contents WHERE substr(body, 1, 1) <> x'01'")
    assert texts == [(40, 40)]
    events = store.events(Filter(), limit=100, full=True).items
    assert [json.loads(bytes(event.attributes)) for event in reversed(events)] == [call.attributes for call in calls]
    assert bytes(events[0].output).decode() == calls[-1].attributes[RESPONSE]


def test_a_text_is_found_where_it_was_asked_and_where_it_was_answered(store, make_span):
    for call in conversation(make_span, 8, session_id="s"):
        store.write([call])
    while store.index():
        pass
    for turn in (0, 3, 7):
        assert [event.span_id for event in store.events(Filter(q=f"question{turn}")).items] == [f"{turn:016x}"]
        assert [event.span_id for event in store.events(Filter(q=f"answer{turn}")).items] == [f"{turn:016x}"]
    with store._write() as connection:
        rows = connection.exec_driver_sql(f"SELECT {INDEXED_COLUMNS} FROM spans ORDER BY id")
        texts = documents(connection, [Indexed._make(row) for row in rows])
    # Once each, though several formats of the prompt and the answer say them.
    assert [text.split().count(f"question{turn}") for turn, (_, text) in enumerate(texts)] == [1] * 8
    assert [text.split().count(f"answer{turn}") for turn, (_, text) in enumerate(texts)] == [1] * 8


def test_two_shapes_of_one_conversation_under_one_key_stay_short(store, make_span, rows_of):
    sizes = []
    for call in conversation(make_span, 60, run="run-1"):
        framework = {
            "messages": [{"kind": "request", **each} for each in json.loads(call.attributes[PROMPT])["messages"]]
        }
        store.write([replace(call, span_id=f"f{call.span_id[1:]}", attributes={PROMPT: json.dumps(framework)})])
        store.write([call])
        sizes.append(rows_of("SELECT length(shared) FROM spans ORDER BY id")[-1][0])
    assert sizes[-1] - sizes[10] < 100


def test_two_shapes_that_have_only_the_questions_in_common_stay_short(store, make_span, rows_of):
    sizes = []
    for call in conversation(make_span, 60, run="run-1"):
        messages = json.loads(call.attributes[PROMPT])["messages"]
        framework = {"messages": [each | ({"name": "a"} if each["role"] == "assistant" else {}) for each in messages]}
        store.write([replace(call, span_id=f"f{call.span_id[1:]}", attributes={PROMPT: json.dumps(framework)})])
        store.write([call])
        sizes.append(max(length for (length,) in rows_of("SELECT length(shared) FROM spans ORDER BY id DESC LIMIT 2")))
    assert sizes[-1] - sizes[10] < 200


def test_what_a_span_shares_is_compressed_at_rest_and_comes_back(store, make_span, rows_of):
    prompts = {f"{key}_json": json.dumps({"messages": [message(key)], "n": "x" * 900}) for key in ("one", "two")}
    given = prompts | {f"key.{number}": "a value like the others" for number in range(30)}
    store.write([make_span(span_id="1" * 16, attributes=given)])
    assert rows_of("SELECT typeof(shared), length(shared) < 600, length(attributes) < 600 FROM spans") == [
        ("blob", 1, 1)
    ]
    assert json.loads(bytes(store.event("1" * 16).attributes)) == given


def test_an_answer_that_was_given_before_is_found_at_both(store, make_span):
    answer = json.dumps([{"role": "assistant", "content": long("sorry")}])
    for at in (1, 2):
        asked = {INPUT: json.dumps([message(f"{at}")]), OUTPUT: answer}
        store.write([make_span(kind="llm", span_id=f"{at:016x}", start_ns=at, session_id="s", attributes=asked)])
    while store.index():
        pass
    assert len(store.events(Filter(q="sorry")).items) == 2


def test_a_call_that_two_recorders_tell_of_has_its_long_texts_in_the_index_once(store, make_span, rows_of, path):
    (call,) = conversation(make_span, 1, session_id="s")
    said = {**call.attributes, "gen_ai.response.id": "r-1", "otel.scope.name": "outer"}
    outer = replace(call, trace_id="a" * 32, end_ns=90, attributes=said)
    inner = replace(
        outer, span_id="f" * 16, parent_id=outer.span_id, start_ns=2, attributes={**said, "otel.scope.name": "inner"}
    )
    store.write([outer])
    store.write([inner])
    while store.index():
        pass
    assert rows_of("SELECT count(*) FROM spans WHERE folded_into IS NOT NULL") == [(1,)]
    assert len(store.events(Filter(q="answer0")).items) == 1
    store.delete("trace", "a" * 32)
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    assert rows_of("SELECT count(*) FROM search WHERE search MATCH 'filling'") == [(0,)]


def test_what_an_agent_is_asked_and_answers_is_kept_once_with_its_models_and_still_found_by_its_values(
    store, make_span, rows_of
):
    (call,) = conversation(make_span, 1, session_id="s")
    asked, answered = call.attributes[PROMPT], long("answer0")
    given = {"inspector.agent.input_json": json.dumps({"city": "Lisbon", "brief": long("question0")})}
    agent = make_span(
        kind="agent",
        span_id="e" * 16,
        session_id="s",
        input_key="inspector.agent.input_json",
        output_key="mcp.agent.result_json",
        attributes={**given, "mcp.agent.result_json": json.dumps({"text": answered, "rounds": 3})},
    )
    store.write([agent])
    store.write([call])
    while store.index():
        pass
    assert long("question0") in asked
    assert rows_of("SELECT count(*) FROM contents WHERE substr(body, 1, 1) <> x'01'") == [(2,)]
    assert json.loads(bytes(store.event("e" * 16).attributes)) == agent.attributes
    for wanted in ({"arguments": (("city", "Lisbon"),)}, {"results": (("rounds", "3"),)}):
        assert [event.span_id for event in store.events(Filter(**wanted)).items] == ["e" * 16]


@pytest.mark.parametrize("order", ["whole", "as it happens", "indexed between"])
def test_what_an_agent_was_asked_is_found_at_its_model_call_unless_the_agent_is_found_by_it_already(
    order, store, make_span, rows_of, path
):
    (call,) = conversation(make_span, 1, session_id="s")
    begun = make_span(
        kind="agent",
        span_id="e" * 16,
        session_id="s",
        status="running",
        end_ns=None,
        input_key="inspector.agent.input_json",
        attributes={"inspector.agent.input_json": json.dumps(long("question0"))},
    )
    answered = begun.attributes | {"mcp.agent.result_json": json.dumps(long("answer0"))}
    ended = replace(begun, status="ok", end_ns=99, output_key="mcp.agent.result_json", attributes=answered)
    for batch in {"whole": [[ended, call]], "as it happens": [[begun], [call, ended]]}.get(order, [[ended], [call]]):
        store.write(batch)
        store.maintain()
    at = {word: {event.span_id for event in store.events(Filter(q=word)).items} for word in ("question0", "answer0")}
    both = {call.span_id, ended.span_id}
    assert at == dict.fromkeys(("question0", "answer0"), both if order == "indexed between" else {call.span_id})
    store.delete("trace", call.trace_id)
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    assert rows_of("SELECT count(*) FROM search WHERE search MATCH 'question0'") == [(0,)]


def test_an_agent_without_model_calls_is_found_by_what_it_was_asked(store, make_span):
    given = {"inspector.agent.input_json": json.dumps(long("question0"))}
    store.write([make_span(kind="agent", session_id="s", input_key="inspector.agent.input_json", attributes=given)])
    store.maintain()
    assert len(store.events(Filter(q="question0")).items) == 1


def test_texts_go_with_the_last_call_that_has_them(store, make_span, rows_of, path):
    first, second = list(conversation(make_span, 2, session_id="s"))
    store.write([replace(first, trace_id="a" * 32)])
    store.write([replace(second, trace_id="b" * 32)])
    while store.index():
        pass
    store.delete("trace", "a" * 32)
    event = store.event(second.span_id)
    assert json.loads(bytes(event.attributes)) == second.attributes
    assert [each.span_id for each in store.events(Filter(q="answer0")).items] == [second.span_id]
    store.delete("trace", "b" * 32)
    assert rows_of("SELECT count(*) FROM contents") == [(0,)]
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    assert rows_of("SELECT count(*) FROM search WHERE search MATCH 'filling'") == [(0,)]


def test_a_store_that_was_opened_again_knows_long_texts_too(open_store, path, make_span, rows_of):
    for call in conversation(make_span, 6, session_id="s"):
        store = open_store(path)
        store.write([call])
        store.close()
    assert rows_of("SELECT count(*) FROM contents WHERE substr(body, 1, 1) <> x'01'") == [(12,)]
    store = open_store(path)
    assert json.loads(bytes(store.event(f"{5:016x}").attributes)) == call.attributes
    store.close()


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
    store.delete("trace", "a" * 32)
    assert rows_of("SELECT count(*) FROM contents") == [(0,)]
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    assert rows_of("SELECT count(*) FROM search WHERE search MATCH 'zebra'") == [(0,)]
