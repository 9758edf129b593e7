"""Logs of spans: stored at once, due when their span has ended, and kept for when it is sent again without them."""

import random
from contextlib import closing

import pytest
from lists import walk
from msgspec.structs import replace

from inspector.ingest.joining import Joining
from inspector.model import Filter, Log, Span
from inspector.store import Joined

HOUR_NS = 3600 * 10**9
TRACE = "a" * 32


def make_log(at, *, span_id="1" * 16, trace_id=TRACE, **attributes):
    return Log(trace_id, span_id, {"name": f"log {at}", "time_unix_nano": f"{at}", "attributes": attributes})


def make_span(*, span_id="1" * 16, trace_id=TRACE, status="ok", **fields):
    end_ns = None if status == "running" else 9
    return Span(trace_id, span_id, "chat", "llm", status, 5, end_ns=end_ns, **fields)


def due(store, most=1000):
    return {(each.trace_id, each.span_id): list(each.logs) for each in store.due_logs(most)}


def join(store, most=1000):
    spans, joined = [], []
    for each in store.due_logs(most):
        event = store.event(each.span_id, trace_id=each.trace_id)
        joined.append(Joined(each, 0 if event is None else event.seq))
        if event is not None:
            (span,) = (found.span for found in store.stored([each.trace_id]) if found.span.span_id == each.span_id)
            events = [*span.events, *(log.event for log in each.logs if log.event not in span.events)]
            spans.append(replace(span, events=sorted(events, key=lambda event: int(event["time_unix_nano"]))))
    return store.write_again(spans, joined=joined)


def events_of(store, span_id="1" * 16, trace_id=TRACE):
    (span,) = (found.span for found in store.stored([trace_id]) if found.span.span_id == span_id)
    return [event["name"] for event in span.events]


def kept(store):
    return {(each.log.trace_id, each.log.span_id, each.log.event["name"]) for each in store.kept_logs()}


def test_logs_are_due_once_their_span_has_ended(store):
    store.write((), logs=[make_log(2), make_log(1)])
    assert due(store) == {}
    store.write([make_span(status="running")])
    assert due(store) == {}
    store.write([make_span()])
    assert due(store) == {(TRACE, "1" * 16): [make_log(1), make_log(2)]}
    assert join(store) == 1
    assert due(store) == {}
    assert events_of(store) == ["log 1", "log 2"]


def test_logs_of_a_span_that_has_ended_are_due_at_once(store):
    store.write([make_span()])
    assert due(store) == {}
    store.write((), logs=[make_log(1)])
    assert due(store) == {(TRACE, "1" * 16): [make_log(1)]}


def test_logs_that_arrive_with_their_span_are_due_at_once(store):
    store.write(
        [make_span(), make_span(span_id="2" * 16, status="running")], logs=[make_log(1), make_log(2, span_id="2" * 16)]
    )
    assert due(store) == {(TRACE, "1" * 16): [make_log(1)]}


def test_a_log_that_is_sent_again_adds_nothing_whatever_the_order_of_its_attributes(store):
    store.write([make_span()], logs=[make_log(1, a=1, b=[2.5, None]), make_log(1, b=[2.5, None], a=1)])
    assert len(store.kept_logs()) == 1
    join(store)
    store.write((), logs=[make_log(1, b=[2.5, None], a=1)])
    assert due(store) == {}
    store.write((), logs=[make_log(1, b=[2.5, None], a=2)])
    assert len(due(store)[TRACE, "1" * 16]) == 2


def test_a_span_that_is_sent_again_without_its_logs_gets_them_again(store):
    store.write([make_span()], logs=[make_log(1)])
    join(store)
    store.write([make_span(model="another")])
    assert events_of(store) == []
    join(store)
    assert events_of(store) == ["log 1"]
    assert due(store) == {}


def test_logs_of_a_span_that_is_lost_are_due(store):
    store.write([make_span(status="running", process="p")], logs=[make_log(1)])
    assert store.mark_lost(["other"]) == 0
    assert due(store) == {}
    assert store.mark_lost(["p"]) == 1
    join(store)
    assert (events_of(store), store.event("1" * 16).status) == (["log 1"], "lost")


def test_a_span_that_changed_meanwhile_is_not_overwritten_and_its_logs_stay_due(store):
    store.write([make_span()], logs=[make_log(1)])
    (found,) = store.due_logs(10)
    seq = store.event("1" * 16).seq
    store.write([make_span(model="later")])
    assert store.write_again([make_span(model="earlier")], joined=[Joined(found, seq)]) == 0
    assert store.event("1" * 16).model == "later"
    join(store)
    assert (store.event("1" * 16).model, events_of(store), due(store)) == ("later", ["log 1"], {})


def test_logs_that_arrive_while_others_are_joined_stay_due(store):
    store.write([make_span()], logs=[make_log(1)])
    (found,) = store.due_logs(10)
    store.write((), logs=[make_log(2)])
    store.write_again([], joined=[Joined(found, store.event("1" * 16).seq)])
    assert due(store) == {(TRACE, "1" * 16): [make_log(1), make_log(2)]}


def test_logs_of_a_span_that_cannot_be_read_are_settled_without_it(store):
    store.write([make_span()], logs=[make_log(1)])
    (found,) = store.due_logs(10)
    assert store.write_again([], joined=[Joined(found, store.event("1" * 16).seq)]) == 0
    assert due(store) == {}


def test_only_so_many_spans_are_given_at_once_and_only_the_first_logs_of_each(store, monkeypatch):
    for module in ("sqlite.writing", "clickhouse"):
        monkeypatch.setattr(f"inspector.store.{module}.logs.MOST_JOINED", 3)
    ids = [f"{at:016x}" for at in range(1, 6)]
    store.write([make_span(span_id=span_id) for span_id in ids])
    store.write((), logs=[make_log(at, span_id=span_id) for at in (9, 7, 3, 5) for span_id in ids])
    found = store.due_logs(2)
    assert [[log.event["name"] for log in each.logs] for each in found] == [["log 3", "log 5", "log 7"]] * 2
    for _ in range(3):
        join(store, 2)
    assert due(store) == {}
    assert {len(events_of(store, span_id)) for span_id in ids} == {3}


@pytest.mark.parametrize("delete", ["trace", "run", "session", "age"])
def test_logs_go_with_their_trace(store, delete):
    store.write([make_span(session_id="s"), make_span(trace_id="b" * 32, session_id="t")])
    store.write((), logs=[make_log(1), make_log(2, span_id="9" * 16), make_log(3, trace_id="b" * 32)])
    if delete == "age":
        store.write([make_span(trace_id="b" * 32, session_id="t", model="later", span_id="3" * 16)])
        store.delete("trace", "b" * 32)
        store.prune(before_ns=10)
        assert kept(store) == set()
        return
    run_id = store.trace(TRACE).run_id
    assert store.delete(delete, {"trace": TRACE, "run": run_id, "session": "s"}[delete]) == 1
    assert kept(store) == {("b" * 32, "1" * 16, "log 3")}
    assert due(store) == {("b" * 32, "1" * 16): [make_log(3, trace_id="b" * 32)]}


def test_a_trace_that_is_only_logs_is_deleted_too(store):
    store.write((), logs=[make_log(1), make_log(2, trace_id="b" * 32)])
    assert store.delete("trace", TRACE) == 0
    assert kept(store) == {("b" * 32, "1" * 16, "log 2")}


def test_old_logs_are_removed_whether_or_not_they_are_joined(engine, tmp_path):
    now = [400_000 * HOUR_NS]
    with closing(engine(tmp_path / "home", now_ns=lambda: now[0])) as store:
        store.write([make_span()], logs=[make_log(1), make_log(2, span_id="2" * 16)])
        join(store)
        now[0] += 2 * HOUR_NS
        store.write((), logs=[make_log(3, span_id="3" * 16)])
        assert store.drop_logs(400_000, 10) == 0
        assert len(kept(store)) == 3
        assert store.drop_logs(400_001, 10) == 1
        assert kept(store) == {(TRACE, "3" * 16, "log 3")}
        assert events_of(store) == ["log 1"]


def test_if_too_many_wait_the_first_to_arrive_are_removed(store):
    store.write([make_span()], logs=[make_log(0)])
    for at in (3, 1, 2, 5, 4):
        store.write((), logs=[make_log(at, span_id="2" * 16)])
    assert store.drop_logs(0, 2) == 3
    assert {name for *_, name in kept(store)} == {"log 0", "log 5", "log 4"}
    assert store.drop_logs(0, 2) == 0


def test_texts_that_cannot_be_stored_are_cleaned_and_times_at_their_bounds_kept(store):
    odd = "'\\ \ud800 \0 ü \n"
    latest = f"{2**64 - 1}"
    log = Log(TRACE, "1" * 16, {"name": odd, "time_unix_nano": latest, "attributes": {odd: [float("nan"), odd]}})
    store.write([make_span()], logs=[log, make_log(5)])
    clean = odd.replace("\ud800", "�")
    first, last = due(store)[TRACE, "1" * 16]
    assert first == make_log(5)
    assert last.event == {"name": clean, "time_unix_nano": latest, "attributes": {clean: [None, clean]}}


def test_all_logs_are_given_for_a_copy_page_by_page(store):
    logs = [make_log(at % 3, span_id=f"{at % 4:016x}", trace_id=f"{at % 5:032x}") for at in range(60)]
    store.write((), logs=logs)
    found, after = [], ("", "", "")
    while page := store.kept_logs(after, limit=7):
        found += page
        after = (page[-1].log.trace_id, page[-1].log.span_id, page[-1].identity)
    assert len({(each.log.trace_id, each.log.span_id, each.identity) for each in found}) == len(found) == 60
    assert sorted(each.log.event["name"] for each in found) == sorted(log.event["name"] for log in logs)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", range(3))
def test_in_whatever_order_and_groups_records_arrive_every_span_has_its_logs(store, seed):
    rng = random.Random(seed)
    ids = [f"{at:016x}" for at in range(1, 5)]
    records = [make_span(span_id=span_id, status=status) for span_id in ids for status in ("running", "ok", "ok")]
    records += [make_log(at, span_id=span_id) for span_id in ids for at in (1, 2, 2, 3)]
    rng.shuffle(records)
    while records:
        group, records = records[: (most := rng.randint(1, 5))], records[most:]
        spans = [record for record in group if isinstance(record, Span)]
        store.write(spans, logs=[record for record in group if isinstance(record, Log)])
        if rng.random() < 0.5:
            join(store, rng.randint(1, 3))
    while due(store):
        join(store)
    assert {tuple(events_of(store, span_id)) for span_id in ids} == {("log 1", "log 2", "log 3")}
    assert all(event.status == "ok" for event in walk(store.events, Filter()))


def test_ingest_joins_what_is_due_and_again_what_is_sent_again(store):
    other = "2" * 16
    store.write([make_span(), make_span(span_id=other)], logs=[make_log(5), make_log(9), make_log(3, span_id=other)])
    assert not Joining(store).join()
    assert (events_of(store), events_of(store, other)) == (["log 5", "log 9"], ["log 3"])
    store.write([make_span(agent="sent again")], logs=[make_log(1)])
    assert not Joining(store).join()
    assert (events_of(store), events_of(store, other)) == (["log 1", "log 5", "log 9"], ["log 3"])
    assert due(store) == {}
