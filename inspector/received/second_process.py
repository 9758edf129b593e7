"""Interprets requests in a second process while this one writes earlier ones.

Interpreting takes nearly as much CPU time as writing, and an interpreter can only do one of them at a time. The second
process receives requests and returns their interpretations, in order; the only file it reads is the redactor's salt. So
nothing depends on it: if it does not answer a request for any reason, the request is interpreted here.
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
"""The length before each message, which is the pickle of a request or of its interpretation."""
_Waiting = tuple[Callable[[], Decoded], Future[bytes]]


class SecondProcess:
    """The second process, from construction until `end`; it also ends when this process does.

    Args:
        home: The inspector's home, with the salt of the redactor.
        redact: Whether to remove secrets.
    """

    def __init__(self, home: Path, *, redact: bool) -> None:
        self._words = [str(home), "redact" if redact else "as-sent"]
        self._lock = threading.Lock()
        self._requests: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._unanswered: deque[Future[bytes]] = deque()
        self._process: subprocess.Popen[bytes] | None = None
        self.ready = threading.Event()
        """Set when it accepts requests; stays set after it has ended."""
        self.was_ready = False
        """Whether it was ever ready."""
        self._is_over = False
        self._ours, self._theirs = socket.socketpair()
        # Two threads, because each side may have to wait for the other during a large message.
        for name, run in (("send", self._send), ("receive", self._receive)):
            threading.Thread(target=run, name=f"inspector-second-{name}", daemon=True).start()

    @property
    def process_id(self) -> int | None:
        """The id of the process; None before it has started."""
        return None if self._process is None else self._process.pid

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or could not start."""
        return self._is_over

    def read(self, decode: Callable[[], Decoded]) -> Future[bytes] | None:
        """Send a request; the future has the pickle of a `Received`, or nothing if it must be interpreted here.

        Returns:
            None while the process is not ready.
        """
        with self._lock:
            if self._is_over or not self.ready.is_set():
                return None
            answer: Future[bytes] = Future()
            self._unanswered.append(answer)
            self._requests.put((decode, answer))
            return answer

    def end(self) -> None:
        """End the process; requests that it has not answered are interpreted here."""
        with self._lock:
            self._is_over = True
            process = self._process
        # It holds nothing that could be lost.
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
        # The other end has closed, which the receiving thread notices too; or the process could not start.
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
                # The first message says that it is ready.
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
        EOFError: The other end has closed the connection.
        OSError: The connection broke.
    """
    (size,) = SIZE.unpack(_exactly(from_, SIZE.size))
    return _exactly(from_, size)


def _exactly(from_: socket.socket, size: int) -> bytes:
    # In one call if possible: each return to Python may wait as long as the interpreter's switch interval.
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
    # An empty request gets an empty answer.
    except (PicklingError, AttributeError, TypeError):
        return b""
