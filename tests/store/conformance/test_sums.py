import pytest
from lists import fields_of, in_order, pages, walk
from made_spans import begin_of

from inspector.model import Filter

KEYS = {
    "time": lambda sums: int(sums["start_time_unix_nano"]),
    "duration": lambda sums: sums["duration_ms"],
    "cost": lambda sums: sums["cost_usd"] or 0,
    "spans": lambda sums: sums["spans"],
    "tokens": lambda sums: sums["input_tokens"] + sums["output_tokens"],
}
ORDERS = ["desc", "asc"]


def test_every_trace_is_the_sum_of_its_spans(kept):
    for trace_id in kept.oracle.trace_ids():
        wanted = kept.oracle.trace(trace_id)
        assert fields_of(kept.store.trace(trace_id), wanted) == wanted
    assert kept.store.trace("0" * 32) is None


def test_every_run_is_the_sum_of_its_traces(kept):
    for run in kept.oracle.runs(Filter()):
        assert fields_of(kept.store.run(run["run_id"]), run) == run
    assert kept.store.run("nothing") is None


def test_every_session_is_the_sum_of_what_belongs_to_it(kept):
    names = {session for span in kept.oracle.spans.values() if (session := kept.oracle.session_of(span))}
    assert {session.session_id for session in walk(kept.store.sessions)} == names
    for name in names:
        wanted = kept.oracle.session(name)
        assert fields_of(kept.store.session(name), wanted) == wanted
    assert kept.store.session("nobody") is None


def test_a_call_costs_what_its_provider_charged_though_the_list_has_a_price_for_the_framework(store, make_span):
    tokens = {"kind": "llm", "input_tokens": 10, "output_tokens": 5}
    outer = make_span(cost_usd=0.5, session_id="s", run="r", attributes={"inspector.emitter": "langchain"}, **tokens)
    charged = {"inspector.emitter": "openai", "inspector.cost.usd": 0.4}
    inner = make_span(cost_usd=0.4, parent_id=outer.span_id, attributes=charged, **tokens)
    # What the provider charged is known from what is stored, when the framework's span arrives.
    for span in (inner, outer):
        store.write([span])
    assert [(event.span_id, event.folded_into) for event in store.events(Filter(), order="asc").items] == [
        (outer.span_id, inner.span_id),
        (inner.span_id, None),
    ]
    summed = (store.trace(outer.trace_id), store.run("r"), store.session("s"), store.stats(Filter()).total)
    assert [sums.cost_usd for sums in summed] == [0.4] * 4


def test_a_part_of_an_id_finds_the_traces_and_runs_that_have_it(kept):
    traces = kept.oracle.trace_ids()
    for prefix in {trace_id[:size] for trace_id in traces for size in (1, 3, 32)}:
        begin_so = {trace_id for trace_id in traces if trace_id.startswith(prefix)}
        assert {trace.trace_id for trace in kept.store.traces_like(prefix, limit=1000)} == begin_so
        assert len(kept.store.traces_like(prefix, limit=1)) == 1
    runs = [run["run_id"] for run in kept.oracle.runs(Filter())]
    for part in {part for run_id in runs for part in (run_id, run_id[:1], run_id[-1:], run_id[-2:])}:
        begin_so = {run_id for run_id in runs if run_id.startswith(part)}
        end_so = {run_id for run_id in runs if run_id.endswith(part)}
        assert {run.run_id for run in kept.store.runs_like(part, ends=False, limit=1000)} == begin_so
        assert {run.run_id for run in kept.store.runs_like(part, ends=True, limit=1000)} == begin_so | end_so
    assert kept.store.traces_like("nothing", limit=3) == kept.store.runs_like("nothing", ends=True, limit=3) == ()


def test_every_filter_finds_its_traces_and_runs(kept, long):
    for where in kept.filters(120 if long else 50):
        traces = [trace.trace_id for trace in walk(kept.store.traces, where)]
        assert sorted(traces) == sorted(trace["trace_id"] for trace in kept.oracle.traces(where)), where
        runs = [run.run_id for run in walk(kept.store.runs, where)]
        assert sorted(runs) == sorted(run["run_id"] for run in kept.oracle.runs(where)), where


@pytest.mark.sweep(6)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("sort", KEYS)
def test_lists_of_traces_and_runs_are_in_order(kept, sort, order):
    for where, limit in ((Filter(), 4), (Filter(since_ns=begin_of(12)), 1), (Filter(kinds=("llm", "tool")), 200)):
        for ask, wanted, name in (
            (kept.store.traces, kept.oracle.traces(where), "trace_id"),
            (kept.store.runs, kept.oracle.runs(where), "run_id"),
        ):
            keys = {sums[name]: KEYS[sort](sums) for sums in wanted}
            found = [getattr(each, name) for each in walk(ask, where, sort=sort, order=order, limit=limit)]
            assert sorted(found) == sorted(keys)
            assert [keys[each] for each in found] == in_order(list(keys.values()), order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("sort", ["duration", "cost", "spans", "tokens"])
def test_sessions_are_in_order(kept, sort, order):
    found = walk(kept.store.sessions, sort=sort, order=order, limit=2)
    keys = []
    for session in found:
        sums = kept.oracle.session(session.session_id)
        length = int(sums["end_time_unix_nano"] or 0) - int(sums["start_time_unix_nano"])
        keys.append(KEYS[sort](sums) if sort != "duration" else length if sums["end_time_unix_nano"] else None)
    assert keys == in_order(keys, order)


def test_timelines_have_a_bar_for_each_call_below_the_root(kept):
    for trace in walk(kept.store.traces, Filter(), timeline=True):
        spans = kept.oracle.in_trace(trace.trace_id)
        below = [span for span in spans if span.parent_id is not None] or spans
        bars = sorted((bar.kind, bar.status) for bar in trace.timeline)
        assert bars == sorted((span.kind, span.status) for span in below)


def test_outlines_of_runs_have_every_span_of_their_traces(kept):
    for run in kept.oracle.runs(Filter()):
        outlines = pages(kept.store.run_outline, run["run_id"], limit=5)
        assert sum(len(outline.columns.span_id) for outline in outlines) == run["spans"]


def test_previews_say_what_calls_were_given_and_gave(kept):
    for run in kept.oracle.runs(Filter()):
        spans = [s for s in kept.oracle.spans.values() if kept.oracle.run_of_trace(s.trace_id) == run["run_id"]]
        asked = [span for span in spans if span.kind == "agent"]
        previews = kept.store.previews(run["run_id"], [span.span_id for span in asked])
        found = {(preview.trace_id, preview.span_id): (preview.input, preview.output) for preview in previews}
        for span in asked:
            said = span.attributes["gen_ai.input"], span.attributes["gen_ai.output"]
            assert found[span.trace_id, span.span_id] == said


def test_previews_of_calls_of_several_traces_are_those_of_their_runs(kept):
    asked = [span for span in kept.oracle.spans.values() if span.kind == "agent"]
    traces = sorted({span.trace_id for span in asked})[:40]
    wanted = [span for span in asked if span.trace_id in traces]
    previews = kept.store.previews(None, [span.span_id for span in wanted], trace_ids=traces)
    found = {(preview.trace_id, preview.span_id): (preview.input, preview.output) for preview in previews}
    for span in wanted:
        said = span.attributes["gen_ai.input"], span.attributes["gen_ai.output"]
        assert found[span.trace_id, span.span_id] == said
