"""A request from its bytes to what is written of it."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from inspector.model import NewLabel, Span
from inspector.otlp import Decoded, DecodedSpan
from inspector.received.labels import labels_apart

_TOGETHER: Final = 1_024
"""Spans that are in memory twice, as they were sent and as they are read."""
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
    del decode
    if decoded.malformed is not None:
        # It has nothing to redact.
        return Received(malformed=decoded.malformed, too_large=decoded.too_large)
    sent, decoded = deque(decoded.spans), replace(decoded, spans=())
    spans: list[Span] = []
    unread = 0
    while sent:
        part = [sent.popleft() for _ in range(min(len(sent), _TOGETHER))]
        some, failed = read(redact(Decoded(spans=part)).spans)
        spans += some
        unread += failed
    rejected = {**decoded.rejected, "unreadable": unread} if unread else decoded.rejected
    calls, labels = labels_apart(spans)
    return Received(calls, labels, rejected)
