"""Labels in spans: evaluation results that arrive become labels, and labels are exported as spans.

https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/#event-gen_aievaluationresult
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import cast

from msgspec import MsgspecError, Raw, json

from inspector import semconv as sc
from inspector.model import NOTE, AttributeValue, Event, Label, LabelSource, Log, NewLabel, Span

LABEL_HOOK = "label"
"""The hook of a span that is only a label, for the run or the span that it names."""
MOST_OF_SPAN = 100
"""Maximum number of labels from one span."""
_EVALS = "pydantic-evals"
_RESULTS = ("assertions", "scores", "labels")
"""Attributes with the results of Pydantic Evals for a case: JSON objects by evaluator
(https://ai.pydantic.dev/evals/how-to/logfire-integration/)."""
_JUDGE = "LLMJudge"
_UNFIT = re.compile(r"[<>=\x00-\x1f]+")
_SOURCES: dict[object, LabelSource] = {"person": "person", "code": "code", "model": "model"}


def labels_apart(spans: Iterable[Span]) -> tuple[list[Span], list[NewLabel]]:
    """Return the spans without those that are only labels, and the labels in all of them."""
    kept: list[Span] = []
    labels: list[NewLabel] = []
    for span in spans:
        if span.hook == LABEL_HOOK:
            label = _of_its_own(span)
            if label is not None:
                labels.append(label)
                continue
        kept.append(span)
        if span.events or sc.EVALUATION_NAME in span.attributes:
            labels += _labels_of(span)
        if span.attributes.get(sc.OTEL_SCOPE_NAME) == _EVALS:
            labels += _of_a_case(span)
    return kept, labels


def _of_its_own(span: Span) -> NewLabel | None:
    """Return the label of a span that is only a label; None if it names no run or span."""
    link = next(iter(span.links), None)
    if link is not None:
        return _label(span.attributes, span.start_ns, trace_id=str(link["trace_id"]), span_id=str(link["span_id"]))
    return None if span.run is None else _label(span.attributes, span.start_ns, run_id=span.run)


def _labels_of(span: Span) -> Iterator[NewLabel]:
    target = {"trace_id": span.trace_id, "span_id": span.span_id}
    label = _label(span.attributes, span.end_ns or span.start_ns, **target)
    if label is not None:
        yield label
    results = [event for event in span.events if event.get("name") == sc.EVALUATION_EVENT]
    for event in results[:MOST_OF_SPAN]:
        label = _of_result(event, **target)
        if label is not None:
            yield label


def labels_of_logs(logs: Iterable[Log]) -> Iterator[NewLabel]:
    """Yield the labels in logs; they are kept whether or not their span comes."""
    for log in logs:
        if log.event.get("name") == sc.EVALUATION_EVENT:
            label = _of_result(log.event, trace_id=log.trace_id, span_id=log.span_id)
            if label is not None:
                yield label


def _of_result(event: Mapping[str, AttributeValue], **target: str) -> NewLabel | None:
    fields = cast("Mapping[str, AttributeValue]", event["attributes"])
    return _label(fields, int(str(event["time_unix_nano"])), **target)


def _label(fields: Mapping[str, AttributeValue], time_ns: int, **target: str) -> NewLabel | None:
    name = _text(fields.get(sc.EVALUATION_NAME), 100)
    if name is None:
        return None
    return NewLabel(
        **target,
        name=_UNFIT.sub(" ", name).strip() or NOTE,
        score=_score(fields.get(sc.EVALUATION_SCORE)),
        value=_text(fields.get(sc.EVALUATION_VALUE), 200),
        note=_text(fields.get(sc.EVALUATION_EXPLANATION), 10_000),
        author=_text(fields.get(sc.LABEL_AUTHOR), 100),
        source=_SOURCES.get(fields.get(sc.LABEL_SOURCE), "model"),
        time_ns=time_ns,
    )


def _of_a_case(span: Span) -> Iterator[NewLabel]:
    """Yield the labels from Pydantic Evals on the span of a case."""
    for key in _RESULTS:
        for name, result in list(_object(span.attributes.get(key)).items())[:MOST_OF_SPAN]:
            fields = _object(result)
            value, author = fields.get("value"), _text(_object(fields.get("source")).get("name"), 100)
            label = _label(
                {
                    sc.EVALUATION_NAME: name,
                    sc.EVALUATION_SCORE: value if isinstance(value, bool | int | float) else None,
                    sc.EVALUATION_VALUE: _VERDICTS[value] if isinstance(value, bool) else _text(value, 200),
                    sc.EVALUATION_EXPLANATION: _text(fields.get("reason"), 10_000),
                    sc.LABEL_AUTHOR: author,
                    sc.LABEL_SOURCE: "model" if author == _JUDGE else "code",
                },
                span.end_ns or span.start_ns,
                trace_id=span.trace_id,
                span_id=span.span_id,
            )
            if label is not None:
                yield label


_VERDICTS = {True: "pass", False: "fail"}


def _object(value: AttributeValue) -> Mapping[str, AttributeValue]:
    """Return a JSON object, decoded if it is a string; an empty one for anything else."""
    if isinstance(value, str):
        try:
            value = json.decode(value)
        except (MsgspecError, RecursionError):
            return {}
    return cast("Mapping[str, AttributeValue]", value) if isinstance(value, Mapping) else {}


def _text(value: AttributeValue, most: int) -> str | None:
    return value[:most] if isinstance(value, str) and value else None


def _score(value: AttributeValue) -> float | None:
    if isinstance(value, bool | int | float) and math.isfinite(value):
        return float(value)
    return None


def label_event(label: Label) -> Event:
    """Return the event that represents a label in exports; the same label always has the same ids."""
    fields: dict[str, AttributeValue] = {
        sc.HOOK: LABEL_HOOK,
        sc.EVALUATION_NAME: label.name,
        sc.EVALUATION_SCORE: label.score,
        sc.EVALUATION_VALUE: label.value,
        sc.EVALUATION_EXPLANATION: label.note,
        sc.LABEL_AUTHOR: label.author,
        sc.LABEL_SOURCE: label.source,
        sc.RUN_ID: label.run_id,
    }
    attributes = {key: value for key, value in fields.items() if value is not None}
    target = {"trace_id": label.trace_id, "span_id": label.span_id, "attributes": dict[str, str]()}
    identity = blake2b(json.encode((attributes, target)), digest_size=24).hexdigest()
    return Event(
        *(0, identity[:32], identity[32:], None, None, "other", f"label {label.name}", "ok", LABEL_HOOK, "inspector/1"),
        *(None, None, None, None, label.time_unix_nano, label.time_unix_nano, 0.0, None, None, None, None, None),
        attributes=Raw(json.encode(attributes)),
        links=None if label.span_id is None else Raw(json.encode([target])),
    )
