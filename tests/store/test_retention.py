import contextlib
import json
import random
import sqlite3
import threading

import pytest
from sqlalchemy import event

from inspector.model import Filter, Log
from inspector.store import Pruned
from inspector.store.sqlite.upkeep import retention
from inspector.store.sqlite.upkeep.removal import MOST_SPANS, Removal
from inspector.store.sqlite.writing import logs as logs_module
from inspector.store.sqlite.writing.arrivals import HOUR_NS

INPUT = "gen_ai.input.messages"


def fill(store, make_span, traces, spans=4):
    for at in range(traces):
        prompt = json.dumps([{"text": f"question {at} " + "filling " * 200}])
        store.write(
            [
                make_span(
                    trace_id=f"t{at:03}",
                    session_id=f"s{at // 10}",
                    start_ns=at,
                    end_ns=at + 1,
                    attributes={INPUT: prompt, "blob": random.Random(at).randbytes(700).hex()},
                )
                for _ in range(spans)
            ]
        )
    while store.index():
        pass


def old_traces(make_span, count):
    return [make_span(trace_id=f"t{at:03}", start_ns=at, end_ns=at + 1) for at in range(count)]


def left(store):
    return [trace.trace_id for trace in store.traces(Filter(), order="asc", limit=1000).items]


def test_a_deleted_trace_is_gone_everywhere(store, make_span, rows_of):
    fill(store, make_span, 3)
    assert store.delete("trace", "t001") == 4
    assert store.delete("trace", "t001") == 0
    assert left(store) == ["t000", "t002"]
    assert store.trace("t001") is None
    assert store.events(Filter(q='"question 1"')).items == ()
    assert store.session("s0").traces == 2
    # A message is a row, and so is its long text.
    for table, count in (("spans", 8), ("traces", 2), ("contents", 4)):
        assert rows_of(f"SELECT count(*) FROM {table}") == [(count,)]


def test_a_deleted_session_takes_its_traces_along(store, make_span, rows_of):
    fill(store, make_span, 12)
    assert store.delete("session", "s0") == 40
    assert left(store) == ["t010", "t011"]
    assert [session.session_id for session in store.sessions().items] == ["s1"]
    assert store.delete("session", "s0") == 0
    store.delete("session", "s1")
    assert rows_of("SELECT count(*) FROM contents") == rows_of("SELECT count(*) FROM sessions") == [(0,)]


def test_space_that_nothing_needs_is_given_back_once_the_store_has_time(store, make_span, rows_of):
    chance = random.Random(7)
    store.write(
        [make_span(span_id=f"{at:016x}", attributes={"input": chance.randbytes(2_000).hex()}) for at in range(500)]
    )
    store.delete("trace", "a" * 32)
    assert rows_of("PRAGMA freelist_count") > [(32,)]
    store.write([make_span()])
    store.maintain()
    ((free,),), ((pages,),) = rows_of("PRAGMA freelist_count"), rows_of("PRAGMA page_count")
    assert free * 32 <= pages


def test_pruning_by_age_removes_whole_traces_that_were_over_by_then(store, make_span):
    fill(store, make_span, 10)
    store.write([make_span(trace_id="long", start_ns=2, end_ns=100)])
    pruned = store.prune(before_ns=5)
    assert (pruned.traces, pruned.spans) == (4, 16)
    assert left(store) == ["long", "t004", "t005", "t006", "t007", "t008", "t009"]
    assert store.prune(before_ns=5) == Pruned(0, 0, 0)


def test_pruning_that_may_take_no_time_goes_on_where_it_stopped(store, make_span):
    store.write(old_traces(make_span, 450))
    passes = [store.prune(before_ns=1000, for_s=0)]
    while not passes[-1].complete:
        passes.append(store.prune(before_ns=1000, for_s=0))
    assert passes[0].traces == 200
    assert sum(each.traces for each in passes) == 450
    assert left(store) == []


def test_pruning_by_size_removes_the_oldest_and_gives_the_space_back(store, make_span, path):
    fill(store, make_span, 300)
    store.sync()
    before = path.stat().st_size
    pruned = store.prune(max_bytes=before // 2)
    store.sync()
    assert pruned.bytes > before // 4
    assert path.stat().st_size <= before // 2 + 20 * 16384
    kept = left(store)
    assert 0 < len(kept) < 300
    assert kept == [f"t{at:03}" for at in range(300 - len(kept), 300)]
    assert pruned.traces == 300 - len(kept)


def test_a_size_that_can_never_be_reached_ends_with_an_empty_store(store, make_span):
    fill(store, make_span, 5)
    assert store.prune(max_bytes=1).traces == 5
    assert store.prune(before_ns=2**64, max_bytes=1).traces == 0


def test_pruning_by_arrival_keeps_what_came_late_however_old_it_is(open_store, path, make_span, rows_of):
    clock = iter(hour * HOUR_NS for hour in (100, 101, 103, 130, 130, 130))
    store = open_store(path, now_ns=lambda: next(clock))
    store.write([make_span(trace_id="first", start_ns=1), make_span(trace_id="growing", start_ns=2)])
    store.write([make_span(trace_id="second", start_ns=2**62)])
    store.write([make_span(trace_id="growing", start_ns=3), make_span(trace_id="imported", start_ns=4)])
    assert store.last_arrival_ns() == 103 * HOUR_NS
    assert store.prune(before_ns=101 * HOUR_NS + HOUR_NS - 1, by="arrival").traces == 1
    assert left(store) == ["growing", "imported", "second"]
    assert store.prune(before_ns=103 * HOUR_NS, by="arrival").traces == 1
    assert left(store) == ["growing", "imported"]
    assert store.prune(before_ns=104 * HOUR_NS, by="arrival").traces == 2
    assert rows_of("SELECT hour FROM arrivals") == [(103,), (130,)]


@pytest.mark.parametrize("wrong_hour", [3, 999_000])
def test_a_clock_that_was_wrong_for_a_while_makes_nothing_older_than_it_is(open_store, path, make_span, wrong_hour):
    now = [500_000]
    store = open_store(path, now_ns=lambda: now[0] * HOUR_NS)

    def write(hour, trace_id):
        now[0] = hour
        store.write([make_span(trace_id=trace_id)])

    def prune(hour):
        now[0] = hour
        store.prune(before_ns=(hour - 720) * HOUR_NS, by="arrival")
        return left(store)

    write(500_000, "aa")
    write(wrong_hour, "bb")
    write(500_001, "cc")
    assert prune(500_001) == prune(500_003) == prune(500_720) == ["aa", "bb", "cc"]
    # A trace that arrived at a wrong time goes with one that arrived before or after it.
    assert prune(500_721)[-1:] == ["cc"]
    assert prune(500_723) == []


def test_what_an_earlier_version_stored_counts_from_the_first_look_at_its_age(open_store, path, make_span):
    clock = iter(hour * HOUR_NS for hour in (0, 100, 130))
    store = open_store(path, now_ns=lambda: next(clock))
    store.write([make_span(start_ns=1)])
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM arrivals")
    assert store.last_arrival_ns() is None
    assert store.prune(before_ns=100 * HOUR_NS, by="arrival").traces == 0
    assert store.prune(before_ns=101 * HOUR_NS, by="arrival").traces == 1


def test_by_arrival_and_size_what_came_first_goes_first(store, make_span):
    chance = random.Random(7)
    for at in range(30):
        blob = chance.randbytes(60_000).hex()
        store.write([make_span(trace_id=f"t{at:02}", start_ns=99 - at, attributes={"blob": blob})])
    store.prune(max_bytes=store.health().used_bytes // 2, by="arrival")
    kept = left(store)
    assert 0 < len(kept) < 30
    assert sorted(kept) == [f"t{at:02}" for at in range(30 - len(kept), 30)]


def test_a_trace_larger_than_a_transaction_is_removed_in_slices(store, make_span, rows_of):
    prompt = json.dumps([{"text": "filling " * 200}])
    store.write([make_span(trace_id="big", attributes={INPUT: prompt}) for _ in range(2200)])
    store.write([make_span(trace_id="exact") for _ in range(MOST_SPANS)])
    while store.index():
        pass
    assert store.delete("trace", "big") == 2200
    assert store.delete("trace", "exact") == MOST_SPANS
    assert rows_of("SELECT count(*) FROM spans") == rows_of("SELECT count(*) FROM contents") == [(0,)]
    assert left(store) == []


def test_a_removal_that_was_cut_short_is_finished_by_the_next(store, make_span, rows_of, monkeypatch):
    store.write([make_span(trace_id="big", name="needle") for _ in range(MOST_SPANS + 7)])
    while store.index():
        pass
    real, calls = retention._delete_slice, []

    def die_after_one(*arguments):
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return real(*arguments)

    monkeypatch.setattr(retention, "_delete_slice", die_after_one)
    with pytest.raises(KeyboardInterrupt):
        store.prune(before_ns=2**63)
    monkeypatch.setattr(retention, "_delete_slice", real)
    assert len(store.events(Filter(q="needle"), limit=1000).items) == 7
    assert store.prune(before_ns=2**63).spans == 7
    assert rows_of("SELECT count(*) FROM spans") == [(0,)]


def test_each_slice_of_a_trace_costs_the_same_however_large_the_trace_is(store, make_span, steps):
    for trace_id, size in (("small", 200), ("large", 1000)):
        store.write([make_span(trace_id=trace_id, attributes={"text": "x" * 200}) for _ in range(size)])
    while store.index():
        pass

    def delete(trace_id):
        removal = Removal(store._remove, lambda: None)
        removal.spans = 50
        return retention.delete(removal, "trace", trace_id)

    small, large = steps(lambda: delete("small")), steps(lambda: delete("large"))
    assert large < 7 * small
    assert left(store) == []


def test_the_time_is_looked_at_within_a_trace_too(store, make_span):
    store.write([make_span(trace_id="big") for _ in range(2 * MOST_SPANS + 5)])
    store.write([make_span(trace_id="small") for _ in range(5)])
    passes = [store.prune(before_ns=2**63, for_s=0)]
    while not passes[-1].complete:
        passes.append(store.prune(before_ns=2**63, for_s=0))
    assert passes[0].spans == MOST_SPANS
    assert (sum(each.traces for each in passes), sum(each.spans for each in passes)) == (2, 2 * MOST_SPANS + 10)


@pytest.mark.slow
def test_pruning_by_size_counts_the_traces_once(store, make_span):
    store.write(old_traces(make_span, 4000))
    while store.index():
        pass
    counts = []

    @event.listens_for(store._writer._usable(), "before_cursor_execute")
    def listen(connection, cursor, statement, *_):
        counts.extend(
            [statement] * ("FROM traces" in statement and "WHERE" not in statement and "LIMIT" not in statement)
        )

    assert store.prune(max_bytes=store.health().used_bytes * 3 // 4).traces > 3 * retention.SIZE_TRACES
    assert len(counts) == 1


def test_writes_go_on_while_old_traces_are_removed(store, make_span):
    store.write(old_traces(make_span, 1000))
    new = [[make_span(trace_id=f"new{at:03}", start_ns=2**62 + at)] for at in range(30)]
    failures = []

    def write():
        try:
            for batch in new:
                store.write(batch)
        except Exception as err:
            failures.append(err)

    writing = threading.Thread(target=write)
    writing.start()
    store.prune(before_ns=2**61)
    writing.join(30)
    assert failures == []
    assert left(store) == [f"new{at:03}" for at in range(30)]
    assert store.health().spans == 30


def test_deleted_text_does_not_rest_in_the_file(store, make_span, path):
    secret = "correct-horse-battery-staple"
    store.write([make_span(trace_id="t1", name=secret, attributes={"text": secret})])
    store.delete("trace", "t1")
    store.sync()
    store.close()
    assert secret.encode() not in path.read_bytes()


def test_logs_of_a_trace_are_removed_in_steps_too(store, make_span, monkeypatch, rows_of):
    monkeypatch.setattr("inspector.store.sqlite.upkeep.removal.MOST_SPANS", 4)
    spans = [make_span(trace_id="t") for _ in range(3)]
    logs = [Log("t", span.span_id, {"name": f"{at}", "time_unix_nano": "1"}) for at in range(4) for span in spans]
    store.write(spans, logs=[*logs, Log("u", "1", {"name": "other", "time_unix_nano": "1"})])
    largest = []
    forget = logs_module.forget
    monkeypatch.setattr(logs_module, "forget", lambda *given: largest.append(removed := forget(*given)) or removed)
    assert store.delete("trace", "t") == 3
    assert (max(largest), sum(largest)) == (4, 12)
    assert rows_of("SELECT trace_id FROM logs") == [("u",)]
