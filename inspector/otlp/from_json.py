"""Decodes OTLP/JSON trace requests: bytes in, spans out; an invalid span costs only itself.

The encoding is the JSON one of the OpenTelemetry protocol: ids are hexadecimal, 64-bit integers are decimal strings or
numbers, enumerations are numbers (names are taken too), unknown fields are ignored
(https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). Nothing here knows of files or sockets.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec import Raw
from msgspec.structs import replace

from inspector.model import AttributeValue
from inspector.otlp import shapes
from inspector.otlp.decoded import Decoded, DecodedSpan, ReadAnew, Reported, Scope, reported
from inspector.otlp.limits import (
    LARGE_REQUEST,
    MAX_ATTRIBUTES,
    MAX_DEPTH,
    MAX_EVENTS,
    MAX_ITEMS,
    MAX_KEY,
    TOO_DEEP,
    double_value,
    note_losses,
    short_text,
)
from inspector.otlp.repair import repaired
from inspector.otlp.spool_parts import put_together
from inspector.parts import Parts

MAX_OBJECTS = 2_000_000
"""Maximum opening braces in one request; each costs up to 130 bytes of memory, and a small text can have millions."""

_MAX_TIME_NS = 2**64 - 1
_INT64 = range(-(2**63), 2**63)

_KINDS = {
    f"SPAN_KIND_{name}": number
    for number, name in enumerate(("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"))
}
_STATUS_CODES = {"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}


class _Rejected(Exception):
    """A span that breaks the protocol; its text is the field."""


def decode(payload: bytes, parts: Parts[Any] | None = None) -> Decoded:
    """Decode one ``ExportTraceServiceRequest`` in JSON; never raises, whatever the bytes.

    If typed decoding refuses the whole request, it is decoded again span by span, so that a field of a wrong type, bad
    UTF-8 or half a surrogate pair costs only its span or character.

    Args:
        payload: The request.
        parts: Those of the spool file that it is a line of.
    """
    if len(payload) > len(b"{},") * MAX_OBJECTS and payload.count(b"{") > MAX_OBJECTS:
        return Decoded(malformed=f"more than {MAX_OBJECTS:,} objects", too_large=True)
    rejected: Counter[str] = Counter()
    try:
        request = shapes.decode_request(payload)
    except shapes.UNDECODABLE:
        if payload.count(b",") > MAX_OBJECTS:
            return Decoded(malformed=f"broken, and more than {MAX_OBJECTS:,} parts", too_large=True)
        try:
            request = _request_by_parts(repaired(payload), rejected)
        except shapes.UNDECODABLE as error:
            return Decoded(malformed=_reason(error))
    if parts is None:
        return _spans_of(request, rejected)
    before = parts.given_bytes
    put_together(request, parts)
    return replace(_spans_of(request, rejected), put_together=parts.given_bytes - before)


def decode_in_parts(payload: bytes) -> Decoded:
    """Decode as `decode` does; the spans of a large request are made when they are asked for, if none is malformed."""
    if len(payload) <= LARGE_REQUEST or payload.count(b"{") > MAX_OBJECTS:
        return decode(payload)
    rejected: Counter[str] = Counter()
    losses: list[Reported] = []
    try:
        # Anything may stand where a span is text: millions of numbers would each take 90 bytes before one is looked at.
        shapes.decode_request_of_objects(payload)
        request = shapes.decode_later_request(payload)
        size = sum(1 for _ in _one_by_one(request, rejected, losses))
    except shapes.UNDECODABLE:
        return decode(payload)
    return Decoded(ReadAnew(size, lambda: _one_by_one(request, Counter(), [])), rejected, losses)


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _spans_of(request: shapes.Request, rejected: Counter[str]) -> Decoded:
    losses: list[Reported] = []
    return Decoded(list(_one_by_one(request, rejected, losses)), rejected, losses)


def _one_by_one(
    request: shapes.Request | shapes.LaterRequest, rejected: Counter[str], losses: list[Reported]
) -> Iterator[DecodedSpan]:
    for group in request.resource_spans or ():
        resource = _attributes(group.resource.attributes) if group.resource else {}
        for part in group.scope_spans or ():
            scope = _scope_of(part.scope)
            losses += reported(resource, scope.attributes)
            for span in part.spans or ():
                try:
                    yield _decoded(shapes.decode_span(span) if isinstance(span, Raw) else span, resource, scope)
                except _Rejected as reason:
                    rejected[str(reason)] += 1


_NO_SCOPE = Scope()


def _scope_of(scope: shapes.Scope | None) -> Scope:
    if scope is None:
        return _NO_SCOPE
    return Scope(short_text(scope.name), short_text(scope.version), _attributes(scope.attributes))


def _decoded(span: shapes.Span, resource: Mapping[str, AttributeValue], scope: Scope) -> DecodedSpan:
    span_id = _span_id(span.span_id, "span_id")
    if span_id in _ZEROS:
        raise _Rejected("span_id")
    parent_id = _span_id(span.parent_span_id, "parent_span_id") if span.parent_span_id else None
    status = span.status
    attributes = _attributes(span.attributes)
    events, links = span.events or (), span.links or ()
    pairs, reported = len(span.attributes or ()), span.dropped_attributes_count or 0
    if reported or pairs > MAX_ATTRIBUTES or len(events) > MAX_EVENTS or len(links) > MAX_EVENTS:
        note_losses(attributes, (pairs, len(events), len(links)), reported)
    return DecodedSpan(
        _trace_id(span.trace_id),
        span_id,
        None if parent_id == span_id or parent_id in _ZEROS else parent_id,
        span.name or "",
        _enum(span.kind, _KINDS),
        _time(span.start_time_unix_nano, "start_time_unix_nano"),
        _time(span.end_time_unix_nano, "end_time_unix_nano") or None,
        _enum(status.code, _STATUS_CODES) if status else 0,
        (status.message or None) if status else None,
        attributes,
        [_event(event) for event in events[:MAX_EVENTS]] if events else (),
        [_link(link) for link in links[:MAX_EVENTS]] if links else (),
        resource,
        scope,
    )


_hex32 = re.compile("[0-9a-f]{32}").fullmatch
_hex16 = re.compile("[0-9a-f]{16}").fullmatch
_ZEROS = frozenset(("0" * 16, "0" * 32))


def _trace_id(text: str) -> str:
    """Return the id in lower case; the protocol forbids other lengths, zeros only, and base64 (24 characters)."""
    text = text if _hex32(text) else text.lower()
    if text in _ZEROS or not _hex32(text):
        raise _Rejected("trace_id")
    return text


def _span_id(text: str, field: str) -> str:
    text = text if _hex16(text) else text.lower()
    if not _hex16(text):
        raise _Rejected(field)
    return text


def _time(value: float | str | None, field: str) -> int:
    if value is None:
        return 0
    if isinstance(value, str):
        if not value:
            return 0
        if len(value) > 20 or not (value.isascii() and value.isdigit()):
            raise _Rejected(field)
        time_ns = int(value)
    elif isinstance(value, float):
        if not value.is_integer():
            raise _Rejected(field)
        time_ns = int(value)
    else:
        time_ns = value
    if not 0 <= time_ns <= _MAX_TIME_NS:
        raise _Rejected(field)
    return time_ns


def _enum(value: int | str | None, names: Mapping[str, int]) -> int:
    """Return the number; an unknown one, perhaps of a newer sender, becomes the first."""
    if isinstance(value, str):
        return names.get(value, 0)
    return value if value is not None and 0 <= value < len(names) else 0


def _event(event: shapes.Event) -> Mapping[str, AttributeValue]:
    return {
        "name": event.name,
        "time_unix_nano": str(_time(event.time_unix_nano, "events")),
        "attributes": _attributes(event.attributes),
    }


def _link(link: shapes.Link) -> Mapping[str, AttributeValue]:
    return {
        "trace_id": link.trace_id[:32].lower(),
        "span_id": link.span_id[:16].lower(),
        "attributes": _attributes(link.attributes),
    }


def _attributes(pairs: tuple[shapes.KeyValue, ...] | None, depth: int = 0) -> dict[str, AttributeValue]:
    out: dict[str, AttributeValue] = {}
    for pair in (pairs or ())[:MAX_ATTRIBUTES]:
        value = pair.value
        key = pair.key if len(pair.key) <= MAX_KEY else pair.key[:MAX_KEY]
        if value is None:
            out[key] = None
        else:
            text = value.string_value
            out[key] = text if text is not None else _value(value, depth)
    return out


def _value(value: shapes.AnyValue, depth: int) -> AttributeValue:
    if value.string_value is not None:
        return value.string_value
    if value.int_value is not None:
        return _int(value.int_value)
    if value.bool_value is not None:
        return value.bool_value
    if value.double_value is not None:
        return double_value(value.double_value)
    if value.bytes_value is not None:
        return value.bytes_value
    return _container(value, depth + 1)


def _container(value: shapes.AnyValue, depth: int) -> AttributeValue:
    if value.array_value is None and value.kvlist_value is None:
        return None
    if depth > MAX_DEPTH:
        return TOO_DEEP
    if value.array_value is not None:
        return [_value(item, depth) for item in value.array_value.values[:MAX_ITEMS]]
    return _attributes(value.kvlist_value.values, depth) if value.kvlist_value else None


def _int(value: int | str) -> int | str:
    """Return the 64-bit integer, or the text that was sent if it is not one."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if len(digits) > 19 or not (digits.isascii() and digits.isdigit()):
            return value
        value = int(value)
    return value if value in _INT64 else str(value)


_T = TypeVar("_T")


def _request_by_parts(payload: bytes, rejected: Counter[str]) -> shapes.Request:
    """Decode every part on its own; those with wrong types are left out and counted."""
    outline = shapes.decode_raw_request(payload)
    groups: list[shapes.ResourceSpans] = []
    for group in _each(outline.resource_spans, shapes.decode_raw_resource_spans, rejected, "resource_spans"):
        resource = _part(group.resource, shapes.decode_resource)
        parts: list[shapes.ScopeSpans] = []
        for part in _each(group.scope_spans, shapes.decode_raw_scope_spans, rejected, "scope_spans"):
            spans = tuple(_each(part.spans, shapes.decode_span, rejected, "malformed"))
            parts.append(shapes.ScopeSpans(_part(part.scope, shapes.decode_scope), spans))
        groups.append(shapes.ResourceSpans(resource, tuple(parts)))
    return shapes.Request(tuple(groups))


def _each(
    parts: tuple[Raw, ...] | None, decode_part: Callable[[Raw], _T], rejected: Counter[str], reason: str
) -> Iterator[_T]:
    for part in parts or ():
        try:
            yield decode_part(part)
        except shapes.UNDECODABLE:
            rejected[reason] += 1


def _part(part: Raw, decode_part: Callable[[Raw], _T | None]) -> _T | None:
    """Decode a resource or scope; a bad one is left out, since its spans can be read without."""
    try:
        return decode_part(part)
    except shapes.UNDECODABLE:
        return None
