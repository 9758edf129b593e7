"""The contents of a request, in either encoding."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from inspector import semconv
from inspector.model import AttributeValue, LossReason


class Scope(Struct, frozen=True):
    """The instrumentation scope of a span."""

    name: str = ""
    version: str = ""
    attributes: Mapping[str, AttributeValue] = {}


# Structs instead of dataclasses: one is built for every span taken in, at a quarter of the cost.
class DecodedSpan(Struct, frozen=True):
    """One span as OTLP carries it, with checked ids and times and plain attribute values."""

    trace_id: str
    """32 lower-case hexadecimal digits, not all zero."""
    span_id: str
    """16 lower-case hexadecimal digits, not all zero."""
    parent_id: str | None
    name: str
    kind: int
    """OTLP's SpanKind: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer."""
    start_ns: int
    end_ns: int | None
    """None for a start record, which has no end time or a zero."""
    status_code: int
    """0 unset, 1 ok, 2 error."""
    status_message: str | None
    attributes: dict[str, AttributeValue]
    events: Sequence[Mapping[str, AttributeValue]]
    links: Sequence[Mapping[str, AttributeValue]]
    resource: Mapping[str, AttributeValue]
    scope: Scope
    is_log: bool = False
    """Whether it is no span but a log record of the span with these ids; its only event is the log."""


class ReadAnew(Sequence[DecodedSpan]):
    """The spans of a large request, made from its bytes each time that they are asked for instead of all held at once.

    Args:
        size: How many there are.
        read: Makes them, one by one.
    """

    def __init__(self, size: int, read: Callable[[], Iterator[DecodedSpan]]) -> None:
        self._size = size
        self._read = read

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[DecodedSpan]:
        return self._read()

    def __getitem__(self, at: Any) -> Any:
        spans: Any = list(self)
        return spans[at]


class Rejected(Exception):
    """A span or log that breaks the protocol; its text is the field."""


class Reported(Struct, frozen=True):
    """The number of calls that a recorder reports as not recorded since its previous line."""

    resource: Mapping[str, AttributeValue]
    counts: Mapping[LossReason, int]
    until_ns: int
    """The latest time of the loss; 0 if unknown."""


class Decoded(Struct, frozen=True):
    """The content of one request."""

    spans: Sequence[DecodedSpan] = ()
    rejected: Mapping[str, int] = {}
    """Spans or logs left out, counted by the field that was wrong."""
    losses: Sequence[Reported] = ()
    """Losses that senders report."""
    malformed: str | None = None
    """Why the whole payload was refused; there are no spans then."""
    too_large: bool = False
    """Whether it was refused as too large."""
    put_together: int = 0
    """Bytes of texts that were put together from parts."""


LOSSES: dict[str, LossReason] = {
    semconv.DROPPED: "dropped",
    semconv.UNWRITTEN: "unwritten",
    semconv.UNENCODABLE: "unencodable",
    semconv.UNMATCHED: "unmatched",
    semconv.DROPPED_SEGMENTS: "dropped_segments",
}
"""Scope attributes in which a recorder counts calls that it did not record."""


def reported(
    resource: Mapping[str, AttributeValue], scope: Mapping[str, AttributeValue]
) -> tuple[()] | tuple[Reported]:
    """Return the losses that a recorder reports in the attributes of its scope."""
    if not scope:
        return ()
    counts: dict[LossReason, int] = {
        reason: count for key, reason in LOSSES.items() if (count := _count(scope.get(key)))
    }
    return (Reported(resource, counts, _count(scope.get(semconv.LOST_UNTIL))),) if counts else ()


def _count(value: AttributeValue) -> int:
    return value if type(value) is int and value > 0 else 0
