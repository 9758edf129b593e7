"""Turns the bytes of a request into spans, labels and logs for the store."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from msgspec import Struct

from inspector.model import Log, NewLabel, Span
from inspector.otlp import Decoded, DecodedSpan, ReadAnew
from inspector.received.labels import labels_apart, labels_of_logs

_TOGETHER: Final = 1_024
"""How many spans are in memory in both forms, as sent and as interpreted."""
Read: TypeAlias = Callable[[Sequence[DecodedSpan]], tuple[list[Span], int]]
"""Interprets decoded spans, and returns the number of those that could not be."""


class RequestPart(Struct, frozen=True):
    """Some of the spans, labels and logs of a request."""

    spans: list[Span]
    labels: list[NewLabel]
    unread: int
    """How many spans could not be interpreted."""
    logs: list[Log] = []


class Received(Struct, frozen=True):
    """The interpretation of a request."""

    spans: Sequence[Span] = ()
    labels: Sequence[NewLabel] = ()
    rejected: Mapping[str, int] = {}
    """The numbers of rejected spans and logs, by the invalid field."""
    malformed: str | None = None
    """Why the whole request is refused; it is empty then."""
    too_large: bool = False
    """Whether it is refused because it exceeds a limit."""
    parts: Iterator[RequestPart] | None = None
    """All parts of a large request, interpreted one at a time; ``spans``, ``labels`` and ``logs`` are empty then."""
    logs: Sequence[Log] = ()


def receive(
    decode: Callable[[], Decoded], redact: Callable[[Decoded], Decoded], read: Read, *, most: int = sys.maxsize
) -> Received:
    """Decode, redact and interpret a request; all exceptions propagate."""
    decoded = decode()
    del decode
    if decoded.malformed is not None:
        # A refused request has nothing to redact.
        return Received(malformed=decoded.malformed, too_large=decoded.too_large)
    sent, rejected, is_large = _one_by_one(decoded.spans), decoded.rejected, len(decoded.spans) > most
    del decoded
    if is_large:
        return Received(rejected=rejected, parts=_parts(sent, redact, read, most // 2))
    spans: list[Span] = []
    labels: list[NewLabel] = []
    logs: list[Log] = []
    unread = 0
    for part in _parts(sent, redact, read, _TOGETHER):
        spans += part.spans
        labels += part.labels
        logs += part.logs
        unread += part.unread
    return Received(spans, labels, {**rejected, "unreadable": unread} if unread else rejected, logs=logs)


def in_parts(received: Received, together: int) -> Received:
    """Return an interpreted request in parts of ``together`` spans or logs, each released once it is consumed."""
    waiting, logs, labels = deque(received.spans), deque(received.logs), [*received.labels]

    def parts() -> Iterator[RequestPart]:
        while waiting or logs:
            some = [waiting.popleft() for _ in range(min(together, len(waiting)))]
            some_logs = [logs.popleft() for _ in range(min(together - len(some), len(logs)))]
            yield RequestPart(some, [] if waiting or logs else labels, 0, some_logs)

    return Received(rejected=received.rejected, parts=parts())


def _parts(
    sent: Iterator[DecodedSpan], redact: Callable[[Decoded], Decoded], read: Read, together: int
) -> Iterator[RequestPart]:
    while some := list(islice(sent, together)):
        clean = redact(Decoded(spans=some)).spans
        # A request has spans or logs.
        if clean[0].is_log:
            logs = [Log(log.trace_id, log.span_id, event) for log in clean for event in log.events]
            yield RequestPart([], [*labels_of_logs(logs)], 0, logs)
        else:
            spans, unread = read(clean)
            yield RequestPart(*labels_apart(spans), unread)


def _one_by_one(spans: Iterable[DecodedSpan]) -> Iterator[DecodedSpan]:
    """Yield spans in order, and release each once it is consumed."""
    if isinstance(spans, ReadAnew):
        return iter(spans)
    waiting = deque(spans)
    return (waiting.popleft() for _ in range(len(waiting)))
