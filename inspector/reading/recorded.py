"""Reads lines of a spool as spans: facts from our recorder, or OTLP requests."""

import math
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import msgspec
from msgspec import Raw

from inspector import semconv as sc
from inspector.model import AttributeValue
from inspector.otlp import Decoded, DecodedSpan, Item, Scope, decode, items_of, items_of_spans, reported
from inspector.otlp.from_json import MAX_OBJECTS
from inspector.otlp.limits import MAX_ATTRIBUTES, MAX_EVENTS, MAX_KEY, note_losses
from inspector.parts import Parts
from inspector.plain import INT64
from inspector.reading.call_record import (
    BEGIN,
    CallRecord,
    EventRecord,
    FailureRecord,
    SpoolLine,
    decode_call,
    decode_line,
    decode_line_outline,
)
from inspector.reading.describe import describe
from inspector.reading.description import Description

_UNREADABLE: Final = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)
_CODES: Final = {"ok": sc.CODE_OK, "error": sc.CODE_ERROR}


def read_line(data: bytes, parts: Parts[Any] | None = None) -> Decoded:
    """Return the spans of a line; never raises, whatever the bytes."""
    if not data.startswith(BEGIN):
        return decode(data, parts)
    rejected: Counter[str] = Counter()
    try:
        line = _line_of(data, rejected)
    except _UNREADABLE as error:
        return Decoded(malformed=str(error)[:200])
    before = 0 if parts is None else parts.given_bytes
    process: dict[str, AttributeValue] = {**line.process}
    version = line.process.get(sc.SDK_VERSION)
    scope = Scope(sc.SCOPE_NAME, version if isinstance(version, str) else "")
    spans: list[DecodedSpan] = []
    for call in line.calls:
        try:
            spans.append(span_of(call, process, scope, parts))
        except _UNREADABLE:
            rejected["malformed"] += 1
    put_together = 0 if parts is None else parts.given_bytes - before
    return Decoded(spans, rejected, reported(process, line.lost), put_together=put_together)


def items_of_line(data: bytes, parts: Parts[Any] | None = None) -> list[Item]:
    """Return the spans of a line in OTLP/JSON, to be forwarded.

    Raises:
        ValueError: The line is broken, for example cut by a crash.
    """
    if not data.startswith(BEGIN):
        return items_of(data, parts)
    decoded = read_line(data, parts)
    if decoded.malformed is not None:
        raise ValueError(decoded.malformed)
    return items_of_spans(decoded)


def _line_of(data: bytes, rejected: Counter[str]) -> SpoolLine:
    try:
        return decode_line(data)
    except msgspec.MsgspecError:
        # In a hostile line each comma may begin an invalid call, which costs fifty times its text.
        if data.count(b",") > MAX_OBJECTS:
            raise ValueError(f"broken, and more than {MAX_OBJECTS:,} parts") from None
        outline = decode_line_outline(data)
    calls: list[CallRecord] = []
    for call in outline.calls:
        try:
            calls.append(decode_call(call))
        except _UNREADABLE:
            rejected["malformed"] += 1
    return SpoolLine(outline.process, tuple(calls), outline.lost)


def span_of(
    record: CallRecord, process: Mapping[str, AttributeValue], scope: Scope, parts: Parts[Any] | None = None
) -> DecodedSpan:
    """Return a call as a span.

    Raises:
        ValueError: It has no id, or one of its values is invalid JSON.
    """
    if not (int(record.trace, 16) and int(record.span, 16)):
        raise ValueError("no call has an id of zeros")
    description = describe(record, parts)
    attributes = _kept(description)
    failure = record.failure
    events = [_event(each) for each in record.events[:MAX_EVENTS]]
    if failure is not None and failure.stacktrace is not None:
        events.append(_exception_event(failure, record.stop or record.start))
    return DecodedSpan(
        record.trace,
        record.span,
        None if record.parent == record.span else record.parent,
        description.name,
        description.kind,
        record.start,
        None if record.state == "running" else record.stop or record.start,
        _CODES.get(record.state, 0),
        (failure.message or None) if failure is not None and record.state == "error" else None,
        attributes,
        events,
        [{"trace_id": trace, "span_id": span, "attributes": {}} for trace, span in record.links[:MAX_EVENTS]],
        process,
        scope,
    )


def _kept(description: Description) -> dict[str, AttributeValue]:
    """Return attributes within the limits that apply to all spans."""
    every: dict[str, AttributeValue] = {**description.attributes, **description.bodies}
    if len(every) <= MAX_ATTRIBUTES and all(map(_fits, every, every.values())):
        return every
    kept = {
        key[:MAX_KEY]: str(value) if type(value) is int and value not in INT64 else value
        for key, value in islice(every.items(), MAX_ATTRIBUTES)
    }
    note_losses(kept, (len(every), 0, 0), 0)
    return kept


def _fits(key: str, value: AttributeValue) -> bool:
    return len(key) <= MAX_KEY and (type(value) is not int or value in INT64)


def _event(event: EventRecord) -> Mapping[str, AttributeValue]:
    attributes = {key: _event_attribute(key, raw) for key, raw in event.facts.items() if raw != _NULL}
    if event.failure is not None:
        attributes |= _exception(event.failure)
    return {"name": event.name, "time_unix_nano": str(event.at), "attributes": attributes}


_NULL: Final = Raw(b"null")


def _event_attribute(key: str, raw: Raw) -> AttributeValue:
    text = bytes(raw).decode()
    if key.endswith("_json") or text.startswith(("{", "[")):
        return text
    value: AttributeValue = msgspec.json.decode(raw)
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def _exception_event(failure: FailureRecord, at_ns: int) -> Mapping[str, AttributeValue]:
    return {"name": sc.EXCEPTION_EVENT, "time_unix_nano": str(at_ns), "attributes": _exception(failure)}


def _exception(failure: FailureRecord) -> dict[str, AttributeValue]:
    """Return an exception as OpenTelemetry's conventions record it."""
    return {
        sc.EXCEPTION_TYPE: failure.type,
        sc.EXCEPTION_MESSAGE: failure.message,
        sc.EXCEPTION_STACKTRACE: failure.stacktrace or "",
    }
