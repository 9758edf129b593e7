"""What a server over stdio writes to standard error: passed on to that of the program, and noted in its requests.

Only where the program's is no terminal, which the server could tell from a pipe. The pipe has a name for a moment, and
the server's end is opened for reading too: it is never one that nobody reads, which would end a server that is still
writing after its client was killed (pipe(7)).
"""

import fcntl
import os
import resource
import select
import tempfile
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from inspect import signature
from threading import Lock, Thread
from time import time_ns
from typing import Any, BinaryIO, Final, Self
from weakref import WeakKeyDictionary

from inspector import semconv as sc
from inspector.integrations.calls import safely
from inspector.record.calls.spans import RecordedSpan

_MOST_WAITING: Final = 64
_MOST_NOTED: Final = 16_384
"""The characters of one event."""
_ROOM_BYTES: Final = 1 << 20
_CHUNK_BYTES: Final = 65_536
_LONGEST_WAIT_S: Final = 0.05
"""For the thread that passes on, which waits itself while nobody reads the program's standard error."""

_known: WeakKeyDictionary[Any, "ServerStderr"] = WeakKeyDictionary()
"""By the stream that a session writes to."""


class ServerStderr:
    """Passes on what one server writes, and notes it in its open requests, else in the next one.

    Args:
        target: A file descriptor of its own, to which everything goes.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._source, sink = _pipe()
        self.sink: BinaryIO = os.fdopen(sink, "wb", buffering=0)
        """What the server gets, to be closed once it has it."""
        self._lock = Lock()
        self._waiting: deque[tuple[int, str]] = deque(maxlen=_MOST_WAITING)
        self._spans: list[RecordedSpan] = []
        self._is_over = False

    def follow(self) -> Self:
        """Begin to pass on."""
        Thread(target=self._follow, name="inspector-mcp-stderr", daemon=True).start()
        return self

    def opened(self, span: RecordedSpan) -> None:
        """Note in this request what comes from now on, and what nobody has been told."""
        self._spans.append(span)
        while self._waiting:
            with suppress(IndexError):
                _note(span, *self._waiting.popleft())

    def ended(self, span: RecordedSpan) -> None:
        """Stop noting in this request, after what the server wrote before it answered or died."""
        self.pass_on()
        self._spans.remove(span)

    def pass_on(self) -> None:
        """Pass on what there is, as far as nobody has to wait."""
        if self._lock.acquire(timeout=_LONGEST_WAIT_S):
            try:
                self._read(most_bytes=select.PIPE_BUF, is_free=self._is_target_free)
            finally:
                self._lock.release()

    def _is_target_free(self) -> bool:
        target = select.poll()
        target.register(self._target, select.POLLOUT)
        return bool(target.poll(0))

    def _follow(self) -> None:
        # A server may have more open files than `select` takes.
        readable = select.poll()
        readable.register(self._source, select.POLLIN)
        while not self._is_over:
            readable.poll()
            with self._lock:
                self._read(most_bytes=_CHUNK_BYTES, is_free=lambda: True)
        os.close(self._source)
        os.close(self._target)

    def _read(self, *, most_bytes: int, is_free: Callable[[], bool]) -> None:
        written = bytearray()
        with suppress(BlockingIOError):
            while not self._is_over and is_free():
                data = os.read(self._source, most_bytes)
                self._is_over = not data
                written += data
                with suppress(OSError):
                    _write(self._target, data)
        if text := written.decode(errors="replace").rstrip():
            self._tell(text[-_MOST_NOTED:])

    def _tell(self, text: str) -> None:
        at_ns, spans = time_ns(), tuple(self._spans)
        for span in spans:
            _note(span, at_ns, text)
        if not spans:
            self._waiting.append((at_ns, text))


def of_server(start: Callable[..., Any]) -> ServerStderr | None:
    """Return what passes on the standard error of a server that ``start`` starts; None if it has to stay as it is."""
    return safely(lambda: _of_server(start), None)


def _of_server(start: Callable[..., Any]) -> ServerStderr | None:
    try:
        # By default, that of the time when the SDK was imported.
        target: int = signature(start).parameters["errlog"].default.fileno()
        return None if os.isatty(target) else _with_its_own(os.dup(target))
    # There is none, as in a notebook, or no room for another file, or no pipe with a name, as on Windows.
    except (OSError, ValueError, AttributeError):
        return None


def _with_its_own(target: int) -> ServerStderr | None:
    its = None
    try:
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        # A new file has the lowest number that is free. The other half is left to the program.
        if most == resource.RLIM_INFINITY or target < most // 2:
            its = ServerStderr(target).follow()
    finally:
        if its is None:
            os.close(target)
    return its


def remember(stream: Any, its: ServerStderr) -> None:
    """Note which server's messages a session writes to this stream."""
    with suppress(TypeError):
        _known[stream] = its


def heard_over(stream: Any) -> ServerStderr | None:
    """Return what passes on the standard error of the server that this stream leads to."""
    try:
        return _known.get(stream)
    except TypeError:
        return None


def _pipe() -> tuple[int, int]:
    """Return the two ends of a pipe: one that never waits, and one that can be written to as long as it is open."""
    with tempfile.TemporaryDirectory(prefix="inspector-") as place:
        path = os.path.join(place, "stderr")  # noqa: PTH118 - for `os.open`
        os.mkfifo(path, 0o600)
        sink = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        source = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    # Linux alone, and up to a limit of the system.
    with suppress(OSError, AttributeError):
        fcntl.fcntl(source, fcntl.F_SETPIPE_SZ, _ROOM_BYTES)
    return source, sink


def _write(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]


def _note(span: RecordedSpan, at_ns: int, text: str) -> None:
    facts = {sc.LOG_LEVEL: "info", sc.LOG_LOGGER: "stderr", sc.LOG_MESSAGE: text}
    span.record_event(sc.LOG_EVENT, facts, at_ns)
