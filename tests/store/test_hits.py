import json

import pytest

from inspector.model import Filter, SpanError

ARGUMENTS, RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"


@pytest.fixture
def indexed(store):
    def write(spans):
        store.write(spans)
        while store.index(100):
            pass
        return store

    return write


def tool(make_span, number, given, got, **fields):
    attributes = {ARGUMENTS: json.dumps(given), RESULT: json.dumps(got), **fields.pop("attributes", {})}
    return make_span(
        span_id=f"{number:016x}",
        start_ns=number,
        name="execute_tool get_invoice",
        input_key=ARGUMENTS,
        output_key=RESULT,
        attributes=attributes,
        **{"kind": "tool", "trace_id": "t", **fields},
    )


def said(store, q, **options):
    hits = store.hits(q, trace_id="t", **options)
    return [(int(hit.span_id, 16), [f"{place.within}{place.path}" for place in hit.places]) for hit in hits.items]


def test_every_part_of_a_span_is_searched_and_the_place_is_named(indexed, make_span):
    store = indexed(
        [
            tool(make_span, 1, {"invoice": {"number": "INV-1137"}}, {}),
            tool(make_span, 2, {}, [{"note": "see  INV-1137,\npaid"}]),
            tool(make_span, 3, {}, {}, error=SpanError("KeyError", "no INV-1137")),
            tool(make_span, 4, {}, {}, attributes={"billing.ref": "INV-1137"}),
            tool(make_span, 5, {"invoice": "INV-2"}, {}),
            tool(make_span, 6, {"invoice": "INV-1137"}, {}, trace_id="other"),
        ]
    )
    assert said(store, "inv-1137") == [
        (1, ["arguments.invoice.number"]),
        (2, ["result[0].note"]),
        (3, ["error"]),
        (4, ["attributesbilling.ref"]),
    ]
    place = store.hits("inv-1137", trace_id="t").items[1].places[0]
    assert place.text == "see INV-1137, paid"
    assert [place.text[begin:end] for begin, end in place.marks] == ["INV-1137"]


def test_hits_are_counted_also_those_that_are_not_asked_for(indexed, make_span):
    store = indexed([tool(make_span, number, {"city": "Berlin"}, {}) for number in range(1, 200)])
    hits = store.hits("berlin", trace_id="t", limit=3)
    assert [int(hit.span_id, 16) for hit in hits.items] == [1, 2, 3]
    assert hits.total == 199
    assert store.hits("paris", trace_id="t").total == 0
    assert store.hits("paris", trace_id="nowhere") is None
    assert "no word" in store.hits("***", trace_id="t").notice


@pytest.mark.parametrize("size", [10, 3000])
def test_a_prompt_that_repeats_a_text_is_no_hit_and_what_brought_it_is(indexed, make_span, size):
    filling = "x " * (size // 2)
    history = [{"role": "user", "content": f"where is zebra {filling}"}]
    spans = []
    for turn in range(1, 6):
        answer = {"role": "assistant", "content": f"turn {turn}: {'a giraffe' if turn == 2 else 'nothing'} {filling}"}
        spans.append(
            make_span(
                trace_id="t",
                span_id=f"{turn:016x}",
                start_ns=turn,
                kind="llm",
                session_id="s",
                input_key=INPUT,
                output_key=OUTPUT,
                attributes={INPUT: json.dumps(history), OUTPUT: json.dumps([answer])},
            )
        )
        history = [*history, answer]
    store = indexed(spans)
    assert said(store, "zebra") == [(1, ["messages[0].content"])]
    assert said(store, "giraffe") == [(2, ["answer[0].content"])]


def test_a_span_that_runs_is_searched_before_the_index_knows_it(store, make_span):
    store.write([tool(make_span, 1, {"city": "Berlin"}, {}, status="running", end_ns=None)])
    assert said(store, "berlin") == [(1, ["arguments.city"])]
    assert said(store, "berlin", attributes=False) == []


def test_the_beginning_of_a_word_is_found_with_a_star(indexed, make_span):
    store = indexed([tool(make_span, 1, {"invoice": "INV-1137"}, {})])
    assert said(store, "inv-11*") == [(1, ["arguments.invoice"])]
    assert said(store, "inv-11") == []


def test_a_run_is_searched_in_all_of_its_traces(indexed, make_span):
    spans = [tool(make_span, at, {"city": "Berlin"}, {}, trace_id=f"t{at}", session_id="s") for at in (1, 2)]
    store = indexed([*spans, tool(make_span, 3, {"city": "Berlin"}, {}, trace_id="t3")])
    runs = {run.run_id: run.traces for run in store.runs(Filter()).items}
    (both,) = (run_id for run_id, traces in runs.items() if traces == 2)
    hits = store.hits("berlin", run_id=both)
    assert [int(hit.span_id, 16) for hit in hits.items] == [1, 2]
    assert store.hits("berlin", run_id="none") is None


def test_what_a_model_answers_is_found_also_where_a_tool_gave_it_before(indexed, make_span):
    asks = {"type": "tool_call", "id": "p", "name": "pay", "arguments": {"amount": "84932.86"}}
    asked = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "84932.86"}]}]
    model = make_span(
        span_id=f"{2:016x}",
        start_ns=2,
        kind="llm",
        trace_id="t",
        input_key=INPUT,
        output_key=OUTPUT,
        attributes={INPUT: json.dumps(asked), OUTPUT: json.dumps([{"role": "assistant", "parts": [asks]}])},
    )
    store = indexed([tool(make_span, 1, {}, {"amount": "84932.86"}), model])
    assert said(store, "84932.86") == [(1, ["result.amount"]), (2, ["answer[0].parts[0].arguments.amount"])]
