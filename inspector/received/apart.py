"""Requests that are read in another process while this one writes what was read before.

Reading takes a processor nearly as long as writing, and an interpreter does one of the two at a time. The process is
given requests and gives back what they say, in order; it touches no file but the salt of the redactor. So nothing
depends on it: what it does not answer, for whatever reason, is read here.
"""

import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from pickle import PicklingError, dumps
from queue import SimpleQueue
from struct import Struct

from inspector.otlp import Decoded

SIZE = Struct("<Q")
"""What stands before each message, which is the pickle of a request or of what it says."""
_Waiting = tuple[Callable[[], Decoded], Future[bytes]]


class Apart:
    """The other process, from construction until `end`; it ends with this one too.

    Args:
        home: Of the inspector, whose salt the redactor has.
        redact: Whether secrets are removed.
    """

    def __init__(self, home: Path, *, redact: bool) -> None:
        self._words = [str(home), "redact" if redact else "as-sent"]
        self._lock = threading.Lock()
        self._requests: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._unanswered: deque[Future[bytes]] = deque()
        self._process: subprocess.Popen[bytes] | None = None
        self.ready = threading.Event()
        """Set once it takes requests, and for good once it has ended."""
        self.was_ready = False
        """Whether it has taken any."""
        self._is_over = False
        self._ours, self._theirs = socket.socketpair()
        # Two, since each side may have to wait for the other while a large message is on its way.
        for name, run in (("send", self._send), ("receive", self._receive)):
            threading.Thread(target=run, name=f"inspector-apart-{name}", daemon=True).start()

    @property
    def process_id(self) -> int | None:
        """Of the process, once it has begun."""
        return None if self._process is None else self._process.pid

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or could not begin."""
        return self._is_over

    def read(self, decode: Callable[[], Decoded]) -> Future[bytes] | None:
        """Have a request read; the future has the pickle of a `Received`, or nothing where it has to be read here.

        Returns:
            None as long as the process is not ready.
        """
        with self._lock:
            if self._is_over or not self.ready.is_set():
                return None
            answer: Future[bytes] = Future()
            self._unanswered.append(answer)
            self._requests.put((decode, answer))
            return answer

    def end(self) -> None:
        """End the process; what it has not answered is read here."""
        with self._lock:
            self._is_over = True
            process = self._process
        # It has nothing that could be lost.
        if process is not None:
            process.kill()
        with suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)

    def _send(self) -> None:
        try:
            self._begin()
            while waiting := self._requests.get():
                request = _pickled(waiting[0])
                self._ours.sendall(SIZE.pack(len(request)))
                self._ours.sendall(request)
        # The other end has closed, which whoever receives sees as well; or the process could not begin.
        except (OSError, ValueError, TypeError):
            self.end()
        finally:
            self._theirs.close()

    def _begin(self) -> None:
        command = [sys.executable, "-P", "-m", "inspector.received", *self._words]
        with self._lock:
            if self._is_over:
                return
            self._process = subprocess.Popen(command, stdin=self._theirs.fileno(), stdout=subprocess.DEVNULL)  # noqa: S603 - all of it ours
        self._theirs.close()

    def _receive(self) -> None:
        try:
            while True:
                answer = receive_message(self._ours)
                if self.ready.is_set():
                    self._unanswered.popleft().set_result(answer)
                # The first says that it is ready.
                self.was_ready = True
                self.ready.set()
        except (OSError, EOFError):
            pass
        finally:
            self._leave()

    def _leave(self) -> None:
        self.end()
        self.ready.set()
        self._requests.put(None)
        for waiting in self._unanswered:
            waiting.set_result(b"")
        self._ours.close()
        if self._process is not None:
            self._process.wait()


def receive_message(from_: socket.socket) -> bytes:
    """Wait for a message.

    Raises:
        EOFError: There will be none.
        OSError: The other end has broken off.
    """
    (size,) = SIZE.unpack(_exactly(from_, SIZE.size))
    return _exactly(from_, size)


def _exactly(from_: socket.socket, size: int) -> bytes:
    # All of it by one call: each return to Python may wait for the interpreter as long as its switch interval.
    message = bytearray(size)
    view = memoryview(message)
    while view:
        got = from_.recv_into(view, len(view), socket.MSG_WAITALL)
        if not got:
            raise EOFError
        view = view[got:]
    return bytes(message)


def _pickled(decode: Callable[[], Decoded]) -> bytes:
    try:
        return dumps(decode)
    # Nothing, which is answered by nothing.
    except (PicklingError, AttributeError, TypeError):
        return b""
