"""A request from its bytes to what is written of it."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from msgspec import Struct

from inspector.model import NewLabel, Span
from inspector.otlp import Decoded, DecodedSpan, ReadAnew
from inspector.received.labels import labels_apart

_TOGETHER: Final = 1_024
"""Spans that are in memory twice, as they were sent and as they are read."""
Read: TypeAlias = Callable[[Sequence[DecodedSpan]], tuple[list[Span], int]]
"""Says what decoded spans mean, and how many of them could not be read."""


class Part(Struct, frozen=True):
    """Some of what one request says."""

    spans: list[Span]
    labels: list[NewLabel]
    unread: int
    """Spans that could not be read."""


class Received(Struct, frozen=True):
    """What one request says."""

    spans: Sequence[Span] = ()
    labels: Sequence[NewLabel] = ()
    rejected: Mapping[str, int] = {}
    """Spans left out, counted by the field that was wrong."""
    malformed: str | None = None
    """Why all of it is refused; then nothing is in it."""
    too_large: bool = False
    """Whether it is refused for holding more than a request may."""
    parts: Iterator[Part] | None = None
    """All of a large request, each part read when it is asked for; then it has no other spans and labels."""


def receive(
    decode: Callable[[], Decoded], redact: Callable[[Decoded], Decoded], read: Read, *, most: int = sys.maxsize
) -> Received:
    """Decode a request, take its secrets out, and read it; whatever of that raises goes up.

    Args:
        decode: Makes its spans.
        redact: Takes the secrets out.
        read: Says what they mean.
        most: Spans up to which all are read at once.
    """
    decoded = decode()
    del decode
    if decoded.malformed is not None:
        # It has nothing to redact.
        return Received(malformed=decoded.malformed, too_large=decoded.too_large)
    sent, rejected, is_large = _one_by_one(decoded.spans), decoded.rejected, len(decoded.spans) > most
    del decoded
    if is_large:
        return Received(rejected=rejected, parts=_parts(sent, redact, read, most // 2))
    spans: list[Span] = []
    labels: list[NewLabel] = []
    unread = 0
    for part in _parts(sent, redact, read, _TOGETHER):
        spans += part.spans
        labels += part.labels
        unread += part.unread
    return Received(spans, labels, {**rejected, "unreadable": unread} if unread else rejected)


def in_parts(received: Received, together: int) -> Received:
    """Return what was read at once in parts of so many spans, of which none is held once it was given."""
    waiting, labels = deque(received.spans), [*received.labels]
    size = len(waiting)

    def parts() -> Iterator[Part]:
        for start in range(0, size, together):
            some = [waiting.popleft() for _ in range(min(together, size - start))]
            yield Part(some, labels if not waiting else [], 0)

    return Received(rejected=received.rejected, parts=parts())


def _parts(
    sent: Iterator[DecodedSpan], redact: Callable[[Decoded], Decoded], read: Read, together: int
) -> Iterator[Part]:
    while some := list(islice(sent, together)):
        spans, unread = read(redact(Decoded(spans=some)).spans)
        yield Part(*labels_apart(spans), unread)


def _one_by_one(spans: Iterable[DecodedSpan]) -> Iterator[DecodedSpan]:
    """Return spans in order, of which none is held once it was given."""
    if isinstance(spans, ReadAnew):
        return iter(spans)
    waiting = deque(spans)
    return (waiting.popleft() for _ in range(len(waiting)))
