import dataclasses
import json

import pytest
from lists import in_order, pages, walk
from oracle import duration_ms

from inspector.model import Filter, SpanError

TOKENS = {
    "time": lambda span: span.start_ns,
    "duration": duration_ms,
    "cost": lambda span: span.cost_usd,
    "tokens": lambda span: (
        None
        if span.input_tokens is None and span.output_tokens is None
        else (span.input_tokens or 0) + (span.output_tokens or 0)
    ),
}


def key_of(event):
    return event.trace_id, event.span_id


def test_every_event_is_what_its_records_add_up_to(kept):
    found = {key_of(event): dataclasses.replace(event, seq=0) for event in walk(kept.store.events, Filter())}
    assert found == {key: kept.oracle.event(span) for key, span in kept.oracle.spans.items()}


def test_every_filter_finds_what_it_says(kept, long):
    for where in kept.filters(150 if long else 50):
        found = [key_of(event) for event in walk(kept.store.events, where)]
        assert len(found) == len(set(found)), where
        assert set(found) == {(span.trace_id, span.span_id) for span in kept.oracle.events(where)}, where


@pytest.mark.sweep(8)
@pytest.mark.parametrize("order", ["desc", "asc"])
@pytest.mark.parametrize("sort", TOKENS)
def test_lists_are_in_order_whatever_the_page(kept, sort, order):
    for where, limit in ((Filter(), 3), (Filter(kinds=("tool",)), 1), (Filter(kinds=("llm", "agent")), 500)):
        found = walk(kept.store.events, where, sort=sort, order=order, limit=limit)
        spans = kept.oracle.events(where)
        keys = {(span.trace_id, span.span_id): TOKENS[sort](span) for span in spans}
        assert sorted(map(key_of, found)) == sorted(keys)
        assert [keys[key_of(event)] for event in found] == in_order(list(keys.values()), order)


def test_events_in_full_give_back_what_was_written(kept):
    found = {key_of(event): event for event in walk(kept.store.events, Filter(), full=True)}
    for key, span in kept.oracle.spans.items():
        event = found[key]
        assert json.loads(bytes(event.attributes)) == span.attributes
        assert json.loads(bytes(event.events)) == list(span.events)
        assert json.loads(bytes(event.links)) == list(span.links)
        for field, attribute in ((event.input, span.input_key), (event.output, span.output_key)):
            text = span.attributes.get(attribute or "")
            assert (None if field is None else json.loads(bytes(field))) == (
                json.loads(text) if text and text.startswith("{") else text
            )


def test_one_event_is_found_by_its_ids(kept):
    for trace_id, span_id in list(kept.oracle.spans)[::7]:
        event = kept.store.event(span_id, trace_id=trace_id)
        assert key_of(event) == (trace_id, span_id)
        assert event.attributes is not None
        assert kept.store.event(span_id).span_id == span_id
    assert kept.store.event("e" * 16) is None
    assert kept.store.event(span_id, trace_id="0" * 32) is None


def test_changes_are_told_in_order_and_each_event_once(kept):
    for where in kept.filters(30):
        found, seq = [], 0
        while events := kept.store.after(seq, where, limit=20):
            assert all(seq < event.seq for event in events)
            found += events
            seq = events[-1].seq
        assert [event.seq for event in found] == sorted({event.seq for event in found})
        assert sorted(map(key_of, found)) == sorted((s.trace_id, s.span_id) for s in kept.oracle.events(where)), where
    assert kept.store.last_seq() == kept.store.indexed_seq() >= len(kept.oracle.spans)


def test_outlines_have_every_span_of_a_trace(kept):
    for trace_id in kept.oracle.trace_ids():
        rows = [row for outline in pages(kept.store.outline, trace_id, limit=4) for row in rows_of(outline)]
        assert {row[0]: row[1:] for row in rows} == {row[0]: row[1:] for row in expected_rows(kept.oracle, trace_id)}
        assert [row[2] for row in rows] == sorted(row[2] for row in rows)
    assert kept.store.outline("0" * 32) is None


def rows_of(outline):
    tables = dataclasses.asdict(outline.tables)
    columns = dataclasses.asdict(outline.columns)
    for name, table in tables.items():
        columns[name] = [None if at < 0 else table[at] for at in columns[name]]
    names = ("span_id", "parent_id", "offset_ms", "duration_ms", *tables, "input_tokens", "cost_usd", "folded_into")
    return zip(*(columns[name] for name in names), strict=True)


def expected_rows(oracle, trace_id):
    spans = oracle.in_trace(trace_id)
    start_ns = min(span.start_ns for span in spans)
    for span in spans:
        event = oracle.event(span)
        error_type = span.error.type if span.error else None
        names = (span.kind, span.status, span.name, span.agent, event.model, span.tool, error_type)
        figures = (span.input_tokens, span.cost_usd, event.folded_into)
        offset_ms = (span.start_ns - start_ns) / 1e6
        yield span.span_id, span.parent_id, offset_ms, duration_ms(span), *names, *figures


@pytest.mark.parametrize("attributes", [True, False])
def test_a_word_of_the_code_in_a_traceback_is_found_in_its_run_though_it_is_not_indexed(store, make_span, attributes):
    error = SpanError("ToolError", "divide failed", "Traceback:\n  numerator / b\nZeroDivisionError: by zero\n")
    store.write([make_span(trace_id="t", run="r", status="error", error=error)])
    store.maintain()
    hits = store.hits("numerator", run_id="r", attributes=attributes)
    assert [(place.within, place.path) for hit in hits.items for place in hit.places] == (
        [("error", ".traceback")] if attributes else []
    )


TRACEBACK = """Traceback (most recent call last):
  File "shop.py", line 3, in pay
    charge(card)
CardError: no funds on cobalt

The above exception was the direct cause of the following exception:

  + Exception Group Traceback (most recent call last):
  |   File "shop.py", line 9, in <module>
  | ExceptionGroup: two orders (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | OrderError: crimson is sold out
    +------------------------------------
"""


def event_of(name, **attributes):
    return {"name": name, "time_unix_nano": "1", "attributes": attributes}


def test_exceptions_and_logs_of_a_span_are_found_in_everything(store, make_span):
    caught = {"exception.type": "CardError", "exception.message": "emerald", "exception.stacktrace": TRACEBACK}
    store.write(
        [
            make_span(name="failed", status="error", error=SpanError("OrderError", "sold out", TRACEBACK)),
            make_span(name="caught", events=[event_of("exception", **caught)]),
            make_span(name="logged", events=[event_of("log", **{"log.body": "no magenta left", "level": 17})]),
            make_span(name="asked", events=[event_of("gen_ai.user.message", content="is there magenta")]),
            make_span(name="runs", status="running", events=[event_of("log", **{"log.body": "magenta"})]),
        ]
    )
    store.maintain()

    def found(q):
        return sorted(event.name for event in store.events(Filter(q=q)).items)

    assert found("cobalt") == found("cardError") == found('"crimson is sold"') == ["caught", "failed"]
    assert found("emerald") == ["caught"]
    assert found("magenta") == found("magenta 17") == ["logged"]
    assert found("shop") == found("charge") == found('"direct cause"') == found('"most recent"') == []


def test_a_running_span_is_found_in_its_run_by_its_events(store, make_span):
    store.write([make_span(trace_id="t", run="r", status="running", events=[event_of("log", text="no magenta")])])
    store.maintain()
    (hit,) = store.hits("magenta", run_id="r", attributes=True).items
    assert [(place.within, place.path, place.text) for place in hit.places] == [("events", "[0].text", "no magenta")]


def test_a_span_is_found_by_its_id_or_the_start_of_it_among_other_words_and_where_another_names_it(store, make_span):
    span_id, arguments = "0a1b2c3d4e5f6071", "gen_ai.tool.call.arguments"
    store.write(
        [
            make_span(trace_id="a" * 32, name="itself", span_id=span_id, attributes={arguments: "copper"}),
            make_span(trace_id="b" * 32, name="names it", attributes={arguments: f"copper {span_id}"}),
            make_span(trace_id="c" * 32, name="another", span_id="s-17", attributes={arguments: f"copper {span_id}f"}),
        ]
    )
    store.maintain()

    def found(q):
        names = sorted(event.name for event in store.events(Filter(q=q)).items)
        assert sorted(trace.name for trace in store.traces(Filter(q=q)).items) == names
        return names

    assert found(span_id) == found(f"copper {span_id.upper()}") == ["itself", "names it"]
    assert found(f"{span_id[:6]}*") == found(f"copper {span_id}*") == ["another", "itself", "names it"]
    assert found(f"{span_id} itself") == ["itself"]
    assert found(f'"{span_id} copper"') == found(span_id[:6]) == found(f"{span_id} nothere") == []
    assert found("s-17") == ["another"]


def test_hits_name_the_spans_of_a_trace_that_hold_the_words(kept):
    for q in ("anchor", "tool copper", "found", "nothere"):
        for trace_id in kept.oracle.trace_ids():
            hits = kept.store.hits(q, trace_id=trace_id, attributes=False)
            wanted = kept.oracle.events(Filter(q=q, trace_id=trace_id))
            assert {hit.span_id for hit in hits.items} == {span.span_id for span in wanted}
            assert (hits.total, hits.complete) == (len(wanted), True)
    assert kept.store.hits("anchor", trace_id="0" * 32) is None
