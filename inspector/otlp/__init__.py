"""OTLP, OpenTelemetry's protocol: the only package that knows how spans, and responses to senders, are encoded.

It decodes requests from a receiver, a spool file or an import, and encodes exported and forwarded spans. It knows
nothing of files, sockets and databases (https://opentelemetry.io/docs/specs/otlp/).
"""

from inspector.otlp.decoded import LOSSES, Decoded, DecodedSpan, ReadAnew, Reported, Scope, reported
from inspector.otlp.export import export_lines
from inspector.otlp.from_json import decode
from inspector.otlp.from_protobuf import decode_protobuf
from inspector.otlp.limits import MAX_EVENTS
from inspector.otlp.logs import WITHOUT_SPAN
from inspector.otlp.origin import forget_reading, note_origin, read_exported, take_origin
from inspector.otlp.payload import Item, items_of, items_of_spans, json_of, request_of
from inspector.otlp.replies import come_again, error_status, export_response, partial_success
from inspector.otlp.request import MEDIA_TYPES, MOST_BYTES, Encoding, Signal, decode_request
from inspector.otlp.to_protobuf import to_protobuf

__all__ = [
    "LOSSES",
    "MAX_EVENTS",
    "MEDIA_TYPES",
    "MOST_BYTES",
    "WITHOUT_SPAN",
    "Decoded",
    "DecodedSpan",
    "Encoding",
    "Item",
    "ReadAnew",
    "Reported",
    "Scope",
    "Signal",
    "come_again",
    "decode",
    "decode_protobuf",
    "decode_request",
    "error_status",
    "export_lines",
    "export_response",
    "forget_reading",
    "items_of",
    "items_of_spans",
    "json_of",
    "note_origin",
    "partial_success",
    "read_exported",
    "reported",
    "request_of",
    "take_origin",
    "to_protobuf",
]
