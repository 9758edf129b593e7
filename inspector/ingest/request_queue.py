"""The requests that wait to be stored: limited in number and size, and under load interpreted ahead of their turn."""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from inspector.ingest.errors import IntakeFull
from inspector.ingest.offload import Offload
from inspector.otlp import Decoded
from inspector.received import Received

MOST_WAITING = 1_024
MOST_WAITING_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a request, available once it is committed."""

    spans: int = 0
    """The number of spans and logs that are committed."""
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])
    """The numbers of rejected spans or logs, by the invalid field, or of data points of metrics."""
    malformed: str | None = None
    """Why the whole request was refused; nothing was stored then."""
    too_large: bool = False
    """Whether it was refused because it exceeds a limit."""


@dataclass(slots=True)
class WaitingRequest:
    """A request whose sender waits for the receipt."""

    decode: Callable[[], Decoded]
    size: int
    receipt: Future[Receipt]
    answer: Future[bytes] | None = None
    """The answer of the second process, if the request was sent to it."""

    def take(self) -> Callable[[], Decoded]:
        """Return ``decode`` and drop it here, because it holds the bytes of the request, which may be many."""
        decode, self.decode = self.decode, Decoded
        return decode

    @property
    def can_wait(self) -> bool:
        """Whether the second process has not answered yet."""
        return self.answer is not None and not self.answer.done()


class RequestQueue:
    """Requests in the order of their arrival, which one thread takes from any others.

    Args:
        offload: Under load, has the requests in front interpreted in a second process.
        most: How many requests may wait.
        most_bytes: How many bytes of requests may wait; a single one may have more.
    """

    def __init__(
        self, *, offload: Offload | None = None, most: int = MOST_WAITING, most_bytes: int = MOST_WAITING_BYTES
    ) -> None:
        self._offload = offload
        self._most = most
        self._most_bytes = most_bytes
        self._waiting: deque[WaitingRequest] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._busy = False
        self._closed = False

    def put(self, request: WaitingRequest) -> None:
        """Append a request.

        Raises:
            IntakeFull: The queue is full or closed.
        """
        with self._changed:
            if self._closed:
                raise IntakeFull("the server is shutting down; retry")
            if self._is_full(request.size):
                raise IntakeFull("too many spans are waiting to be stored; retry later")
            if self._offload is not None and self._waiting:
                self._offload.note_waiting(request.size)
            self._waiting.append(request)
            self._bytes += request.size
            self._send_ahead()
            self._changed.notify_all()

    def _is_full(self, size: int) -> bool:
        if len(self._waiting) >= self._most:
            return True
        return bool(self._waiting) and self._bytes + size > self._most_bytes

    def _send_ahead(self) -> None:
        if self._offload is not None:
            self._offload.send(self._waiting)

    def take(self, *, wait: bool) -> WaitingRequest | None:
        """Remove and return the first request.

        Args:
            wait: Whether to wait for one until the queue is closed. Otherwise, there is none either while the second
                process is still interpreting it.
        """
        with self._changed:
            if wait and not self._waiting:
                self._busy = False
                self._changed.notify_all()
                self._wait()
            if not self._waiting or (not wait and self._waiting[0].can_wait):
                return None
            self._busy = True
            request = self._waiting.popleft()
            self._bytes -= request.size
            self._send_ahead()
            return request

    def _has_work(self) -> bool:
        return bool(self._waiting) or self._closed

    def _wait(self) -> None:
        if self._offload is not None and not self._changed.wait_for(self._has_work, self._offload.idle_s):
            self._offload.end()
        self._changed.wait_for(self._has_work)

    def interpretation(self, request: WaitingRequest) -> Received | None:
        """Return what the second process made of a request; None if it has to be interpreted here."""
        return None if self._offload is None else self._offload.wait_for(request)

    def clear(self) -> list[WaitingRequest]:
        """Remove and return all requests."""
        with self._changed:
            waiting = [*self._waiting]
            self._waiting.clear()
            self._bytes = 0
            return waiting

    def mark_idle(self) -> None:
        """Note that what was taken is stored."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until nothing waits and all that was taken is stored; return whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy and not self._waiting, timeout_s)

    def close(self) -> None:
        """Accept no more requests; those that wait can be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def end_second_process(self) -> None:
        """End the second process, once the queue is closed and empty."""
        if self._offload is not None:
            self._offload.end()
