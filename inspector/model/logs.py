"""Log records, which arrive separately from their spans."""

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.model.spans import AttributeValue


@dataclass(frozen=True, slots=True)
class Log:
    """A log record of a span, which may arrive before the span, after it, or without it."""

    trace_id: str
    """32 lower-case hexadecimal digits."""
    span_id: str
    """16 lower-case hexadecimal digits."""
    event: Mapping[str, AttributeValue]
    """The record as an event of its span: ``{"name", "time_unix_nano", "attributes"}``."""
