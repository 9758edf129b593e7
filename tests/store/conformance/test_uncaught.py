"""The exception that ended a program makes its run fail, and is neither a call nor a trace of it."""

import pytest

from inspector.model import Filter, SpanError

BOOM = SpanError("RuntimeError", "boom", None)


@pytest.fixture
def ended(store, make_span):
    """A run with a good call and a failed trace, in a session, which an exception ended."""
    its = {"run": "r", "session_id": "s"}
    store.write([make_span(trace_id="1" * 32, kind="llm", **its)])
    store.write([make_span(trace_id="2" * 32, status="error", **its)])
    exception = {"kind": "other", "name": "uncaught exception", "hook": "uncaught", "error": BOOM}
    store.write([make_span(trace_id="3" * 32, span_id="e" * 16, status="error", **exception, **its)])
    store.maintain()
    return store


@pytest.mark.parametrize("ask", [lambda store: store.run("r"), lambda store: store.session("s")])
def test_no_sum_counts_it_but_the_status_and_the_end(ended, ask):
    sums = ask(ended)
    assert (sums.status, sums.traces, sums.failed_traces) == ("error", 2, 1)
    assert (sums.spans, sums.calls, sums.errors, sums.tool_calls) == (2, 2, 1, 1)
    assert sums.end_time_unix_nano == ended.event("e" * 16).end_time_unix_nano


def test_a_run_whose_traces_are_ok_fails_by_it(store, make_span):
    store.write([make_span(trace_id="1" * 32, run="r")])
    assert store.run("r").status == "ok"
    store.write([make_span(trace_id="2" * 32, run="r", hook="uncaught", status="error", kind="other", error=BOOM)])
    run = store.run("r")
    assert (run.status, run.traces, run.failed_traces, run.calls, run.errors) == ("error", 1, 0, 1, 0)
    assert [each.run_id for each in store.runs(Filter(statuses=("error",))).items] == ["r"]


def test_statistics_leave_it_out_but_those_of_runs_group_by_its_error(ended):
    of_calls = ended.stats(Filter(), of="events", by="error_type")
    assert [(group.key, group.count) for group in of_calls.groups] == [("ValueError", 1), (None, 1)]
    assert ended.stats(Filter(name="uncaught exception"), of="events").total.count == 0
    assert ended.stats(Filter(), of="traces").total.count == 2
    assert ended.stats(Filter(), of="traces").total.errors == 1
    of_runs = ended.stats(Filter(), of="runs", by="error_type")
    assert sorted(group.key for group in of_runs.groups) == ["RuntimeError", "ValueError"]
    ever = ended.health().calls_ever
    assert {kind: counts for kind, counts in ever.items() if any(counts)} == {"llm": (1, 0), "tool": (1, 1)}


def test_it_is_listed_as_a_span_that_is_no_duplicate(ended):
    (event,) = ended.events(Filter(error_type="RuntimeError", duplicates=False)).items
    assert (event.name, event.folded_into) == ("uncaught exception", None)
    assert ended.run_outline("r").columns.folded_into == [None, None, None]
    assert ended.trace("3" * 32).calls == 0


def test_its_trace_has_its_status_even_if_it_names_a_parent(store, make_span):
    store.write([make_span(hook="uncaught", status="error", kind="other", error=BOOM, parent_id="9" * 16)])
    assert store.traces(Filter()).items[0].status == "error"
