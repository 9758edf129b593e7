"""Several processes on one ClickHouse: one writes at a time, for all of them, and nothing is lost or doubled."""

import itertools
import json
import threading
import time
from contextlib import closing

import pytest
from lists import walk
from made_spans import make
from msgspec import Raw
from msgspec.structs import replace
from patience import PATIENT

from inspector.model import Filter, Log, NewLabel
from inspector.store import Joined, StoreBusy, StoreError
from inspector.store.clickhouse import ClickHouseStore, read_address
from inspector.store.clickhouse.changes import Delete, Write, encode_change
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.inbox import Inbox
from inspector.store.clickhouse.lease import LENGTH_S, MARGIN_S, Lease
from inspector.store.clickhouse.writing import BACK_S, CLAIM_S, TURN_S, Writing

COUNT = itertools.count(1)


@pytest.fixture
def address(engine):
    return read_address(f"chdb://memory/several_{next(COUNT)}")


@pytest.fixture
def store(address, monkeypatch):
    """Opened first, so that it is the one that writes, however long a test takes."""
    for name, length_s in {"writing.TURN_S": 3600, "lease.LENGTH_S": 3600, "writing.ANSWER_S": 120}.items():
        monkeypatch.setattr(f"inspector.store.clickhouse.{name}", length_s)
    with closing(ClickHouseStore(address, limits=PATIENT)) as opened:
        yield opened


@pytest.fixture
def other(store, address):
    with closing(ClickHouseStore(address, limits=PATIENT)) as opened:
        yield opened


class Clock:
    def __init__(self):
        self.now_s = 1000.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def writing(address, clock):
    """Makes writers of a database, which look after themselves only when they are told to."""
    ClickHouseStore(address, limits=PATIENT).close()
    database = Database(address, read_s=60)
    database.begin()
    yield lambda: Writing(database, time.time_ns, clock_s=clock)
    database.close()


@pytest.fixture
def reader(writing, address):
    with closing(ClickHouseStore(address, limits=PATIENT, read_only=True)) as opened:
        yield opened


def known(store):
    """Returns everything that two stores must agree on: all but the numbers of changes."""
    events = [replace_seq(event) for event in walk(store.events, Filter(), limit=100, full=True)]
    traces = [replace_seq(trace) for trace in walk(store.traces, Filter(), limit=100)]
    runs = [replace_seq(run) for run in walk(store.runs, Filter(), limit=100)]
    sessions = sorted(map(str, map(replace_seq, store.sessions(limit=100).items)))
    return sorted(map(str, events)), sorted(map(str, traces)), sorted(map(str, runs)), sessions


def replace_seq(noun):
    values = {name: getattr(noun, name) for name in noun.__slots__ if name not in ("seq", "labels")}
    return str({name: bytes(value) if isinstance(value, Raw) else value for name, value in values.items()})


@pytest.mark.slow
def test_spans_that_come_in_pieces_through_two_stores_are_what_they_are_through_one(store, other, address):
    made = make(7)
    for at, batch in enumerate(made.batches):
        (store, other)[at % 2].write(batch)
        (other, store)[at % 2].write(batch[:1])
    other.maintain()
    with closing(ClickHouseStore(read_address(f"chdb://memory/alone_{address.database}"), limits=PATIENT)) as alone:
        for batch in made.batches:
            alone.write(batch)
        assert known(store) == known(other) == known(alone)


@pytest.mark.slow
def test_what_two_stores_take_in_of_the_same_traces_at_the_same_time_is_there_once(store, other, address):
    made = make(11, traces=3)
    start, failures = threading.Barrier(2), []

    def take_in(into, batches):
        try:
            start.wait()
            for batch in batches:
                into.write(batch)
        except Exception as error:
            failures.append(error)

    threads = [
        threading.Thread(target=take_in, args=(into, batches))
        for into, batches in ((store, made.batches), (other, made.batches[::-1]))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while other._writing._sent is not None:
        other.maintain()
    assert not failures
    with closing(ClickHouseStore(read_address(f"chdb://memory/alone_{address.database}"), limits=PATIENT)) as alone:
        for batch in made.batches:
            alone.write(batch)
        assert known(store) == known(other) == known(alone)


@pytest.mark.slow
def test_logs_that_come_through_any_store_are_due_in_the_one_that_writes(store, other, make_span):
    span = make_span()
    logs = [Log(span.trace_id, span.span_id, {"name": name, "time_unix_nano": "1"}) for name in ("one", "two")]
    other.write((), logs=logs[:1])
    other.write([span])
    store.write((), logs=logs)
    other.maintain()
    (due,) = store.due_logs(10)
    assert sorted(due.logs, key=lambda log: log.event["name"]) == logs
    assert (other.due_logs(10), other.drop_logs(10**6, 0)) == ((), 0)
    # The other one has become the writer between reading them and writing the span again.
    seq = other.event(span.span_id).seq
    other.write_again([replace(span, model="m")], joined=[Joined(due, seq)])
    assert (store.due_logs(10), store.event(span.span_id).model) == ([], "m")
    other.write_again([replace(span, model="n")], joined=[Joined(due, seq)])
    assert store.event(span.span_id).model == "m"


def test_an_end_that_comes_through_another_store_than_its_start_is_found(store, other, make_span):
    begun = make_span(status="running", process="p1")
    other.write([begun])
    other.maintain()
    store.write([replace(begun, status="ok", end_ns=begun.start_ns + 1)])
    other.write([begun])
    other.maintain()
    (event,) = other.events(Filter()).items
    assert (event.status, event.end_time_unix_nano) == ("ok", str(begun.start_ns + 1))


@pytest.mark.slow
def test_an_end_that_names_no_process_is_stored_as_one_of_the_process_that_its_start_names(store, other, make_span):
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "hello"}]}])
    attributes = {"gen_ai.input.messages": messages, "thread.id": 1}
    for at, process in enumerate((None, "spool-1")):
        names = {"kind": "llm", "trace_id": f"{at}" * 32, "span_id": "1" * 16, "start_ns": 10**18, "run": "spool-1"}
        store.write([make_span(**names, status="running", process="spool-1")])
        other.write([make_span(**names, attributes=attributes, process=process)])
    other.maintain()
    stored = "SELECT process, run, identity, turn, digest FROM spans FINAL WHERE status = 'ok'"
    first, second = other._database.rows(stored)
    assert first == second
    assert first[0] == "spool-1"


@pytest.mark.slow
def test_what_is_asked_of_a_store_that_does_not_write_is_answered(store, other, make_span):
    other.write([make_span(trace_id=each * 32, status="running", process="p1") for each in "abc"])
    other.maintain()
    assert other.mark_lost(["p1"]) == 3
    assert {event.status for event in other.events(Filter()).items} == {"lost"}
    label = other.set_label(NewLabel(trace_id="a" * 32, span_id=f"{1:016x}", name="good", time_ns=1))
    assert (label.name, store.labels().items) == ("good", (label,))
    assert (other.remove_label(label.label_id), other.remove_label(label.label_id)) == (label, None)
    assert other.write_again([make_span(trace_id="a" * 32, span_id=f"{1:016x}", name="otherwise")]) == 1
    assert other.delete("trace", "b" * 32) == 1
    assert other.prune(max_bytes=0).traces == 2
    assert (store.traces(Filter()).items, other.last_seq()) == ((), store.last_seq())


@pytest.mark.slow
def test_what_is_removed_through_one_store_is_not_there_for_the_other_that_goes_on_writing(store, other, make_span):
    store.write([make_span(), make_span()])
    assert other.delete("trace", "a" * 32) == 2
    store.write([make_span(), make_span(trace_id="b" * 32)])
    assert [store.trace(each * 32).spans for each in "ab"] == [1, 1]


def test_texts_and_numbers_that_json_has_no_word_for_reach_the_store_that_writes(store, other, make_span):
    deep = value = {}
    for _ in range(3000):
        deep["x"] = deep = {}
    hostile = {"said": "\ud800", "deep": value, "nan": float("nan")}
    other.write([make_span(name="lone \udfff", attributes=hostile, events=[{"name": "\ud800", "attributes": {}}])])
    other.write([make_span(attributes={"nan": float("inf")})], labels=[NewLabel(run_id="\ud800", name="x", time_ns=1)])
    other.maintain()
    assert len(store.events(Filter(), full=True).items) == 2


@pytest.mark.slow
def test_what_cannot_be_read_or_made_holds_up_nothing_behind_it(store, other, make_span, caplog):
    Inbox(other._database).put("junk")
    Inbox(other._database).put(encode_change(Write([{"error": None, "no": "span"}, *map(dict_of, [make_span()])])))
    other.write([make_span()])
    other.maintain()
    assert len(store.events(Filter()).items) == 2
    assert "cannot be decoded" in caplog.text
    assert caplog.text.count("failed and is left out") == 1


def test_what_a_version_before_spans_were_columns_left_in_the_inbox_is_written(store, other, make_span):
    span = make_span(trace_id="a" * 32, attributes={"text": "said before"}, session_id="s")
    Inbox(other._database).put(encode_change(Write(other._writing.prepared([span]), arrived_ns=1)))
    store._writing.drain()
    (event,) = store.events(Filter(q="work"), full=True).items
    assert (event.session_id, event.attributes) == ("s", Raw(b'{"text":"said before"}'))


def dict_of(span):
    return {name: getattr(span, name) for name in span.__struct_fields__}


def test_of_all_that_want_the_lease_at_once_one_gets_it(writing, address, clock):
    leases = [Lease(Database(address, read_s=60), clock_s=clock) for _ in range(6)]
    for lease in leases:
        lease._database.begin()
    start, taken = threading.Barrier(len(leases)), []

    def want(lease):
        start.wait()
        taken.append(lease.claim())

    threads = [threading.Thread(target=want, args=(lease,)) for lease in leases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, taken)) == ["None"] * 5 + ["passed"]
    assert [lease.is_held for lease in leases].count(True) == 1


def test_a_lease_is_taken_when_it_was_given_up_or_its_holder_said_nothing_for_its_length(writing, address, clock):
    database = Database(address, read_s=60)
    database.begin()
    mine, theirs = Lease(database, clock_s=clock), Lease(database, clock_s=clock)
    assert (mine.claim(), theirs.claim()) == ("passed", None)
    clock.now_s += LENGTH_S - MARGIN_S - 0.1
    assert (mine.is_held, mine.keep(), theirs.claim()) == (True, True, None)
    clock.now_s += LENGTH_S - MARGIN_S
    assert (mine.is_held, theirs.claim()) == (False, None)
    assert (mine.claim(), theirs.claim()) == ("kept", None)
    clock.now_s += LENGTH_S
    assert (theirs.claim(), mine.keep(), mine.claim()) == ("lapsed", False, None)
    theirs.give_up()
    assert (theirs.is_held, mine.claim()) == (False, "given")
    mine.give_up(settled=True)
    assert (mine.is_held, theirs.claim(), mine.claim()) == (False, "passed", None)
    newcomer = Lease(database, clock_s=clock)
    clock.now_s += LENGTH_S - 1
    assert newcomer.claim() is None


def test_who_has_the_lock_of_a_home_does_not_wait_for_the_process_that_had_it_before(writing, address, clock):
    database = Database(address, read_s=60)
    database.begin()
    killed, elsewhere, again = (Lease(database, home, clock) for home in ("a", "b", "a"))
    assert (killed.claim(), elsewhere.claim(), again.claim()) == ("passed", None, "lapsed")
    assert (killed.claim(), elsewhere.claim(), again.claim()) == (None, None, "kept")


def test_spans_arrive_when_the_store_that_takes_them_in_has_them(store, address, make_span):
    with closing(ClickHouseStore(address, limits=PATIENT, now_ns=lambda: 7)) as other:
        other.write([make_span()])
        other.maintain()
    assert store._database.rows("SELECT arrived_ns FROM traces FINAL") == [(7,)]


@pytest.mark.slow
def test_who_takes_over_from_one_that_broke_off_writes_what_was_handed_to_that(writing, clock, make_span, reader):
    broken, heir = writing(), writing()
    broken.apply(Write(broken.prepared([make_span(trace_id="a" * 32)])))
    heir.apply(Write(heir.prepared([make_span(trace_id="b" * 32)])), wait=False)
    heir.drain()
    assert [trace.trace_id for trace in reader.traces(Filter()).items] == ["a" * 32]
    seq = reader.last_seq()
    clock.now_s += LENGTH_S
    heir.drain()
    assert [trace.trace_id for trace in reader.traces(Filter()).items] == ["b" * 32, "a" * 32]
    assert [event.trace_id for event in reader.after(seq, Filter())] == ["b" * 32]
    broken.apply(Write(broken.prepared([make_span(trace_id="c" * 32)])), wait=False)
    assert reader.trace("c" * 32) is None
    heir.drain()
    assert reader.trace("c" * 32).spans == 1


@pytest.mark.slow
def test_what_is_committed_late_by_one_that_broke_off_is_met_by_every_cursor(writing, clock, make_span, reader):
    broken, heir = writing(), writing()
    broken.apply(Write(broken.prepared([make_span(span_id="1" * 16)])))
    heir.drain()
    clock.now_s += LENGTH_S
    heir.apply(Write(heir.prepared([make_span(span_id="2" * 16)])))
    cursor = reader.last_seq()
    reader._database.command(
        "INSERT INTO spans SELECT * REPLACE ('3333333333333333' AS span_id, seq + 1 AS seq, version + 1 AS version, "
        "id + 1 AS id, 0 AS digest) FROM (SELECT * FROM spans WHERE span_id = '1111111111111111')"
    )
    assert reader.after(cursor, Filter()) == ()
    heir.drain()
    assert [event.span_id for event in reader.after(cursor, Filter())] == ["3" * 16]
    assert reader.trace("a" * 32).spans == 3
    cursor = reader.last_seq()
    heir.drain()
    assert reader.after(cursor, Filter()) == ()


@pytest.mark.slow
def test_who_lost_the_lease_while_it_wrote_hands_that_over_too(writing, clock, make_span, reader):
    slow, heir = writing(), writing()
    slow.apply(Write(slow.prepared([make_span(span_id="1" * 16)])))
    heir.drain()
    with slow._lock:
        # As if it were about to insert: what it looked at last said that it may.
        clock.now_s += LENGTH_S
        heir.drain()
        cursor = reader.last_seq()
        slow._lease._until_s = clock.now_s + 1
        slow._writer.write(slow.prepared([make_span(span_id="2" * 16)]))
        slow._lease._until_s = clock.now_s
        assert reader.after(cursor, Filter()) == ()
    slow.apply(Write(slow.prepared([make_span(span_id="2" * 16)]), late=True), wait=False)
    heir.drain()
    assert [event.span_id for event in reader.after(cursor, Filter())] == ["2" * 16]
    assert reader.trace("a" * 32).spans == 2


def passed_on(one, two, clock, make_span):
    """Has two send something when the turn of one is over."""
    assert one.is_writer()
    clock.now_s += TURN_S
    one.drain()
    assert one.is_writer(), "nobody else has anything to write"
    two.apply(Write(two.prepared([make_span()])), wait=False)
    one.drain()
    assert not one.is_writer()
    clock.now_s += CLAIM_S


def test_who_writes_lets_another_one_write_for_a_while_that_has_work_too(writing, clock, make_span, reader):
    one, two = writing(), writing()
    one.apply(Write(one.prepared([make_span()])))
    two.apply(Write(two.prepared([make_span()])), wait=False)
    one.drain()
    passed_on(one, two, clock, make_span)
    two.apply(Write(two.prepared([make_span()])))
    one.apply(Write(one.prepared([make_span()])), wait=False)
    two.drain()
    passed_on(two, one, clock, make_span)
    one.apply(Write(one.prepared([make_span()])))
    assert [event.seq for event in reader.after(0, Filter())] == list(range(1, 8)), "as if one had written all"
    assert reader.trace("a" * 32).spans == 7


def test_who_let_go_writes_on_where_nobody_else_does(writing, clock, make_span, reader):
    one, two = writing(), writing()
    passed_on(one, two, clock, make_span)
    clock.now_s += BACK_S
    one.apply(Write(one.prepared([make_span()])))
    assert one.is_writer()
    assert [event.seq for event in reader.after(0, Filter())] == [1, 2]


def test_who_has_nothing_to_write_or_whose_turn_is_far_off_seldom_asks_for_it(writing, clock, make_span):
    one, two, idle = writing(), writing(), writing()
    passed_on(one, two, clock, make_span)
    assert two.is_writer()
    clock.now_s += BACK_S
    one.apply(Write(one.prepared([make_span()])), wait=False)
    assert not idle.is_writer()
    two.close()
    clock.now_s += CLAIM_S
    assert (one.is_writer(), idle.is_writer()) == (False, False)
    clock.now_s += 3 * CLAIM_S
    assert (one.is_writer(), idle.is_writer()) == (True, False)


def test_who_broke_off_a_write_lets_nobody_go_on_from_what_it_noted(writing, clock, make_span):
    one, two = writing(), writing()
    one._database.command("ALTER TABLE notes ADD CONSTRAINT broken CHECK value = 0")
    with pytest.raises(StoreError):
        one.apply(Write(one.prepared([make_span()])))
    one._database.command("ALTER TABLE notes DROP CONSTRAINT broken")
    clock.now_s += TURN_S
    two.apply(Write(two.prepared([make_span()])), wait=False)
    one.drain()
    assert one.is_writer()


def test_an_answer_that_does_not_come_is_not_waited_for_for_ever(writing, clock, monkeypatch):
    monkeypatch.setattr("inspector.store.clickhouse.writing.ANSWER_S", 0)
    holder, asks = writing(), writing()
    holder.drain()
    with pytest.raises(StoreBusy, match="does not answer"):
        asks.apply(Delete("trace", "a" * 32))


@pytest.mark.slow
def test_what_was_settled_a_while_ago_is_removed(writing, address, clock):
    holder, asks = writing(), writing()
    holder.drain()
    database = Database(address, read_s=60)
    database.begin()
    old = Inbox(database, now_ns=lambda: 1).put("junk")
    holder.drain()
    asks.apply(Write([], []), wait=False)
    clock.now_s += 1
    holder._lease.keep()
    clock.now_s += 100
    holder._tidy_s = 0
    holder.drain()
    left = [row[0] for row in database.rows("SELECT DISTINCT id FROM inbox")]
    assert (old in left, len(left)) == (False, 1)
