"""When requests are read in another process, and which of those that wait."""

import pickle
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from itertools import islice
from typing import Protocol

from inspector.otlp import Decoded
from inspector.received import Apart, Received

PRESSED_BYTES = 4 << 20
"""Bytes of requests that had to wait for others, after which the process begins: that takes a second of a processor,
which a short burst does not last."""
IDLE_S = 10.0
"""How long it stays when nothing comes."""
MOST_BYTES = 2 << 20
"""A larger request is read by whoever writes it, so that it is not held twice."""
_ANSWER_S = 60.0
"""After which it is taken for stuck."""
_AHEAD = 6
"""Requests that it reads ahead: enough for it never to wait for one."""


class Waiting(Protocol):
    """A request that waits to be written."""

    decode: Callable[[], Decoded]
    size: int
    apart: Future[bytes] | None


class Ahead:
    """Begins the process under load, and ends it when nothing comes; its caller has a lock.

    Args:
        begin: Begins it.
        pressed_bytes: Bytes of requests that had to wait, after which it begins.
        idle_s: How long it stays when nothing comes.
    """

    def __init__(
        self, begin: Callable[[], Apart], *, pressed_bytes: int = PRESSED_BYTES, idle_s: float = IDLE_S
    ) -> None:
        self.idle_s = idle_s
        self._begin = begin
        self._pressed_bytes = pressed_bytes
        self._pressed = 0
        self._apart: Apart | None = None

    @property
    def process_id(self) -> int | None:
        """Of the process, while there is one."""
        return None if self._apart is None else self._apart.process_id

    def note_pressed(self, size: int) -> None:
        """A request of so many bytes has to wait for others."""
        self._pressed += size
        if self._pressed < self._pressed_bytes:
            return
        # What ended by itself begins anew once as much has had to wait again; what could not begin does not.
        if self._apart is None or (self._apart.is_over and self._apart.was_ready):
            self._pressed = 0
            self._apart = self._begin()

    def give(self, waiting: Iterable[Waiting]) -> None:
        """Have the first of what waits read."""
        if self._apart is None:
            return
        for request in islice(waiting, _AHEAD):
            if request.apart is None and request.size <= MOST_BYTES:
                request.apart = self._apart.read(request.decode)

    def rest(self) -> None:
        """Let the process go, until much has to wait again."""
        self._pressed = 0
        if self._apart is not None:
            self._apart.end()
            self._apart = None

    def received(self, request: Waiting) -> Received | None:
        """Wait for what was read of a request, without the lock; None where it has to be read here."""
        if request.apart is None:
            return None
        try:
            answer = request.apart.result(_ANSWER_S)
        except TimeoutError:
            if (apart := self._apart) is not None:
                apart.end()
            return None
        # By our own process, which gives back texts and numbers of what strangers sent.
        return pickle.loads(answer) if answer else None  # noqa: S301
