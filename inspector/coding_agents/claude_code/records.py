"""The log records of Claude Code, each of which belongs to a span."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from inspector.otlp import decode_request
from inspector.transcripts.lines import Json


@dataclass(frozen=True, slots=True)
class Record:
    """One log record."""

    name: str
    trace_id: str
    span_id: str
    at_ns: int
    attributes: Json


def records_of(body: bytes) -> Iterator[Record]:
    """Yield the records of an ``ExportLogsServiceRequest`` in JSON that belong to a span.

    Raises:
        ValueError: It is none.
    """
    decoded = decode_request(body, "json", signal="logs")
    if decoded.malformed is not None:
        raise ValueError(decoded.malformed)
    for log in decoded.spans:
        for event in log.events:
            at_ns, attributes = int(str(event["time_unix_nano"])), cast("Json", event["attributes"])
            yield Record(str(event["name"]), log.trace_id, log.span_id, at_ns, attributes)
