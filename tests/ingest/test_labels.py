import json

import pytest

from inspector.model import Label
from inspector.otlp import decode, export_lines
from inspector.reading.dialects import read_span
from inspector.received.labels import label_event, labels_apart

TRACE, SPAN = "a" * 32, "1" * 16


def value(of):
    if isinstance(of, bool):
        return {"boolValue": of}
    return {"doubleValue": of} if isinstance(of, float) else {"stringValue": of}


def pairs(attributes):
    return [{"key": key, "value": value(of)} for key, of in attributes.items()]


def read(attributes=(), events=(), scope="", **fields):
    span = {"traceId": TRACE, "spanId": SPAN, "name": "chat", "startTimeUnixNano": "10", "endTimeUnixNano": "20"}
    span |= {"attributes": pairs(dict(attributes)), "events": list(events), **fields}
    request = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": scope}, "spans": [span]}]}]}
    return labels_apart(read_span(each) for each in decode(json.dumps(request).encode()).spans)


def test_an_event_with_the_result_of_an_evaluation_is_a_label_of_its_span():
    said = {"name": "relevance", "score.value": 0.5, "score.label": "fair", "explanation": "short"}
    result = {
        "name": "gen_ai.evaluation.result",
        "timeUnixNano": "15",
        "attributes": pairs({f"gen_ai.evaluation.{key}": of for key, of in said.items()}),
    }
    spans, (label,) = read(events=[{**result, "name": "another"}, {**result, "attributes": []}, result])
    assert len(spans) == 1
    assert (label.trace_id, label.span_id, label.run_id) == (TRACE, SPAN, None)
    assert (label.name, label.score, label.value, label.note) == ("relevance", 0.5, "fair", "short")
    assert (label.source, label.time_ns) == ("model", 15)


def test_attributes_of_a_span_with_the_result_of_an_evaluation_are_a_label_of_it():
    _, (label,) = read({"gen_ai.evaluation.name": "passed", "gen_ai.evaluation.score.value": True})
    assert (label.name, label.score, label.time_ns) == ("passed", 1.0, 20)


@pytest.mark.parametrize("attributes", [{}, {"gen_ai.evaluation.name": ""}, {"gen_ai.evaluation.score.value": 0.5}])
def test_what_names_no_evaluation_is_no_label(attributes):
    spans, labels = read(attributes)
    assert (len(spans), labels) == (1, [])


@pytest.mark.parametrize("target", [{"run_id": "r1"}, {"trace_id": TRACE, "span_id": SPAN}])
def test_an_exported_label_comes_back_as_it_was(target):
    fields = {"run_id": None, "trace_id": None, "span_id": None, **target}
    label = Label("7", *fields.values(), "quality", 0.5, "fair", "a note", "ada", "person", "123")
    again = b"".join(export_lines([label_event(label)]))
    assert again == b"".join(export_lines([label_event(label)]))
    spans, (found,) = labels_apart(read_span(each) for each in decode(again).spans)
    assert spans == []
    assert (found.run_id, found.trace_id, found.span_id) == tuple(fields.values())
    assert (found.name, found.score, found.value, found.note) == ("quality", 0.5, "fair", "a note")
    assert (found.author, found.source, found.time_ns) == ("ada", "person", 123)


def test_a_span_that_only_claims_to_be_a_label_stays_a_span():
    spans, labels = read({"inspector.hook": "label"})
    assert (len(spans), labels) == (1, [])


CASE = {
    "assertions": '{"equal":{"name":"equal","value":true,"reason":"case matters","source":{"name":"Equal"}}}',
    "scores": '{"closeness":{"name":"closeness","value":0.5,"reason":null,"source":{"name":"LLMJudge"}}}',
    "labels": '{"grade":{"name":"grade","value":"fair","reason":null,"source":{"name":"Equal"}}}',
}
"""As Pydantic Evals 2.62 writes them through Logfire 5.2."""


def test_what_evaluators_of_pydantic_evals_say_of_a_case_are_labels_of_its_span():
    _, found = read(CASE, scope="pydantic-evals")
    assert [(label.name, label.score, label.value, label.note, label.author, label.source) for label in found] == [
        ("equal", 1.0, "pass", "case matters", "Equal", "code"),
        ("closeness", 0.5, None, None, "LLMJudge", "model"),
        ("grade", None, "fair", None, "Equal", "code"),
    ]


def test_attributes_of_these_names_are_no_labels_where_another_made_them():
    assert read(CASE, scope="shop")[1] == []


@pytest.mark.parametrize("broken", ["", "[1]", "{", '{"a": 7}', '{"a": {"value": {"b": 1}}}'])
def test_results_of_another_form_break_nothing(broken):
    spans, labels = read({"scores": broken}, scope="pydantic-evals")
    assert len(spans) == 1
    assert all(label.score is None for label in labels)
