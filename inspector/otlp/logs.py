"""Decodes OTLP logs requests: bytes in, log records of spans out, each as an event of its span.

A record without the ids of a span is left out and counted, since there is nothing to show it with. Of the scope only
the name is kept, which is that of the logger, and nothing of the resource, which the span has itself.

https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/logs/v1/logs.proto
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from msgspec import Raw

from inspector import semconv
from inspector.model import AttributeValue
from inspector.otlp import shapes
from inspector.otlp.decoded import Decoded, DecodedSpan, ReadAnew, Rejected, Scope
from inspector.otlp.from_json import BROKEN, MAX_OBJECTS, TOO_MANY, refused
from inspector.otlp.from_protobuf import Reading, decode_by
from inspector.otlp.json_values import ZEROS, attributes_of, span_id_of, time_of, trace_id_of, value_of
from inspector.otlp.limits import LARGE_REQUEST, note_losses, short_text
from inspector.otlp.repair import repaired
from inspector.otlp.wire import FIXED64, LENGTH, VARINT, WireError, fields, signed, varint

WITHOUT_SPAN: Final = "logs_without_span"
"""The name under which logs are counted that belong to no span."""
_NO_SCOPE = Scope()
_SEVERITIES: Final = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
_OF_EACH: Final = 4
"""Numbers of each severity."""


def logs_from_json(payload: bytes) -> Decoded:
    """Decode an ``ExportLogsServiceRequest`` in JSON; never raises, whatever the bytes."""
    if payload.count(b"{") > MAX_OBJECTS:
        return TOO_MANY
    rejected: Counter[str] = Counter()
    try:
        if len(payload) <= LARGE_REQUEST:
            return Decoded([*_logs_of(shapes.decode_logs(payload), rejected)], rejected)
        # Anything may stand where a record is text: millions of numbers would each take 90 bytes.
        shapes.decode_logs_of_objects(payload)
        request = shapes.decode_later_logs(payload)
        size = sum(1 for _ in _logs_of(request, rejected))
    except shapes.UNDECODABLE:
        return _one_by_one(payload)
    return Decoded(ReadAnew(size, lambda: _logs_of(request, Counter())), rejected)


def _one_by_one(payload: bytes) -> Decoded:
    """Decode a request that cannot be decoded as a whole."""
    if payload.count(b",") > MAX_OBJECTS:
        return BROKEN
    rejected: Counter[str] = Counter()
    try:
        return Decoded([*_logs_of(shapes.decode_later_logs(repaired(payload)), rejected)], rejected)
    except shapes.UNDECODABLE as error:
        return refused(error)


def _logs_of(
    request: "shapes.LogsRequest[shapes.LogRecord] | shapes.LogsRequest[Raw]", rejected: Counter[str]
) -> Iterator[DecodedSpan]:
    for group in chain.from_iterable(group.scope_logs or () for group in request.resource_logs or ()):
        logger = _logger(group.scope)
        records: Iterable[shapes.LogRecord | Raw] = group.log_records or ()
        for record in records:
            try:
                log = _log_of(shapes.decode_log(record) if isinstance(record, Raw) else record, logger)
            except shapes.UNDECODABLE:
                rejected["malformed"] += 1
            except Rejected as reason:
                rejected[str(reason)] += 1
            else:
                yield log


def _logger(scope: Raw) -> str:
    try:
        decoded = shapes.decode_scope(scope)
    except shapes.UNDECODABLE:
        return ""
    return short_text(decoded.name) if decoded else ""


def _log_of(record: shapes.LogRecord, logger: str) -> DecodedSpan:
    if record.trace_id in _NONE or record.span_id in _NONE:
        raise Rejected(WITHOUT_SPAN)
    time_ns = time_of(record.time_unix_nano, "time_unix_nano")
    attributes = attributes_of(record.attributes)
    note_losses(attributes, (len(record.attributes or ()), 0, 0), record.dropped_attributes_count or 0)
    severity = record.severity_text or _severity(record.severity_number)
    body = None if record.body is None else value_of(record.body)
    return _log(
        (trace_id_of(record.trace_id), span_id_of(record.span_id, "span_id")),
        record.event_name or "",
        time_ns or time_of(record.observed_time_unix_nano, "observed_time_unix_nano"),
        attributes,
        (severity, logger, body),
    )


_NONE = (None, "", *ZEROS)


def logs_from_protobuf(payload: bytes) -> Decoded:
    """Decode an ``ExportLogsServiceRequest``; never raises, whatever the bytes."""
    return decode_by(_LogReading, payload)


class _LogReading(Reading):
    """A request of logs while it is read."""

    def spans(self) -> Iterator[DecodedSpan]:
        """Read all of it, once."""
        for start, stop in self._parts(0, len(self._payload), 1)[1]:
            for start_of_group, stop_of_group in self._parts(start, stop, 2)[1]:
                scopes, records = self._parts(start_of_group, stop_of_group, 2)
                yield from self._logs(records, self._logger(scopes))

    def _logs(self, places: Sequence[tuple[int, int]], logger: str) -> Iterator[DecodedSpan]:
        for start, stop in places:
            try:
                log = self._log(self._payload[start:stop], logger)
            except WireError:
                self.rejected["malformed"] += 1
            except Rejected as reason:
                self.rejected[str(reason)] += 1
            else:
                yield log

    def _logger(self, scopes: Sequence[bytes]) -> str:
        # Pieces of one message are merged by joining them.
        scope, name = b"".join(scopes), b""
        try:
            for number, kind, start, stop in fields(scope, 0, len(scope)):
                self._budget.spend(1)
                if kind == LENGTH and number == 1:
                    name = scope[start:stop]
        except WireError:
            return ""
        return short_text(name.decode("utf-8", "replace"))

    def _log(self, record: bytes, logger: str) -> DecodedSpan:
        scalars: dict[int, Any] = {}
        pairs: list[bytes] = []
        body: AttributeValue = None
        for number, kind, start, stop in fields(record, 0, len(record)):
            self._budget.spend(1)
            if kind == LENGTH and number == _BODY:
                body = self._value(record, start, stop, 0)
            elif kind == LENGTH and number == _ATTRIBUTE:
                pairs.append(record[start:stop])
            elif kind == LENGTH:
                scalars[number] = record[start:stop]
            elif kind == VARINT:
                scalars[number] = signed(varint(record, start, stop)[0])
            elif kind == FIXED64:
                scalars[number] = int.from_bytes(record[start:stop], "little")
        severity = _bytes(scalars, _SEVERITY_TEXT).decode("utf-8", "replace") or _severity(_number(scalars, _SEVERITY))
        return self._log_of(scalars, pairs, (severity, logger, body))

    def _log_of(self, scalars: dict[int, Any], pairs: list[bytes], message: "_Message") -> DecodedSpan:
        trace_id, span_id = _bytes(scalars, _TRACE_ID), _bytes(scalars, _SPAN_ID)
        if not any(trace_id) or not any(span_id):
            raise Rejected(WITHOUT_SPAN)
        for field, value, length in (("trace_id", trace_id, 16), ("span_id", span_id, 8)):
            if len(value) != length:
                raise Rejected(field)
        attributes = self._attributes(pairs)
        note_losses(attributes, (len(pairs), 0, 0), _number(scalars, _DROPPED))
        return _log(
            (trace_id.hex(), span_id.hex()),
            _bytes(scalars, _EVENT_NAME).decode("utf-8", "replace"),
            _number(scalars, _TIME) or _number(scalars, _OBSERVED),
            attributes,
            message,
        )


_TIME, _SEVERITY, _SEVERITY_TEXT, _BODY, _ATTRIBUTE, _DROPPED = 1, 2, 3, 5, 6, 7
_TRACE_ID, _SPAN_ID, _OBSERVED, _EVENT_NAME = 9, 10, 11, 12
"""The numbers of the fields of a ``LogRecord``."""


def _bytes(scalars: dict[int, Any], number: int) -> bytes:
    value = scalars.get(number)
    return value if isinstance(value, bytes) else b""


def _number(scalars: dict[int, Any], number: int) -> int:
    value = scalars.get(number)
    return value if isinstance(value, int) else 0


def _severity(number: int | str | None) -> str:
    """Return the name of a severity without its grade; some senders of JSON write the name that it has in protobuf."""
    if isinstance(number, str):
        name = number.removeprefix("SEVERITY_NUMBER_").rstrip("234")
        return name if name in _SEVERITIES else ""
    at = ((number or 0) - 1) // _OF_EACH
    return _SEVERITIES[at] if 0 <= at < len(_SEVERITIES) else ""


_Message = tuple[str, str, AttributeValue]
"""The severity, the logger, and the body of a log."""
_MESSAGE_KEYS: Final = (semconv.LOG_LEVEL, semconv.LOG_LOGGER, semconv.LOG_MESSAGE)


def _log(
    span: tuple[str, str], name: str, time_ns: int, attributes: dict[str, AttributeValue], message: _Message
) -> DecodedSpan:
    for key, value in zip(_MESSAGE_KEYS, message, strict=True):
        if value not in (None, ""):
            attributes.setdefault(key, value)
    named = attributes.get(semconv.EVENT_NAME)
    name = name or (named if isinstance(named, str) else "") or semconv.LOG_EVENT
    event = {"name": name, "time_unix_nano": str(time_ns), "attributes": attributes}
    return DecodedSpan(*span, None, "", 0, time_ns, None, 0, None, {}, (event,), (), {}, _NO_SCOPE, is_log=True)
