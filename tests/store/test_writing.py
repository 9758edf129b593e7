import itertools
import json
import sqlite3
import zlib
from contextlib import closing

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.model import STATUSES, Filter, Span, SpanError
from inspector.store import SpoolMark
from inspector.store.sqlite import SqliteStore
from inspector.store.values.codec import unpack


def test_a_start_record_is_replaced_in_place_by_its_end(store, make_span, rows_of):
    start = make_span(span_id="1" * 16, status="running")
    store.write([start])
    before = rows_of("SELECT id FROM spans")
    store.write([replace(start, status="ok", end_ns=start.start_ns + 2_000_000, output_key="o", attributes={"o": "1"})])
    event = store.event("1" * 16)
    assert (event.status, event.duration_ms, event.seq, bytes(event.output)) == ("ok", 2.0, 2, b"1")
    assert rows_of("SELECT id FROM spans") == before


def test_a_repeat_of_what_an_earlier_version_compressed_changes_nothing(open_store, path, make_span):
    said = "what was said " * 40
    texts = dict.fromkeys(("gen_ai.tool.call.result", "mcp.tool.output_json", "mcp.tool.structured_output_json"), said)
    store = open_store(path)
    span = make_span(attributes=texts, events=[{"name": "e " * 99, "time_unix_nano": "1", "attributes": {}}])
    store.write([span])
    event = store.event(span.span_id)
    store.close()
    with closing(sqlite3.connect(path)) as database, database:
        database.create_function("earlier", 1, lambda stored: zlib.compress(unpack(stored)))
        database.execute("UPDATE spans SET attributes = earlier(attributes), events = earlier(events)")
        (shared,) = database.execute("SELECT shared FROM spans").fetchone()
        database.execute("UPDATE spans SET shared = ?", (unpack(shared).decode(),))
    store = open_store(path)
    assert store.event(span.span_id) == event
    store.write([span])
    assert store.last_seq() == 1


def test_a_batch_of_repeats_ends_and_new_spans_numbers_only_what_changed(store, make_span, rows_of):
    repeat, running = make_span(), make_span(status="running")
    store.write([repeat, running])
    store.write([repeat, replace(running, status="ok", end_ns=running.start_ns + 1), make_span(), repeat, make_span()])
    assert rows_of("SELECT seq FROM spans ORDER BY id") == [(1,), (3,), (4,), (5,)]
    store.write([make_span()])
    assert rows_of("SELECT count(*), count(DISTINCT id), max(seq) FROM spans") == [(5, 5, 6)]


@pytest.mark.parametrize("text", ["short", "long enough to be packed " * 200])
def test_attributes_in_another_order_are_no_news(store, make_span, text):
    span = make_span(attributes={"a": text, "b": [1, {"c": 2}]})
    store.write([span])
    store.write([replace(span, attributes={"b": [1, {"c": 2}], "a": text})])
    assert store.last_seq() == 1
    store.write([replace(span, attributes={"b": [1, {"c": 3}], "a": text})])
    assert store.last_seq() == 2


def test_a_record_that_names_no_process_leaves_the_one_that_is_known(store, make_span, rows_of):
    span = make_span(process="p1")
    store.write([span])
    store.write([replace(span, process=None)])
    assert store.last_seq() == 1
    store.write([replace(span, process=None, name="renamed")])
    assert rows_of("SELECT name, process FROM spans") == [("renamed", "p1")]


def test_a_later_complete_record_wins(store, make_span):
    span = make_span(span_id="1" * 16)
    store.write([span])
    store.write([replace(span, name="renamed", status="error", error=SpanError("E", "m", "tb"))])
    event = store.event("1" * 16)
    assert (event.name, event.status, event.error, event.seq) == ("renamed", "error", SpanError("E", "m", "tb"), 2)


WINS = {
    ("running", "running"): True,
    ("running", "lost"): False,
    ("lost", "running"): True,
    ("lost", "lost"): False,
    ("abandoned", "running"): True,
    ("abandoned", "lost"): True,
    ("abandoned", "abandoned"): True,
    ("lost", "abandoned"): False,
    ("running", "abandoned"): False,
    **{(new, old): True for new in ("ok", "error", "denied", "cancelled") for old in STATUSES},
    **{(new, old): False for new in ("running", "lost", "abandoned") for old in ("ok", "error", "denied", "cancelled")},
}


@pytest.mark.sweep(24)
@pytest.mark.parametrize("together", [False, True], ids=["in two batches", "in one batch"])
@pytest.mark.parametrize(("new", "old"), sorted(WINS))
def test_which_record_of_a_span_wins(store, make_span, new, old, together):
    first = make_span(span_id="1" * 16, status=old, name="first")
    second = replace(make_span(status=new, name="second"), span_id="1" * 16, start_ns=first.start_ns)
    if together:
        store.write([first, second])
    else:
        store.write([first])
        store.write([second])
    assert store.event("1" * 16).name == ("second" if WINS[new, old] else "first")


@pytest.mark.slow
@given(
    records=st.lists(st.tuples(st.integers(1, 3), st.sampled_from(STATUSES), st.integers(1, 3)), max_size=8),
    cuts=st.sets(st.integers(0, 8)),
)
def test_how_records_are_cut_into_batches_makes_no_difference(tmp_path_factory, records, cuts):
    directory = tmp_path_factory.mktemp("cuts")
    found = []
    for at, borders in enumerate((set(), cuts, set(range(9)))):
        store = SqliteStore(directory / f"{at}.db")
        batch = []
        for index, (span_id, status, name) in enumerate(records):
            end = None if status in ("running", "lost") else 20
            batch.append(
                Span(
                    trace_id="a" * 32,
                    span_id=f"{span_id:016x}",
                    name=str(name),
                    kind="tool",
                    status=status,
                    start_ns=10,
                    end_ns=end,
                )
            )
            if index in borders:
                store.write(batch)
                batch = []
        store.write(batch)
        events = store.events(Filter(), limit=100).items
        found.append(sorted((event.span_id, event.status, event.name) for event in events))
        store.close()
    assert found[0] == found[1] == found[2]


def test_neither_seq_nor_row_id_is_used_twice_after_deletes(store, make_span, rows_of):
    store.write([make_span(trace_id="b" * 32), make_span(trace_id="b" * 32)])
    store.delete("trace", "b" * 32)
    store.write([make_span()])
    assert rows_of("SELECT id, seq FROM spans") == [(3, 3)]


def test_changes_are_read_in_their_order(store, make_span):
    first, second = make_span(status="running"), make_span()
    store.write([first, second])
    store.write([replace(first, status="ok", end_ns=first.start_ns)])
    assert [event.span_id for event in store.after(0, Filter())] == [second.span_id, first.span_id]
    assert [event.status for event in store.after(2, Filter())] == ["ok"]
    assert store.after(0, Filter(), limit=1)[0].seq == 2
    assert store.after(3, Filter()) == ()


def test_a_batch_that_fails_leaves_neither_rows_nor_mark(store, make_span):
    broken = replace(make_span(), start_ns="soon")
    with pytest.raises(TypeError):
        store.write([make_span(), broken], marks=[SpoolMark("a.jsonl", 1, 10)])
    assert (store.spools(), store.events(Filter()).items, store.last_seq()) == ({}, (), 0)


def test_running_spans_of_a_gone_process_are_lost(store, make_span):
    open_call = make_span(process="p1", status="running", attributes={"gen_ai.tool.name": "x"})
    store.write(
        [open_call, make_span(process="p1"), make_span(process="p2", status="running"), make_span(status="running")]
    )
    assert store.mark_lost(["p1"]) == 1
    event = store.event(open_call.span_id)
    assert (event.status, event.seq, bytes(event.attributes)) == ("lost", 5, b'{"gen_ai.tool.name":"x"}')
    assert store.mark_lost(["p1"]) == 0
    assert store.last_seq() == 5


@pytest.mark.parametrize(
    ("start_ns", "end_ns"), [(0, 0), (2**63 - 1, 2**63), (2**64 - 2, 2**64 - 1), (5, 2**64 - 1), (9, 3)]
)
def test_times_come_back_to_the_nanosecond(store, make_span, start_ns, end_ns):
    store.write([make_span(span_id="1" * 16, start_ns=start_ns, end_ns=end_ns)])
    event = store.event("1" * 16)
    assert (event.start_time_unix_nano, event.end_time_unix_nano) == (str(start_ns), str(end_ns))
    assert event.duration_ms == (end_ns - start_ns) / 1e6


def test_numbers_that_do_not_fit_are_brought_into_range(store, make_span):
    spans = [make_span(input_tokens=2**63, output_tokens=2**70, cost_usd=float("nan")) for _ in range(3)]
    store.write(spans)
    store.write([make_span(cost_usd=float("inf"))])
    event, trace = store.event(spans[0].span_id), store.trace("a" * 32)
    assert (event.input_tokens, event.output_tokens, event.cost_usd) == (2**63 - 1, 2**63 - 1, None)
    assert (trace.input_tokens, trace.cost_usd) == (2**63 - 1, None)


TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud800\udfff\0"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@given(
    texts=st.lists(TEXT, min_size=10, max_size=10),
    attributes=st.dictionaries(TEXT, VALUES, max_size=4),
    count=st.integers(),
)
def test_whatever_a_span_carries_can_be_stored_and_served_as_json(store, texts, attributes, count):
    span_id = f"{abs(hash((*texts, count))):016x}"
    span = Span(
        trace_id="c" * 32,
        span_id=span_id,
        name=texts[0],
        kind="other",
        status="error",
        start_ns=1,
        end_ns=2,
        parent_id=texts[1],
        session_id=texts[2],
        service=texts[3],
        agent=texts[4],
        model=texts[5],
        tool=texts[6],
        error=SpanError(texts[7], texts[8], texts[9]),
        process=texts[0],
        input_tokens=count,
        input_key=next(iter(attributes), None),
        attributes=attributes,
        events=[{"name": texts[0], "time_unix_nano": "1", "attributes": attributes}],
        links=[{"trace_id": "d" * 32, "attributes": attributes}],
    )
    store.write([span])
    event = store.event(span_id)
    served = json.loads(msgspec.json.encode(event))
    assert len(served["attributes"]) == len({key.encode("utf-8", "replace") for key in attributes})
    assert served["name"] == "".join("�" if "\ud800" <= c <= "\udfff" else c for c in texts[0])
    store.index()


def test_lone_surrogates_are_replaced_wherever_they_are(store, make_span):
    odd, seen = "a\ud800\0b", "a�\0b"
    store.write(
        [
            make_span(),
            make_span(
                span_id=odd,
                **dict.fromkeys(
                    ("trace_id", "name", "parent_id", "session_id", "hook", "service", "agent", "model"), odd
                ),
                error=SpanError(odd, odd, odd),
                attributes={odd: odd, "gen_ai.request.model": odd, "deep": [{odd: odd}]},
                events=[{"name": odd}],
                links=[{"trace_id": odd}],
            ),
        ]
    )
    event = store.event(odd)
    assert (event.span_id, event.trace_id, event.name, event.session_id, event.model) == (seen,) * 5
    assert event.error == SpanError(seen, seen, seen)
    assert json.loads(bytes(event.attributes)) == {seen: seen, "gen_ai.request.model": seen, "deep": [{seen: seen}]}
    assert json.loads(bytes(event.events)) == [{"name": seen}]
    assert len(store.events(Filter(session_id=odd, name=odd, attributes=((odd, odd),))).items) == 1
    assert store.last_seq() == 2


@pytest.mark.parametrize("depth", [50, 5000])
def test_deep_values_are_cut_instead_of_refused(store, make_span, depth):
    value = "bottom"
    for _ in range(depth):
        value = [value]
    store.write([make_span(span_id="1" * 16, attributes={"deep": value})])
    text = bytes(store.event("1" * 16).attributes)
    # How deep the encoder goes by itself depends on Python: from 3.13 on 5,000 are no depth for it.
    assert b"bottom" in text if depth == 50 else b'{"deep":[' in text


def test_content_is_json_when_its_text_is_and_a_string_when_not(store, make_span):
    cases = {'{"a": [1, 2]}': {"a": [1, 2]}, "plain": "plain", "12": 12, "[1,": "[1,", '"NaN': '"NaN', "": ""}
    for at, text in enumerate(cases):
        store.write([make_span(span_id=f"{at:016x}", input_key="in", output_key="out", attributes={"in": text})])
    for at, (text, value) in enumerate(cases.items()):
        event = store.event(f"{at:016x}")
        assert json.loads(bytes(event.input)) == value
        assert event.output is None
        assert json.loads(bytes(event.attributes)) == {"in": text}


def test_content_that_was_recorded_as_a_structure_is_served_as_it_is(store, make_span):
    store.write([make_span(span_id="1" * 16, input_key="in", attributes={"in": {"a": [1, None]}})])
    assert json.loads(bytes(store.event("1" * 16).input)) == {"a": [1, None]}


def test_the_newest_event_is_meant_when_traces_share_a_span_id(store, make_span):
    for trace_id in ("a" * 32, "b" * 32):
        store.write([make_span(trace_id=trace_id, span_id="1" * 16)])
    assert store.event("1" * 16).trace_id == "b" * 32
    assert store.event("1" * 16, trace_id="a" * 32).trace_id == "a" * 32
    assert store.event("1" * 16, trace_id="c" * 32) is None


@pytest.mark.parametrize("status", ["ok", "running"])
@pytest.mark.parametrize("span_id", ["00f067aa0ba902b7", "A", "-", "a-b", "é", "x" * 300, '"'])
def test_an_event_is_found_by_its_id_alone_before_and_after_it_is_indexed(store, make_span, span_id, status):
    store.write([make_span(), make_span(span_id=span_id, status=status), make_span(name=span_id)])
    assert store.event(span_id).span_id == span_id
    while store.index():
        pass
    assert store.event(span_id).span_id == span_id
    store.delete("trace", "a" * 32)
    assert store.event(span_id) is None


def test_summaries_leave_the_large_fields_out(store, make_span):
    store.write([make_span(attributes={"a": 1}, events=[{"name": "x"}])])
    event = store.events(Filter()).items[0]
    assert (event.input, event.output, event.attributes, event.events, event.links) == (msgspec.UNSET,) * 5
    whole = store.events(Filter(), full=True).items[0]
    assert (bytes(whole.attributes), bytes(whole.events), bytes(whole.links)) == (b'{"a":1}', b'[{"name":"x"}]', b"[]")


def test_identifiers_are_only_ever_data(store, make_span):
    hostile = "'; DROP TABLE spans; --"
    store.write([make_span(trace_id=hostile, span_id=hostile, session_id=hostile, process=hostile, status="running")])
    assert store.event(hostile, trace_id=hostile).session_id == hostile
    assert store.session(hostile).traces == 1
    assert store.mark_lost([hostile]) == 1
    assert store.delete("session", hostile) == 1


def test_lone_surrogates_in_a_question_find_nothing_and_raise_nothing(store):
    odd = "\ud800\0"
    assert store.event(odd, trace_id=odd) is None
    assert store.trace(odd) is None
    assert store.session(odd) is None
    assert store.delete("trace", odd) == store.delete("session", odd) == store.mark_lost([odd]) == 0
    where = Filter(session_id=odd, name=odd, name_prefix=odd, q=odd, attributes=((odd, odd),))
    assert store.events(where).items == ()


def test_many_threads_may_read_and_write_at_once(store, make_span):
    from concurrent.futures import ThreadPoolExecutor

    batches = [[make_span(trace_id=f"{at:032x}") for _ in range(5)] for at in range(40)]

    def work(batch):
        store.write(batch)
        return len(store.events(Filter(trace_id=batch[0].trace_id)).items)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(work, batches)) == {5}
    assert [event.seq for event in store.after(0, Filter())] == list(range(1, 201))
    assert list(itertools.islice((trace.spans for trace in store.traces(Filter()).items), 3)) == [5, 5, 5]


def test_the_log_gives_its_space_back_without_waiting_for_who_reads_from_it(store, path, make_span):
    log = path.with_name("inspector.db-wal")
    store.write([make_span()])
    assert log.stat().st_size
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM spans").fetchone() == (1,)
        store.write([make_span()])
        assert not store.shrink_log()
        assert reader.execute("SELECT count(*) FROM spans").fetchone() == (1,)
        assert log.stat().st_size
        reader.execute("COMMIT")
        assert store.shrink_log()
        assert log.stat().st_size == 0
        assert reader.execute("SELECT count(*) FROM spans").fetchone() == (2,)
    store.write([make_span()])
    assert len(store.events(Filter()).items) == 3
