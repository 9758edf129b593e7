"""Interprets stored spans again, and reports where the result differs.

A foreign span is read from its original attributes. A model call that we recorded is also described again, from the
prompt and the answer of its hooks. Name and status stay as they were (docs/decisions/what-is-read-again.md).
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from inspector import semconv as sc
from inspector.model import AttributeValue, Event, Span
from inspector.otlp import DecodedSpan, Scope, forget_reading, take_origin
from inspector.reading.call_record import CallRecord, Section
from inspector.reading.describe_model import describe_model
from inspector.reading.dialects import read_span
from inspector.reading.facts import Facts

_CODES: Final = {"error": sc.CODE_ERROR, "running": 0}
_BEFORE: Final = {"prompt": sc.SEED_LLM_PROMPT}
_AFTER: Final = {"response": sc.SEED_LLM_RESPONSE, "usage": sc.USAGE_JSON}
_SAID: Final = {"model": sc.SEED_LLM_MODEL, "provider": sc.SEED_LLM_PROVIDER, "operation": sc.OPERATION_NAME}
_OF_PROMPT: Final = (
    *(sc.INPUT_MESSAGES, sc.SYSTEM_INSTRUCTIONS, sc.TOOL_DEFINITIONS, sc.REQUEST_TEMPERATURE, sc.REQUEST_TOP_P),
    *(sc.REQUEST_TOP_K, sc.REQUEST_MAX_TOKENS, sc.REQUEST_SEED, sc.REQUEST_STREAM, sc.REQUEST_STOP_SEQUENCES),
)
_OF_ANSWER: Final = (
    *(sc.OUTPUT_MESSAGES, sc.RESPONSE_ID, sc.RESPONSE_MODEL, sc.RESPONSE_FINISH_REASONS, sc.SEED_STOP_REASON),
    *(sc.USAGE_INPUT_TOKENS, sc.USAGE_OUTPUT_TOKENS, sc.USAGE_CACHE_READ, sc.USAGE_CACHE_WRITE, sc.USAGE_REASONING),
)
_FIELDS: Final = (
    *("kind", "session_id", "hook", "dialect", "agent", "model", "tool", "input_tokens", "output_tokens"),
    *("cached_tokens", "cost_usd", "error"),
)


def reindexed(event: Event) -> Span:
    """Return a stored span, given in full, as this version reads it."""
    return as_it_ended(event, read_span(as_sent(event)))


def as_sent(event: Event) -> DecodedSpan:
    """Return a stored span, given in full, as it came, as far as that is stored."""
    attributes: dict[str, Any] = _decoded(event.attributes) or {}
    forget_reading(attributes)
    kind, scope, version = take_origin(event, attributes)
    if event.hook == "llm_generate" and sc.SEED_LLM_PROMPT in attributes:
        attributes = _described_again(attributes)
    resource: dict[str, AttributeValue] = {} if event.service is None else {sc.SERVICE_NAME: event.service}
    return DecodedSpan(
        event.trace_id,
        event.span_id,
        event.parent_id,
        event.name,
        kind,
        int(event.start_time_unix_nano),
        None if event.end_time_unix_nano is None else int(event.end_time_unix_nano),
        _CODES.get(event.status, sc.CODE_OK),
        None if event.error is None else event.error.message,
        attributes,
        _decoded(event.events) or [],
        _decoded(event.links) or [],
        resource,
        Scope(scope, version),
    )


def as_it_ended(event: Event, span: Span) -> Span:
    """Return another reading of a stored span with the stored status.

    Whether it failed is not decided again: that was read from fields that are not stored.
    """
    error = event.error if span.error is None or event.error is None else span.error
    return replace(span, status=event.status, error=error)


def differences(event: Event, span: Span) -> Iterator[str]:
    """Yield the names of fields and the keys of attributes in which two readings differ."""
    asked = span.attributes.get(sc.REQUEST_MODEL)
    fields = {
        **{name: getattr(span, name) for name in _FIELDS},
        "model": asked if isinstance(asked, str) else span.model,
        # A span without a session has that of its trace.
        "session_id": span.session_id or event.session_id,
    }
    yield from (name for name in _FIELDS if fields[name] != getattr(event, name))
    before: dict[str, Any] = _decoded(event.attributes) or {}
    after: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(span.attributes))
    yield from (key for key in {**before, **after} if key != sc.NORMALISED and before.get(key) != after.get(key))
    for name, key in (("input", span.input_key), ("output", span.output_key)):
        text = None if key is None else span.attributes.get(key)
        stored = getattr(event, name)
        if (text is not None) != isinstance(stored, Raw):
            yield name


def _decoded(text: object) -> Any:
    return msgspec.json.decode(text) if isinstance(text, Raw) else None


def _described_again(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a model call, its prompt and answer read again."""
    record = CallRecord("", "", "llm_generate", 0, state="ok")
    has_answer = sc.SEED_LLM_RESPONSE in attributes
    record.before = {
        **{fact: Raw(msgspec.json.encode(attributes[key])) for fact, key in _SAID.items() if key in attributes},
        **_texts(record, "before", _BEFORE, attributes),
    }
    record.after = _texts(record, "after", _AFTER, attributes) if has_answer else None
    after = Facts(record, "after", None) if has_answer else None
    description = describe_model(record, Facts(record, "before", None), after)
    derived = {*_OF_PROMPT, *(_OF_ANSWER if has_answer else ())}
    derived |= {f"{key}{sc.TRUNCATED_SUFFIX}" for key in derived}
    kept = {key: value for key, value in attributes.items() if key not in derived}
    # A cost that is there stays: a subscriber of the program may have written it, or a replay, which costs nothing.
    written = {sc.COST_USD: attributes[sc.COST_USD]} if sc.COST_USD in attributes else {}
    return {**kept, **description.attributes, **description.bodies, **written}


def _texts(record: CallRecord, section: Section, keys: dict[str, str], attributes: dict[str, Any]) -> dict[str, Raw]:
    there = {fact: text for fact, key in keys.items() if isinstance(text := attributes.get(key), str)}
    record.shortened[section] = [fact for fact in there if attributes.get(f"{keys[fact]}{sc.TRUNCATED_SUFFIX}") is True]
    return {fact: Raw(text.encode()) for fact, text in there.items()}
