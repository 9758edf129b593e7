"""The shapes of an OTLP/JSON trace request, named as in its protobuf definition, and decoders for its parts.

https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
"""

from typing import Generic, TypeVar

import msgspec
from msgspec import Raw, Struct

_Record = TypeVar("_Record")

# The structs below exist by the hundred thousand and never form cycles, so the garbage collector need not track them.


class Array(Struct, gc=False):
    """``ArrayValue``."""

    values: "tuple[AnyValue, ...] | None" = None


class KeyValue(Struct, gc=False):
    """``KeyValue``; a missing value is a null."""

    key: str = ""
    value: "AnyValue | None" = None


class KeyValues(Struct, gc=False):
    """``KeyValueList``."""

    values: tuple[KeyValue, ...] | None = None


class AnyValue(Struct, gc=False, rename="camel"):
    """``AnyValue``, of which the sender sets one field; 64-bit integers come as text or as numbers."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: int | str | None = None
    double_value: float | str | None = None
    array_value: Array | None = None
    kvlist_value: KeyValues | None = None
    bytes_value: str | None = None
    inspector_frame: Raw = Raw()
    """Not in the protocol: how a spool writes repeated texts (`inspector.parts`)."""


class Event(Struct, gc=False, rename="camel"):
    """``Span.Event``."""

    name: str | None = None
    time_unix_nano: int | str | float | None = None
    attributes: tuple[KeyValue, ...] | None = None


class Link(Struct, gc=False, rename="camel"):
    """``Span.Link``."""

    trace_id: str | None = None
    span_id: str | None = None
    attributes: tuple[KeyValue, ...] | None = None


class Status(Struct, gc=False):
    """``Status``; the code may be a name."""

    code: int | str | None = None
    message: str | None = None


class Span(Struct, gc=False, rename="camel"):
    """``Span``. Every field may be missing or null, even if protobuf forbids it."""

    trace_id: str = ""
    span_id: str = ""
    parent_span_id: str | None = None
    name: str | None = None
    kind: int | str | None = None
    start_time_unix_nano: int | str | float | None = None
    end_time_unix_nano: int | str | float | None = None
    attributes: tuple[KeyValue, ...] | None = None
    dropped_attributes_count: int | None = None
    events: tuple[Event, ...] | None = None
    links: tuple[Link, ...] | None = None
    status: Status | None = None


class Resource(Struct, gc=False):
    """``Resource``."""

    attributes: tuple[KeyValue, ...] | None = None


class Scope(Struct, gc=False):
    """``InstrumentationScope``."""

    name: str | None = None
    version: str | None = None
    attributes: tuple[KeyValue, ...] | None = None


class ScopeSpans(Struct, Generic[_Record], gc=False):
    """``ScopeSpans``."""

    scope: Scope | None = None
    spans: tuple[_Record, ...] | None = None


class ResourceSpans(Struct, Generic[_Record], gc=False, rename="camel"):
    """``ResourceSpans``."""

    resource: Resource | None = None
    scope_spans: tuple[ScopeSpans[_Record], ...] | None = None


class Request(Struct, Generic[_Record], gc=False, rename="camel"):
    """``ExportTraceServiceRequest``, whose spans are decoded, still text, or only known to be objects."""

    resource_spans: tuple[ResourceSpans[_Record], ...] | None = None


class AnyObject(Struct, gc=False):
    """Any JSON object, without its fields."""


class LogRecord(Struct, gc=False, rename="camel"):
    """``LogRecord``. Every field may be missing or null."""

    time_unix_nano: int | str | float | None = None
    observed_time_unix_nano: int | str | float | None = None
    severity_number: int | str | None = None
    severity_text: str | None = None
    body: AnyValue | None = None
    attributes: tuple[KeyValue, ...] | None = None
    dropped_attributes_count: int | None = None
    trace_id: str | None = None
    span_id: str | None = None
    event_name: str | None = None


class ScopeLogs(Struct, Generic[_Record], rename="camel"):
    """``ScopeLogs``, whose scope is still text."""

    scope: Raw = Raw(b"null")
    log_records: tuple[_Record, ...] | None = None


class ResourceLogs(Struct, Generic[_Record], rename="camel"):
    """``ResourceLogs``, without its resource."""

    scope_logs: tuple[ScopeLogs[_Record], ...] | None = None


class LogsRequest(Struct, Generic[_Record], rename="camel"):
    """``ExportLogsServiceRequest``, whose records are decoded, still text, or only known to be objects."""

    resource_logs: tuple[ResourceLogs[_Record], ...] | None = None


class RawScopeSpans(Struct):
    """``ScopeSpans`` whose parts are still text, so that one bad part does not cost the others."""

    scope: Raw = Raw(b"null")
    spans: tuple[Raw, ...] | None = None


class RawResourceSpans(Struct, rename="camel"):
    """``ResourceSpans`` whose parts are still text."""

    resource: Raw = Raw(b"null")
    scope_spans: tuple[Raw, ...] | None = None


class RawRequest(Struct, rename="camel"):
    """``ExportTraceServiceRequest`` whose parts are still text."""

    resource_spans: tuple[Raw, ...] | None = None


decode_request = msgspec.json.Decoder(Request[Span]).decode
decode_request_of_objects = msgspec.json.Decoder(Request[AnyObject]).decode
decode_later_request = msgspec.json.Decoder(Request[Raw]).decode
decode_raw_request = msgspec.json.Decoder(RawRequest).decode
decode_raw_resource_spans = msgspec.json.Decoder(RawResourceSpans).decode
decode_raw_scope_spans = msgspec.json.Decoder(RawScopeSpans).decode
decode_resource = msgspec.json.Decoder(Resource | None).decode
decode_scope = msgspec.json.Decoder(Scope | None).decode
decode_logs = msgspec.json.Decoder(LogsRequest[LogRecord]).decode
decode_logs_of_objects = msgspec.json.Decoder(LogsRequest[AnyObject]).decode
decode_later_logs = msgspec.json.Decoder(LogsRequest[Raw]).decode
decode_log = msgspec.json.Decoder(LogRecord).decode
decode_span = msgspec.json.Decoder(Span).decode

UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
