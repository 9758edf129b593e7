"""Decides when a second process interprets requests, and which of those in the queue."""

import pickle
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from itertools import islice
from typing import Protocol

from inspector.otlp import Decoded
from inspector.received import Received, SecondProcess

START_BYTES = 4 << 20
"""The second process starts after this many bytes of requests had to wait for others. Starting takes a second of CPU
time, which is longer than a short burst lasts."""
IDLE_S = 10.0
"""How long it is kept without new requests."""
MOST_BYTES = 2 << 20
"""Larger requests are interpreted by the writing process, so that no two processes hold them."""
_ANSWER_S = 60.0
"""If an answer takes longer, the process is considered stuck."""
_IN_ADVANCE = 6
"""How many requests it is given in advance: enough that it never has to wait for one."""


class QueuedRequest(Protocol):
    """A request in the queue."""

    decode: Callable[[], Decoded]
    size: int
    answer: Future[bytes] | None


class Offload:
    """Starts the second process under load, and ends it when no requests come. The caller holds a lock.

    Args:
        begin: Starts it.
        start_bytes: How many bytes of requests must have waited before it is started.
        idle_s: How long it is kept without new requests.
    """

    def __init__(
        self, begin: Callable[[], SecondProcess], *, start_bytes: int = START_BYTES, idle_s: float = IDLE_S
    ) -> None:
        self.idle_s = idle_s
        self._begin = begin
        self._start_bytes = start_bytes
        self._waited = 0
        self._process: SecondProcess | None = None

    def note_waiting(self, size: int) -> None:
        """Note that a request of this size has to wait for others."""
        self._waited += size
        if self._waited < self._start_bytes:
            return
        # A process that ended by itself is started again after as many bytes have waited; one that could not start is
        # not.
        if self._process is None or (self._process.is_over and self._process.was_ready):
            self._waited = 0
            self._process = self._begin()

    def send(self, waiting: Iterable[QueuedRequest]) -> None:
        """Send the first requests of the queue to the second process."""
        if self._process is None:
            return
        for request in islice(waiting, _IN_ADVANCE):
            if request.answer is None and request.size <= MOST_BYTES:
                request.answer = self._process.read(request.decode)

    def end(self) -> None:
        """End the second process until many requests have to wait again."""
        self._waited = 0
        if self._process is not None:
            self._process.end()
            self._process = None

    def wait_for(self, request: QueuedRequest) -> Received | None:
        """Wait, without the lock, for the interpretation of a request; None if it must be interpreted here."""
        if request.answer is None:
            return None
        try:
            answer = request.answer.result(_ANSWER_S)
        except TimeoutError:
            if (process := self._process) is not None:
                process.end()
            return None
        # From our own process; data from senders is texts and numbers in it.
        return pickle.loads(answer) if answer else None  # noqa: S301
