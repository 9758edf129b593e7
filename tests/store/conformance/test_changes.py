import dataclasses
from functools import partial

import pytest
from lists import fields_of, walk
from made_spans import BASE_NS, MS, begin_of, spans_of
from msgspec import structs

from inspector.model import Filter, Loss, NewLabel, parse_label_filter
from inspector.store import Removed, SpoolMark

SEED = 11


def as_the_oracle_says(kept):
    """Compares everything that can be listed."""
    oracle = kept.oracle.settled()
    found = {
        (event.trace_id, event.span_id): dataclasses.replace(event, seq=0)
        for event in walk(kept.store.events, Filter(), limit=100)
    }
    assert found == {key: oracle.event(span) for key, span in oracle.spans.items()}
    assert {trace.trace_id for trace in walk(kept.store.traces, Filter())} == set(oracle.trace_ids())
    for trace_id in oracle.trace_ids():
        wanted = oracle.trace(trace_id)
        assert fields_of(kept.store.trace(trace_id), wanted) == wanted
    runs = {run["run_id"]: run for run in oracle.runs(Filter())}
    assert {run.run_id: fields_of(run, runs[run.run_id]) for run in walk(kept.store.runs, Filter())} == runs
    names = {session for span in oracle.spans.values() if (session := oracle.session_of(span))}
    assert {session.session_id for session in walk(kept.store.sessions)} == names
    for name in names:
        wanted = oracle.session(name)
        assert fields_of(kept.store.session(name), wanted) == wanted
    for q in ("anchor", "copper", "found"):
        wanted = {(span.trace_id, span.span_id) for span in oracle.events(Filter(q=q))}
        assert {(e.trace_id, e.span_id) for e in walk(kept.store.events, Filter(q=q), limit=100)} == wanted
    assert kept.store.stats(Filter()).total.count == len(oracle.calls(oracle.spans.values()))
    assert kept.store.health().spans == len(oracle.spans)


def forget(oracle, keys):
    for key in keys:
        del oracle.spans[key]


def test_what_is_written_again_changes_nothing(fill):
    kept = fill(SEED)
    seq = kept.store.last_seq()
    kept.store.write(list(kept.oracle.spans.values()))
    for batch in kept.made.batches:
        kept.store.write(batch)
    assert kept.store.last_seq() == seq
    as_the_oracle_says(kept)


def test_other_readings_take_the_place_of_what_is_stored_whatever_its_status(fill):
    kept = fill(SEED)
    seq = kept.store.last_seq()
    kept.store.write_again(list(kept.oracle.spans.values()))
    assert kept.store.last_seq() == seq
    readings = [
        structs.replace(span, model="another", cost_usd=0.5 if span.kind == "llm" else None)
        for span in kept.oracle.spans.values()
    ]
    kept.store.write_again([*readings, structs.replace(readings[0], trace_id="f" * 32)])
    kept.store.maintain()
    kept.oracle.spans |= {(span.trace_id, span.span_id): span for span in readings}
    as_the_oracle_says(kept)


def test_one_large_batch_is_as_good_as_many_small_ones(fill, engine, tmp_path):
    kept = fill(SEED)
    other = engine(tmp_path / "at once")
    other.write(spans_of(kept.made.batches))
    other.maintain()
    as_the_oracle_says(dataclasses.replace(kept, store=other))
    other.close()


@pytest.mark.sweep(3)
@pytest.mark.parametrize("noun", ["trace", "run", "session"])
def test_what_is_deleted_is_gone_from_everything_and_can_come_again(fill, noun):
    kept = fill(SEED)
    spans = list(kept.oracle.spans.values())
    trace_id = next(span.trace_id for span in spans if span.session_id and span.run)
    run_id, session_id = kept.oracle.run_of_trace(trace_id), kept.oracle.session_of_trace(trace_id)
    goes = {
        "trace": lambda span: span.trace_id == trace_id,
        "run": lambda span: kept.oracle.run_of_trace(span.trace_id) == run_id,
        "session": lambda span: (
            session_id in {kept.oracle.session_of(each) for each in kept.oracle.in_trace(span.trace_id)}
        ),
    }[noun]
    gone = [span for span in spans if goes(span)]
    delete = partial(kept.store.delete, noun)
    name = {"trace": trace_id, "run": run_id, "session": session_id}[noun]
    assert delete(name) == len(gone)
    assert delete(name) == 0
    forget(kept.oracle, [(span.trace_id, span.span_id) for span in gone])
    as_the_oracle_says(kept)
    kept.store.write(gone)
    kept.store.maintain()
    kept.oracle.write(gone)
    as_the_oracle_says(kept)


def test_pruning_removes_traces_that_were_over_before_a_time(fill):
    kept = fill(SEED)
    before_ns = begin_of(7)
    ends = {
        trace_id: max(max(span.start_ns, span.end_ns or 0) for span in kept.oracle.in_trace(trace_id))
        for trace_id in kept.oracle.trace_ids()
    }
    gone = [key for key in kept.oracle.spans if ends[key[0]] < before_ns]
    pruned = kept.store.prune(before_ns=before_ns)
    assert (pruned.traces, pruned.spans, pruned.complete) == (len({trace for trace, _ in gone}), len(gone), True)
    forget(kept.oracle, gone)
    as_the_oracle_says(kept)


def test_pruning_by_arrival_counts_from_when_spans_came(fill):
    hour_ns = 3600 * 10**9
    clock = [100 * hour_ns]
    kept = fill(SEED, now_ns=lambda: clock[0])
    clock[0] += 5 * hour_ns
    assert kept.store.prune(before_ns=99 * hour_ns, by="arrival").spans == 0
    assert kept.store.prune(before_ns=103 * hour_ns, by="arrival").spans == len(kept.oracle.spans)
    forget(kept.oracle, list(kept.oracle.spans))
    as_the_oracle_says(kept)
    assert kept.store.last_arrival_ns() is not None


def test_spans_of_processes_that_ended_are_lost(fill):
    kept = fill(SEED)
    processes = {span.process for span in kept.oracle.spans.values() if span.process}
    running = [key for key, span in kept.oracle.spans.items() if span.status == "running" and span.process]
    assert kept.store.mark_lost(sorted(processes)) == len(running)
    for key in running:
        kept.oracle.spans[key] = structs.replace(kept.oracle.spans[key], status="lost")
    kept.store.maintain()
    as_the_oracle_says(kept)
    assert kept.store.mark_lost(sorted(processes)) == 0


def test_marks_of_spools_come_with_their_rows_and_go_when_forgotten(fill):
    store = fill(SEED).store
    marks = [SpoolMark("a.jsonl", 2**64 - 1, 10, 4, 1, 3, 2), SpoolMark("b.jsonl", 7, 20)]
    store.write((), marks=marks)
    store.write((), marks=[dataclasses.replace(marks[1], offset=30)])
    assert store.spools() == {"a.jsonl": marks[0], "b.jsonl": dataclasses.replace(marks[1], offset=30)}
    store.forget_spools(["a.jsonl", "c.jsonl"])
    assert list(store.spools()) == ["b.jsonl"]


def test_labels_are_found_on_what_they_were_given_to(fill):
    kept = fill(SEED)
    (trace_id, span_id), *_ = kept.oracle.spans
    run_id = kept.oracle.run_of_trace(trace_id)
    on_span = NewLabel(trace_id=trace_id, span_id=span_id, name="quality", score=0.8, time_ns=5)
    given = kept.store.set_label(on_span)
    assert (given.span_id, given.score) == (span_id, 0.8)
    kept.store.set_label(NewLabel(run_id=run_id, name="good", author="ada", time_ns=6))
    kept.store.set_label(NewLabel(run_id=run_id, name="bad", author="ada", time_ns=7))
    assert kept.store.set_label(NewLabel(run_id="nothing", name="good", time_ns=8)) is None
    assert [label.name for label in walk(kept.store.labels, limit=1)] == ["bad", "quality"]
    assert [label.name for label in kept.store.labels(run_id=run_id).items] == ["bad", "quality"]

    def labelled(text, ask=kept.store.events):
        return [getattr(each, "span_id", None) for each in ask(Filter(labels=(parse_label_filter(text),))).items]

    assert labelled("quality>0.5") == labelled("quality") == [span_id]
    assert labelled("quality>0.9") == labelled("good") == []
    assert [run.run_id for run in kept.store.runs(Filter(labels=(parse_label_filter("bad"),))).items] == [run_id]
    assert kept.store.remove_label(given.label_id).name == "quality"
    assert kept.store.remove_label(given.label_id) is None
    assert labelled("quality") == []
    kept.store.delete("run", run_id)
    assert kept.store.labels().items == ()


def test_what_was_not_recorded_is_kept_and_told_with_its_traces(fill):
    store = fill(SEED).store
    loss = Loss("p", "r1", "web", "dropped", 3, BASE_NS, BASE_NS + MS)
    store.write((), losses=[loss])
    assert store.losses() == store.losses(run="r1") == (loss,)
    assert store.losses(run="other") == ()
    assert store.health().losses.dropped == store.health().losses_ever.dropped == 3


def test_what_retention_notes_is_there_for_the_next(fill):
    store = fill(SEED).store
    store.note_removal(Removed("age", 5, 1, 2))
    store.note_removal(Removed("age", 6, 3, 4))
    assert store.health().removed == (Removed("age", 6, 3, 4),)
    store.doubt_clock(doubted=True)
    assert store.is_clock_doubted()
    store.doubt_clock(doubted=False)
    assert not store.is_clock_doubted()


def test_how_much_is_kept_counts_runs_and_traces(fill):
    kept = fill(SEED)
    found = kept.store.retained()
    assert (found.runs, found.traces) == (len(kept.oracle.runs(Filter())), len(kept.oracle.trace_ids()))
    assert found.next_trace.trace_id == kept.oracle.trace_ids()[0]


def test_a_span_that_comes_again_without_its_run_stays_in_it(store, make_span):
    store.write([make_span(span_id="9" * 16, run="r1", process="20261122T120000-17-abcdef01")])
    store.write([make_span(span_id="9" * 16, run=None, process=None, name="again")])
    (run,) = store.runs(Filter()).items
    assert (run.run_id, run.spans) == ("r1", 1)
    assert store.events(Filter()).items[0].name == "again"
