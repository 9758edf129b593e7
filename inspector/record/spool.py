"""The spool: this process's own append-only files of OTLP JSON lines.

Agents hand spans over through a queue; one daemon thread makes lines of them and writes. The file it writes is locked
for as long as the process lives, so that whoever takes spools in can tell a finished file from a growing one.
"""

import contextlib
import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from inspector import semconv as sc
from inspector.record.spans import RecordedSpan

_logger = logging.getLogger("mcp.inspector")

SUFFIX = ".jsonl"

Render = Callable[[Sequence[RecordedSpan], "dict[str, int]"], "list[bytes]"]
"""Makes whole lines of changed spans and of the counts of what was dropped."""


class Spool:
    """Writes the changed spans of one process.

    Args:
        directory: Where the files go; made with mode 0700 when missing.
        name: The process key: what the files' names begin with.
        render: Makes lines; runs in the writer's thread.
        linger_s: How long the first span of a batch waits for more.
        segment_bytes: Size at which the next file is begun.
        total_bytes: Size of all spools in the directory together above which the oldest finished file is removed.
        max_waiting: Spans that may wait for the writer; further ones are dropped and counted.
    """

    def __init__(
        self,
        directory: Path,
        name: str,
        render: Render,
        *,
        linger_s: float = 0.05,
        segment_bytes: int = 32 << 20,
        total_bytes: int = 1 << 30,
        max_waiting: int = 20_000,
    ) -> None:
        self.dropped = 0
        """Spans lost since the start because too many waited."""
        self.failures = 0
        """Writes that failed since the start; each was tried again."""
        self._file = _Segments(directory, name, segment_bytes=segment_bytes, total_bytes=total_bytes)
        self._render = render
        self._linger_s = linger_s
        self._max_waiting = max_waiting
        # SimpleQueue.put may be interrupted by a finalizer that puts too; queues and events with locks would deadlock.
        self._waiting: SimpleQueue[RecordedSpan | threading.Event] = SimpleQueue()
        self._hurry = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._told_dropped = 0
        self._held: list[bytes] = []
        self._stuck = False

    def put(self, span: RecordedSpan) -> None:
        """Hand over a span that began or ended; never blocks, never raises."""
        # While nothing can be written, far fewer wait: each may hold megabytes of what an agent passed.
        if self._waiting.qsize() >= (self._max_waiting // 20 if self._stuck else self._max_waiting):
            self.dropped += 1
            return
        self._waiting.put(span)
        if self._thread is None:
            self._start()

    def _start(self) -> None:
        if self._closed or not self._starting.acquire(blocking=False):
            return
        try:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="inspector-spool", daemon=True)
                # At interpreter shutdown no thread can be started any more; close() then writes what waits.
                with contextlib.suppress(RuntimeError):
                    thread.start()
                    self._thread = thread
        finally:
            self._starting.release()

    def flush(self, timeout_s: float = 2.0) -> bool:
        """Wait until everything handed over so far is written.

        Returns:
            False when that took longer than ``timeout_s``, or nothing could be written.
        """
        if self._thread is None:
            self._start()
        if self._thread is None:
            self._drain(self._next())
            return not self._held
        done = threading.Event()
        self._waiting.put(done)
        self._hurry.set()
        return done.wait(timeout_s) and not self._held

    def close(self, timeout_s: float = 2.0) -> None:
        """Write what waits, then finish the file; open calls are left to be found as lost."""
        if not self._closed:
            self.flush(timeout_s)
            self._closed = True
            self._hurry.set()
            self._waiting.put(threading.Event())
            thread = self._thread
            if thread is not None and thread is not threading.current_thread():
                thread.join(timeout_s)
            if thread is None or not thread.is_alive():
                self._file.close()

    def abandon(self) -> None:
        """Let go of the file without writing: after a fork it is the parent's."""
        self._closed = True
        self._file.close()

    def _run(self) -> None:
        while not self._closed:
            first = self._waiting.get()
            if isinstance(first, RecordedSpan):
                self._hurry.wait(self._linger_s)
            self._hurry.clear()
            try:
                self._drain(first)
            except Exception:
                self.failures += 1
                _logger.warning("recording goes on after an error in the spool writer", exc_info=True)

    def _drain(self, first: RecordedSpan | threading.Event | None) -> None:
        flushes: list[threading.Event] = []
        while first is not None:
            spans: list[RecordedSpan] = []
            while first is not None and len(spans) < 512:
                if isinstance(first, RecordedSpan):
                    spans.append(first)
                else:
                    flushes.append(first)
                first = self._next()
            self._write(spans)
        for done in flushes:
            done.set()

    def _next(self) -> RecordedSpan | threading.Event | None:
        try:
            return self._waiting.get_nowait()
        except Empty:
            return None

    def _write(self, spans: Sequence[RecordedSpan]) -> None:
        counts = {
            sc.DROPPED: self.dropped - self._told_dropped,
            sc.DROPPED_SEGMENTS: self._file.take_removed(),
        }
        if spans:
            self._held += self._render(spans, counts)
            self._told_dropped += counts[sc.DROPPED]
        while self._held:
            if not self._write_first_held():
                return

    def _write_first_held(self) -> bool:
        try:
            self._file.write(self._held[0])
        except OSError as error:
            self._stuck = True
            self.failures += 1
            if self.failures == 1 or self.failures % 1000 == 0:
                _logger.warning("cannot write the spool %s: %s; trying again", self._file.directory, error)
            while len(self._held) > 100:
                self.dropped += self._held.pop(0).count(b'{"traceId":')
            if not self._closed:
                time.sleep(self._linger_s)
            return False
        self._stuck = False
        self._held.pop(0)
        return True


class _Segments:
    """The files of one spool: rotated by size, the directory capped in total."""

    def __init__(self, directory: Path, name: str, *, segment_bytes: int, total_bytes: int) -> None:
        self.directory = directory
        self._name = name
        self._segment_bytes = segment_bytes
        self._total_bytes = total_bytes
        self._number = 0
        self._fd: int | None = None
        self._size = 0
        self._removed = 0

    def write(self, line: bytes) -> None:
        """Append a whole line, or raise OSError with the file as it was before."""
        if self._fd is None or self._size + len(line) > self._segment_bytes > 0 < self._size:
            self._begin()
        assert self._fd is not None
        done = 0
        try:
            while done < len(line):
                done += os.write(self._fd, memoryview(line)[done:])
        except OSError:
            os.ftruncate(self._fd, self._size)
            os.lseek(self._fd, self._size, os.SEEK_SET)
            raise
        self._size += len(line)

    def _begin(self) -> None:
        self.directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.directory.mkdir(mode=0o700, exist_ok=True)
        self._make_room()
        path = self.directory / f"{self._name}.{self._number:06d}{SUFFIX}"
        hidden = path.with_suffix(".tmp")
        fd = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.fchmod(fd, 0o600)
        # Locked before it can be seen: an unlocked file is taken for finished.
        fcntl.flock(fd, fcntl.LOCK_EX)
        hidden.rename(path)
        previous, self._fd, self._size = self._fd, fd, 0
        self._number += 1
        if previous is not None:
            os.close(previous)

    def _make_room(self) -> None:
        sizes = [(path, _size(path)) for path in sorted(self.directory.glob(f"*{SUFFIX}"))]
        total = sum(size for _, size in sizes)
        for path, size in sizes:
            if total + self._segment_bytes <= self._total_bytes:
                return
            if finished(path):
                path.unlink(missing_ok=True)
                total -= size
                self._removed += 1

    def take_removed(self) -> int:
        """Return how many finished files were removed for room since the last time."""
        removed, self._removed = self._removed, 0
        return removed

    def close(self) -> None:
        """Close the file; its lock goes with it."""
        fd, self._fd = self._fd, None
        if fd is not None:
            with contextlib.suppress(OSError):
                os.close(fd)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def finished(path: Path) -> bool:
    """Tell whether no living process writes this file any more."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
