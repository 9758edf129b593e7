"""Decodes OTLP/JSON trace requests: bytes in, spans out; an invalid span costs only itself.

The encoding is the JSON one of the OpenTelemetry protocol: ids are hexadecimal, 64-bit integers are decimal strings or
numbers, enumerations are numbers (names are taken too), unknown fields are ignored
(https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). Nothing here knows of files or sockets.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec import Raw
from msgspec.structs import replace

from inspector.model import AttributeValue
from inspector.otlp import shapes
from inspector.otlp.decoded import Decoded, DecodedSpan, ReadAnew, Rejected, Reported, Scope, reported
from inspector.otlp.json_values import ZEROS, attributes_of, span_id_of, time_of, trace_id_of
from inspector.otlp.limits import (
    LARGE_REQUEST,
    MAX_ATTRIBUTES,
    MAX_EVENTS,
    note_losses,
    short_text,
)
from inspector.otlp.repair import repaired
from inspector.otlp.spool_parts import put_together
from inspector.parts import Parts

MAX_OBJECTS = 2_000_000
"""Maximum opening braces in one request; each costs up to 130 bytes of memory, and a small text can have millions."""
TOO_MANY = Decoded(malformed=f"more than {MAX_OBJECTS:,} objects", too_large=True)
BROKEN = Decoded(malformed=f"broken, and more than {MAX_OBJECTS:,} parts", too_large=True)
"""What there is of a request that is too large to be repaired."""

_KINDS = {
    f"SPAN_KIND_{name}": number
    for number, name in enumerate(("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"))
}
_STATUS_CODES = {"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}


def decode(payload: bytes, parts: Parts[Any] | None = None) -> Decoded:
    """Decode one ``ExportTraceServiceRequest`` in JSON; never raises, whatever the bytes.

    If typed decoding refuses the whole request, it is decoded again span by span, so that a field of a wrong type, bad
    UTF-8 or half a surrogate pair costs only its span or character.
    """
    if len(payload) > len(b"{},") * MAX_OBJECTS and payload.count(b"{") > MAX_OBJECTS:
        return TOO_MANY
    rejected: Counter[str] = Counter()
    try:
        request = shapes.decode_request(payload)
    except shapes.UNDECODABLE:
        if payload.count(b",") > MAX_OBJECTS:
            return BROKEN
        try:
            request = _request_by_parts(repaired(payload), rejected)
        except shapes.UNDECODABLE as error:
            return refused(error)
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


def refused(error: Exception) -> Decoded:
    """Return what there is of a request that cannot be decoded."""
    return Decoded(malformed="nested too deeply" if isinstance(error, RecursionError) else str(error)[:200])


def _spans_of(request: shapes.Request[shapes.Span], rejected: Counter[str]) -> Decoded:
    losses: list[Reported] = []
    return Decoded(list(_one_by_one(request, rejected, losses)), rejected, losses)


def _one_by_one(
    request: "shapes.Request[shapes.Span] | shapes.Request[Raw]", rejected: Counter[str], losses: list[Reported]
) -> Iterator[DecodedSpan]:
    for group in request.resource_spans or ():
        resource = attributes_of(group.resource.attributes) if group.resource else {}
        for part in group.scope_spans or ():
            scope = _scope_of(part.scope)
            losses += reported(resource, scope.attributes)
            spans: Iterable[shapes.Span | Raw] = part.spans or ()
            for span in spans:
                try:
                    yield _decoded(shapes.decode_span(span) if isinstance(span, Raw) else span, resource, scope)
                except Rejected as reason:
                    rejected[str(reason)] += 1


_NO_SCOPE = Scope()


def _scope_of(scope: shapes.Scope | None) -> Scope:
    if scope is None:
        return _NO_SCOPE
    return Scope(short_text(scope.name), short_text(scope.version), attributes_of(scope.attributes))


def _decoded(span: shapes.Span, resource: Mapping[str, AttributeValue], scope: Scope) -> DecodedSpan:
    span_id = span_id_of(span.span_id, "span_id")
    if span_id in ZEROS:
        raise Rejected("span_id")
    parent_id = span_id_of(span.parent_span_id, "parent_span_id") if span.parent_span_id else None
    status = span.status
    attributes = attributes_of(span.attributes)
    events, links = span.events or (), span.links or ()
    pairs, reported = len(span.attributes or ()), span.dropped_attributes_count or 0
    if reported or pairs > MAX_ATTRIBUTES or len(events) > MAX_EVENTS or len(links) > MAX_EVENTS:
        note_losses(attributes, (pairs, len(events), len(links)), reported)
    return DecodedSpan(
        trace_id_of(span.trace_id),
        span_id,
        None if parent_id == span_id or parent_id in ZEROS else parent_id,
        span.name or "",
        _enum(span.kind, _KINDS),
        time_of(span.start_time_unix_nano, "start_time_unix_nano"),
        time_of(span.end_time_unix_nano, "end_time_unix_nano") or None,
        _enum(status.code, _STATUS_CODES) if status else 0,
        (status.message or None) if status else None,
        attributes,
        [_event(event) for event in events[:MAX_EVENTS]] if events else (),
        [_link(link) for link in links[:MAX_EVENTS]] if links else (),
        resource,
        scope,
    )


def _enum(value: int | str | None, names: Mapping[str, int]) -> int:
    """Return the number; an unknown one, perhaps of a newer sender, becomes the first."""
    if isinstance(value, str):
        return names.get(value, 0)
    return value if value is not None and 0 <= value < len(names) else 0


def _event(event: shapes.Event) -> Mapping[str, AttributeValue]:
    return {
        "name": event.name or "",
        "time_unix_nano": str(time_of(event.time_unix_nano, "events")),
        "attributes": attributes_of(event.attributes),
    }


def _link(link: shapes.Link) -> Mapping[str, AttributeValue]:
    return {
        "trace_id": (link.trace_id or "")[:32].lower(),
        "span_id": (link.span_id or "")[:16].lower(),
        "attributes": attributes_of(link.attributes),
    }


_T = TypeVar("_T")


def _request_by_parts(payload: bytes, rejected: Counter[str]) -> shapes.Request[shapes.Span]:
    """Decode every part on its own; those with wrong types are left out and counted."""
    outline = shapes.decode_raw_request(payload)
    groups: list[shapes.ResourceSpans[shapes.Span]] = []
    for group in _each(outline.resource_spans, shapes.decode_raw_resource_spans, rejected, "resource_spans"):
        resource = _part(group.resource, shapes.decode_resource)
        parts: list[shapes.ScopeSpans[shapes.Span]] = []
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
