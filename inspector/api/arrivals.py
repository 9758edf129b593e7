"""Limits on request bodies with spans while they arrive: for each one, and for all of them together."""

from collections.abc import Generator
from contextlib import contextmanager

from inspector.api.access import MOST_EXPORT_BYTES
from inspector.api.errors import ExportFailed

MOST_ARRIVING_BYTES = 128 << 20
"""Bytes of all requests that are still arriving; one that would add more is asked to come again."""


class Arrivals:
    """Counts the bytes of requests that are still arriving, so that many slow senders cannot fill the memory."""

    def __init__(self, most: int = MOST_ARRIVING_BYTES) -> None:
        self._left = most

    @contextmanager
    def counted(self) -> Generator["Arrival"]:
        """Count one request for as long as it arrives."""
        arrival = Arrival(self)
        try:
            yield arrival
        finally:
            self._left += arrival.size

    def take(self, size: int) -> bool:
        """Make room for so many bytes, if there is any."""
        if size > self._left:
            return False
        self._left -= size
        return True


class Arrival:
    """The bytes of one request so far."""

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals = arrivals
        self._parts: list[bytes] = []
        self.size = 0

    def add(self, part: bytes) -> None:
        """Keep what just came.

        Raises:
            ExportFailed: It is too much for one request, or for all of them at the moment.
        """
        if self.size + len(part) > MOST_EXPORT_BYTES:
            raise ExportFailed(413, f"send less at a time: more than {MOST_EXPORT_BYTES:,} bytes")
        if not self._arrivals.take(len(part)):
            raise ExportFailed(503, "too much is arriving at once; retry later")
        self.size += len(part)
        self._parts.append(part)

    def whole(self) -> bytes:
        """Everything that came."""
        return b"".join(self._parts)
