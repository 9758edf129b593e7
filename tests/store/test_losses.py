from dataclasses import replace

import pytest
from msgspec import UNSET

from inspector.model import Filter, Loss, Losses

SECOND_NS = 10**9
HOUR_NS = 3600 * SECOND_NS
LOSS = Loss("p", "run-1", "planner", "dropped", 3, HOUR_NS, HOUR_NS + SECOND_NS)


def test_losses_near_in_time_are_one_and_others_apart(store):
    later = replace(LOSS, since_ns=HOUR_NS + 30 * SECOND_NS, until_ns=HOUR_NS + 40 * SECOND_NS, count=4)
    far = replace(LOSS, since_ns=3 * HOUR_NS, until_ns=3 * HOUR_NS)
    other = replace(LOSS, process="q", run=None)
    store.write((), losses=[LOSS, replace(LOSS, reason="unmatched", count=1)])
    store.write((), losses=[later, far, other])
    assert [(loss.process, loss.reason, loss.count) for loss in store.losses()] == [
        ("p", "dropped", 3),
        ("p", "dropped", 7),
        ("q", "dropped", 3),
        ("p", "unmatched", 1),
    ]
    assert store.losses(limit=1) == (far,)
    assert [loss.count for loss in store.losses(run="run-1")] == [3, 7, 1]
    assert store.health().losses == Losses(dropped=13, unmatched=1)


def test_spans_and_losses_are_stored_together_or_not_at_all(store, make_span):
    with pytest.raises(TypeError):
        store.write([make_span()], losses=[replace(LOSS, since_ns="soon")])
    assert (store.losses(), store.events(Filter()).items) == ((), ())


@pytest.mark.parametrize(
    ("process", "since_ns", "until_ns", "is_said"),
    [
        ("p", HOUR_NS, HOUR_NS, True),
        ("p", 0, HOUR_NS, True),
        ("p", HOUR_NS + SECOND_NS, 2 * HOUR_NS, True),
        ("p", HOUR_NS + 2 * SECOND_NS, 2 * HOUR_NS, False),
        ("p", 0, HOUR_NS - 1, False),
        ("q", HOUR_NS, HOUR_NS, False),
    ],
)
def test_a_trace_says_what_its_processes_lost_in_its_time(store, make_span, process, since_ns, until_ns, is_said):
    span = make_span(process="p", start_ns=HOUR_NS, end_ns=HOUR_NS + SECOND_NS)
    store.write([span], losses=[replace(LOSS, process=process, since_ns=since_ns, until_ns=until_ns)])
    expected = Losses(dropped=3) if is_said else UNSET
    assert store.trace(span.trace_id).losses == expected
    assert store.outline(span.trace_id).trace.losses == expected
    assert store.traces(Filter()).items[0].losses is UNSET


def test_a_trace_that_runs_says_what_was_lost_since_it_began(store, make_span):
    span = make_span(process="p", start_ns=HOUR_NS, end_ns=None, status="running")
    store.write([span], losses=[replace(LOSS, since_ns=9 * HOUR_NS, until_ns=9 * HOUR_NS)])
    assert store.trace(span.trace_id).losses == Losses(dropped=3)


def test_a_removed_file_is_no_loss_of_the_process_that_removed_it(store, make_span):
    span = make_span(process="p", start_ns=HOUR_NS, end_ns=HOUR_NS + SECOND_NS)
    store.write([span], losses=[replace(LOSS, reason="dropped_segments")])
    assert store.trace(span.trace_id).losses is UNSET


def test_losses_that_arrive_late_are_kept_as_long_as_what_arrives_with_them(open_store, path):
    store = open_store(path, now_ns=lambda: 100 * HOUR_NS)
    store.write([], losses=[LOSS])
    store.prune(before_ns=100 * HOUR_NS, by="arrival")
    assert len(store.losses()) == 1
    store.prune(before_ns=101 * HOUR_NS, by="arrival")
    assert store.losses() == ()


def test_losses_are_pruned_by_age_and_stay_counted_for_good(store):
    store.write((), losses=[LOSS, replace(LOSS, since_ns=9 * HOUR_NS, until_ns=9 * HOUR_NS, count=1)])
    for _ in range(2):
        store.prune(before_ns=5 * HOUR_NS)
    assert store.health().losses == Losses(dropped=1)
    assert store.health().losses_ever == Losses(dropped=4)
    store.prune(before_ns=10 * HOUR_NS)
    assert store.health().losses == Losses()
    assert store.health().losses_ever == Losses(dropped=4)


def test_times_and_texts_that_no_column_holds_are_kept_as_far_as_they_go(store):
    store.write((), losses=[replace(LOSS, service="\ud800", until_ns=2**64 - 1)])
    [loss] = store.losses()
    assert (loss.service, loss.until_ns) == ("�", 2**63 - 1)
