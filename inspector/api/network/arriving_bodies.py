"""Limits on request bodies with spans while they arrive: for each one, and for all of them together."""

from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO

from inspector.api.access.rules import MOST_EXPORT_BYTES
from inspector.api.errors import ExportFailed

MOST_ARRIVING_BYTES = 128 << 20
"""The bytes of all requests that are still arriving; a request that would exceed it is told to retry."""


class ArrivingBodies:
    """Counts the bytes of requests that are still arriving, so that many slow senders cannot fill the memory."""

    def __init__(self) -> None:
        self._left = MOST_ARRIVING_BYTES

    @contextmanager
    def counted(self) -> Generator["ArrivingBody"]:
        """Count a request while it arrives."""
        body = ArrivingBody(self)
        try:
            yield body
        finally:
            self._left += body.size

    def take(self, size: int) -> bool:
        """Reserve this many bytes, if there is room."""
        if size > self._left:
            return False
        self._left -= size
        return True


class ArrivingBody:
    """The bytes of one request so far."""

    def __init__(self, bodies: ArrivingBodies) -> None:
        self._bodies = bodies
        # Gives its bytes back without another copy of them.
        self._body = BytesIO()
        self.size = 0

    def add(self, part: bytes) -> None:
        """Keep the next part of the body.

        Raises:
            ExportFailed: It is too much for one request, or for all of them at the moment.
        """
        if self.size + len(part) > MOST_EXPORT_BYTES:
            raise ExportFailed(413, f"send less at a time: more than {MOST_EXPORT_BYTES:,} bytes")
        if not self._bodies.take(len(part)):
            raise ExportFailed(503, "too much is arriving at once; retry later")
        self.size += len(part)
        self._body.write(part)

    def body(self) -> bytes:
        """Return the whole body."""
        return self._body.getvalue()
