"""Decodes OTLP trace requests in protobuf to the same spans as the same request in JSON.

The two outer levels are walked here; each span is parsed on its own by the C parser of ``protobuf``, so one that is
broken costs itself alone. The parser is given the published messages with one change: every text and every message
inside them stays bytes, which is the same on the wire. So a byte that is no UTF-8 costs a character instead of the
request, and an attribute is read where it lies, which takes half as long as through an object of its own.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from struct import unpack_from
from typing import Any, NamedTuple

from inspector.model import AttributeValue
from inspector.otlp.decoded import Decoded, DecodedSpan, ReadAnew, Rejected, Reported, Scope, reported
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
from inspector.otlp.wire import FIXED64, LENGTH, VARINT, Budget, TooMany, WireError, fields, signed, varint

MOST_PARTS = 1_000_000
"""Maximum messages and values in one request; ordinary spans of the largest allowed request have half as many."""
TOO_MANY_PARTS = Decoded(malformed=f"more than {MOST_PARTS:,} objects", too_large=True)
LARGE_SPAN = 1 << 20
"""Above this size, the fields of a span are counted before the parser allocates memory for them."""
_SHORT_PAIR = 64
"""Up to this size an attribute is cached as a whole: the name of an agent, a model, a session comes with every span,
and finding it by its bytes costs a fifth of reading it."""
_MOST_SHORT_PAIRS = 16_384
_MOST_KNOWN_KEYS = 4_096
_LONGEST_KNOWN_KEY = 127
_ZERO = (bytes(16), bytes(8))
_TEXT, _INT = 0x0A, 0x18
"""Tags of the two values that nearly all attributes have."""


class _Messages(NamedTuple):
    """The published messages, with bytes for texts and for messages inside."""

    span: Any
    event: Any
    link: Any
    status: Any
    resource: Any
    scope: Any
    error: type[Exception]


@cache
def _messages() -> _Messages:
    # Loading the published messages takes 30 ms, which only a server that receives protobuf should pay.
    from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory
    from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
    from opentelemetry.proto.resource.v1.resource_pb2 import Resource
    from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

    published = {
        "span": Span,
        "event": Span.Event,
        "link": Span.Link,
        "status": Status,
        "resource": Resource,
        "scope": InstrumentationScope,
    }
    field_type = descriptor_pb2.FieldDescriptorProto
    kept_as_bytes = {field_type.TYPE_STRING, field_type.TYPE_MESSAGE}
    file = descriptor_pb2.FileDescriptorProto(name="unread.proto", package="inspector.unread", syntax="proto3")
    for name, original in published.items():
        copy = file.message_type.add(name=name)
        descriptor = descriptor_pb2.DescriptorProto()
        original.DESCRIPTOR.CopyToProto(descriptor)
        for field in descriptor.field:
            kind = field_type.TYPE_INT32 if field.type == field_type.TYPE_ENUM else field.type
            kind = field_type.TYPE_BYTES if kind in kept_as_bytes else kind
            copy.field.add(name=field.name, number=field.number, type=kind, label=field.label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    classes = {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"inspector.unread.{name}"))
        for name in published
    }
    return _Messages(**classes, error=message.DecodeError)


def decode_protobuf(payload: bytes) -> Decoded:
    """Decode one ``ExportTraceServiceRequest``; never raises, whatever the bytes."""
    return decode_by(SpanReading, payload)


def decode_by(kind: "type[Reading]", payload: bytes) -> Decoded:
    """Decode a request with a reading of its kind; never raises, whatever the bytes."""
    reading = kind(payload)
    try:
        if len(payload) > LARGE_REQUEST:
            spans = ReadAnew(sum(1 for _ in reading.spans()), lambda: kind(payload).spans())
        else:
            spans = list(reading.spans())
    except TooMany:
        return TOO_MANY_PARTS
    except WireError as error:
        return Decoded(malformed=str(error))
    return Decoded(spans, reading.rejected, reading.losses)


class Reading:
    """One request while it is read."""

    def __init__(self, payload: bytes) -> None:
        self.rejected: Counter[str] = Counter()
        self.losses: list[Reported] = []
        self._payload = payload
        self._budget = Budget(MOST_PARTS)

    def _parts(self, start: int, stop: int, wanted: int) -> tuple[list[bytes], list[tuple[int, int]]]:
        """Return the first field in its pieces, and the positions of the wanted ones."""
        first: list[bytes] = []
        places: list[tuple[int, int]] = []
        spend = self._budget.spend
        for number, kind, begin, end in fields(self._payload, start, stop):
            spend(1)
            if kind == LENGTH:
                if number == wanted:
                    places.append((begin, end))
                elif number == 1:
                    first.append(self._payload[begin:end])
        return first, places

    def spans(self) -> Iterator[DecodedSpan]:
        """Read all of it, once.

        Raises:
            WireError: The levels around the spans or logs are broken.
            TooMany: It holds more objects than it may.
        """
        raise NotImplementedError

    def _attributes(self, pairs: Sequence[bytes]) -> dict[str, AttributeValue]:
        """Read ``KeyValue`` messages in place.

        Nearly all that are not cached have a known key and a text of less than 16 KB or a number, encoded as every
        sender does: tag, length, key, tag, length, tag, value. The bytes before the first length of the value are then
        known, and only the text is decoded.
        """
        out: dict[str, AttributeValue] = {}
        self._budget.spend(len(pairs))
        known, short = _known_keys, _short_pairs
        for pair in pairs[:MAX_ATTRIBUTES]:
            length = len(pair)
            if length <= _SHORT_PAIR and (found := short.get(pair)) is not None:
                key, value = found
                out[key] = value
                continue
            at = pair[1] + 3 if length > 1 else 0
            key = known.get(pair[:at])
            size = length - at
            if key is not None and (start := _start_of_text(pair, at)):
                value = pair[start:].decode("utf-8", "replace")
            elif key is not None and 2 < size < 13 and pair[at] == size - 1 and pair[at + 1] == _INT:
                number, end = varint(pair, at + 2, length)
                value = signed(number) if end == length else self._value(pair, at + 1, length, 0)
            else:
                key, value = self._pair(pair, 0, length, 0)
            out[key] = value
            # A cached list or map would be one object shared by all spans.
            if length <= _SHORT_PAIR and not isinstance(value, list | dict):
                if len(short) >= _MOST_SHORT_PAIRS:
                    short.clear()
                short[pair] = key, value
        return out

    def _pair(self, data: bytes, start: int, stop: int, depth: int) -> tuple[str, AttributeValue]:
        """Read a ``KeyValue`` in any encoding, and cache its key in the usual encoding."""
        key = b""
        value_at: tuple[int, int] | None = None
        for number, kind, begin, end in fields(data, start, stop):
            if kind == LENGTH and number == 1:
                key = data[begin:end]
            elif kind == LENGTH and number == 2:
                value_at = begin, end
        text = key[: 4 * MAX_KEY].decode("utf-8", "replace")[:MAX_KEY]
        if len(key) <= _LONGEST_KNOWN_KEY and len(_known_keys) < _MOST_KNOWN_KEYS:
            _known_keys[b"\x0a%c%b\x12" % (len(key), key)] = text
        return text, None if value_at is None else self._value(data, *value_at, depth)

    def _value(self, data: bytes, start: int, stop: int, depth: int) -> AttributeValue:
        """Read an ``AnyValue``, of whose fields the last one counts."""
        value: AttributeValue = None
        for number, kind, begin, end in fields(data, start, stop):
            if number == 1 and kind == LENGTH:
                value = data[begin:end].decode("utf-8", "replace")
            elif number == 3 and kind == VARINT:
                value = signed(varint(data, begin, end)[0])
            elif number == 2 and kind == VARINT:
                value = varint(data, begin, end)[0] != 0
            elif number == 4 and kind == FIXED64:
                value = double_value(unpack_from("<d", data, begin)[0])
            elif number == 5 and kind == LENGTH:
                value = self._list(data, begin, end, depth + 1)
            elif number == 6 and kind == LENGTH:
                value = self._map(data, begin, end, depth + 1)
            elif number == 7 and kind == LENGTH:
                value = b64encode(data[begin:end]).decode("ascii")
        return value

    def _list(self, data: bytes, start: int, stop: int, depth: int) -> AttributeValue:
        if depth > MAX_DEPTH:
            return TOO_DEEP
        return [self._value(data, *place, depth) for place in self._items(data, start, stop)[:MAX_ITEMS]]

    def _map(self, data: bytes, start: int, stop: int, depth: int) -> AttributeValue:
        if depth > MAX_DEPTH:
            return TOO_DEEP
        return dict(self._pair(data, *place, depth) for place in self._items(data, start, stop)[:MAX_ATTRIBUTES])

    def _items(self, data: bytes, start: int, stop: int) -> list[tuple[int, int]]:
        """Return the positions of a list's or map's members; nothing is copied, as each could hold all the others."""
        found: list[tuple[int, int]] = []
        for number, kind, begin, end in fields(data, start, stop):
            self._budget.spend(1)
            if number == 1 and kind == LENGTH:
                found.append((begin, end))
        return found


class SpanReading(Reading):
    """A request of traces while it is read."""

    def __init__(self, payload: bytes) -> None:
        super().__init__(payload)
        self._messages = _messages()

    def spans(self) -> Iterator[DecodedSpan]:
        """Read all of it, once."""
        for start, stop in self._parts(0, len(self._payload), 1)[1]:
            resources, groups = self._parts(start, stop, 2)
            resource = self._resource(resources)
            for start_of_group, stop_of_group in groups:
                scopes, spans = self._parts(start_of_group, stop_of_group, 2)
                scope = self._scope(scopes)
                self.losses += reported(resource, scope.attributes)
                yield from self._spans(spans, resource, scope)

    def _spans(
        self, places: Sequence[tuple[int, int]], resource: Mapping[str, AttributeValue], scope: Scope
    ) -> Iterator[DecodedSpan]:
        parse, error, payload = self._messages.span.FromString, self._messages.error, self._payload
        for start, stop in places:
            try:
                if stop - start > LARGE_SPAN:
                    self._count(start, stop)
                span = self._span(parse(payload[start:stop]), resource, scope)
            except (error, WireError):
                self.rejected["malformed"] += 1
            except Rejected as reason:
                self.rejected[str(reason)] += 1
            else:
                yield span

    def _count(self, start: int, stop: int) -> None:
        for _ in fields(self._payload, start, stop):
            self._budget.spend(1)

    def _span(self, span: Any, resource: Mapping[str, AttributeValue], scope: Scope) -> DecodedSpan:
        trace_id, span_id, parent_id = span.trace_id, span.span_id, span.parent_span_id
        if len(span_id) != 8 or span_id in _ZERO:
            raise Rejected("span_id")
        if parent_id and len(parent_id) != 8:
            raise Rejected("parent_span_id")
        if len(trace_id) != 16 or trace_id in _ZERO:
            raise Rejected("trace_id")
        kind, status, events, links = span.kind, span.status, span.events, span.links
        if events or links:
            self._budget.spend(len(events) + len(links))
        code, message = self._status(status) if status else (0, None)
        pairs = span.attributes
        attributes = self._attributes(pairs)
        reported = span.dropped_attributes_count
        if reported or len(pairs) > MAX_ATTRIBUTES or len(events) > MAX_EVENTS or len(links) > MAX_EVENTS:
            note_losses(attributes, (len(pairs), len(events), len(links)), reported)
        return DecodedSpan(
            trace_id.hex(),
            span_id.hex(),
            None if not parent_id or parent_id == span_id or parent_id in _ZERO else parent_id.hex(),
            span.name.decode("utf-8", "replace"),
            kind if 0 <= kind <= 5 else 0,
            span.start_time_unix_nano,
            span.end_time_unix_nano or None,
            code,
            message,
            attributes,
            [self._event(event) for event in events[:MAX_EVENTS]] if events else (),
            [self._link(link) for link in links[:MAX_EVENTS]] if links else (),
            resource,
            scope,
        )

    def _status(self, raw: bytes) -> tuple[int, str | None]:
        status = self._messages.status.FromString(raw)
        return status.code if 0 <= status.code <= 2 else 0, status.message.decode("utf-8", "replace") or None

    def _event(self, raw: bytes) -> Mapping[str, AttributeValue]:
        event = self._messages.event.FromString(raw)
        return {
            "name": event.name.decode("utf-8", "replace"),
            "time_unix_nano": str(event.time_unix_nano),
            "attributes": self._attributes(event.attributes),
        }

    def _link(self, raw: bytes) -> Mapping[str, AttributeValue]:
        link = self._messages.link.FromString(raw)
        return {
            "trace_id": link.trace_id[:16].hex(),
            "span_id": link.span_id[:8].hex(),
            "attributes": self._attributes(link.attributes),
        }

    def _resource(self, pieces: list[bytes]) -> Mapping[str, AttributeValue]:
        """Decode a resource; one that is broken is left out, since its spans can be read without."""
        try:
            # Pieces of one message are merged by joining them.
            return self._attributes(self._messages.resource.FromString(b"".join(pieces)).attributes) if pieces else {}
        except (self._messages.error, WireError):
            return {}

    def _scope(self, pieces: list[bytes]) -> Scope:
        if not pieces:
            return Scope()
        try:
            scope = self._messages.scope.FromString(b"".join(pieces))
            attributes = self._attributes(scope.attributes)
        except (self._messages.error, WireError):
            return Scope()
        name, version = (text.decode("utf-8", "replace") for text in (scope.name, scope.version))
        return Scope(short_text(name), short_text(version), attributes)


def _start_of_text(pair: bytes, at: int) -> int:
    """Return where the text begins in a value that is only a text, with lengths of one or two bytes each; else 0."""
    size = len(pair) - at
    if size < 129:
        is_text = size > 2 and pair[at + 1] == _TEXT and pair[at] == size - 1 and pair[at + 2] == size - 3
        return at + 3 if is_text else 0
    value, text = size - 2, size - 5
    is_text = (
        size < 1 << 14
        and pair[at + 2] == _TEXT
        and (pair[at], pair[at + 1]) == (value & 127 | 128, value >> 7)
        and (pair[at + 3], pair[at + 4]) == (text & 127 | 128, text >> 7)
    )
    return at + 5 if is_text else 0


_short_pairs: dict[bytes, tuple[str, AttributeValue]] = {}
"""Attributes by their bytes; cleared when there are too many."""
_known_keys: dict[bytes, str] = {}
"""Keys by the bytes before the value: tag, length, key, and the tag of the value."""
