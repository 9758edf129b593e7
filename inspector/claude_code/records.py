"""The log records of Claude Code, each of which belongs to a span."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from inspector.claude_code.messages import Json


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
    try:
        for resource in msgspec.json.decode(body)["resourceLogs"]:
            for scope in resource["scopeLogs"]:
                for record in scope["logRecords"]:
                    if record.get("spanId") and record.get("traceId"):
                        yield _record(record)
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no log records: {error}") from None


def _record(record: Json) -> Record:
    attributes = {pair["key"]: next(iter(pair["value"].values()), None) for pair in record.get("attributes", ())}
    name = str(attributes.get("event.name", ""))
    return Record(name, record["traceId"], record["spanId"], int(record["timeUnixNano"]), attributes)
