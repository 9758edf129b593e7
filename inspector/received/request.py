"""A request from its bytes to what is written of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from inspector.model import NewLabel, Span
from inspector.otlp import Decoded, DecodedSpan
from inspector.received.labels import labels_apart

Read: TypeAlias = Callable[[Sequence[DecodedSpan]], tuple[list[Span], int]]
"""Says what decoded spans mean, and how many of them could not be read."""


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


def receive(decode: Callable[[], Decoded], redact: Callable[[Decoded], Decoded], read: Read) -> Received:
    """Decode a request, take its secrets out, and read it; whatever of that raises goes up."""
    decoded = decode()
    if decoded.malformed is not None:
        # It has nothing to redact.
        return Received(malformed=decoded.malformed, too_large=decoded.too_large)
    decoded = redact(decoded)
    spans, unread = read(decoded.spans)
    rejected = {**decoded.rejected, "unreadable": unread} if unread else decoded.rejected
    calls, labels = labels_apart(spans)
    return Received(calls, labels, rejected)
