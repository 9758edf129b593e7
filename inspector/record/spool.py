"""The spool: this process's own append-only files of OTLP JSON lines.

Agents hand spans over through a queue; one daemon thread makes lines of them and writes. The file it writes is locked
for as long as the process lives, so that whoever takes spools in can tell a finished file from a growing one.
"""

import contextlib
import fcntl
import logging
import math
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

from inspector.record.losses import Losses
from inspector.record.renderer import Line
from inspector.record.spans import RecordedSpan
from inspector.spooling import HIDDEN_SUFFIX, SUFFIX, is_finished, make_private, process_of
from inspector.tally import Tally

_logger = logging.getLogger("mcp.inspector")

_BATCH = 512
_RETRY_S = 1.0
"""How long what could not be written waits for another try while nothing new comes."""
_LONG_WRITE_S = 1.0
"""After how long a write is taken for stuck."""


class Render(Protocol):
    """Makes whole lines of changed spans and of the counts of what was lost."""

    def __call__(self, spans: Sequence[RecordedSpan], losses: Losses, *, is_over: bool = False) -> list[Line]:
        """Return the lines; ``is_over`` says that they are the last."""
        ...


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
        tally: Where the counts go that somebody waits for, if anybody does.
    """

    def __init__(  # noqa: PLR0913 - its limits, each with a default
        self,
        directory: Path,
        name: str,
        render: Render,
        *,
        linger_s: float = 0.05,
        segment_bytes: int = 32 << 20,
        total_bytes: int = 1 << 30,
        max_waiting: int = 20_000,
        tally: Tally | None = None,
    ) -> None:
        self.losses = Losses()
        """What is not in the file and will not be."""
        self.failures = 0
        """Writes that failed since the start; each was tried again."""
        limits = {"segment_bytes": segment_bytes, "total_bytes": total_bytes}
        self._file = _Segments(directory, name, losses=self.losses, **limits)
        self._tally = tally
        self._render = render
        self._linger_s = linger_s
        self._max_waiting = max_waiting
        # SimpleQueue.put may be interrupted by a finalizer that puts too; queues and events with locks would deadlock.
        self._waiting: SimpleQueue[RecordedSpan | threading.Event] = SimpleQueue()
        self._hurry = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._few = max_waiting // 20
        self._held: list[Line] = []
        self._failing = False
        self._writing_since_s = math.inf

    def put(self, span: RecordedSpan) -> None:
        """Hand over a span that began or ended; never blocks, never raises."""
        waiting = self._waiting.qsize()
        if waiting >= self._few and (waiting >= self._max_waiting or self._is_stuck()):
            self.losses.lose(span, span.state, "unwritten" if self._failing else "dropped")
            return
        self._waiting.put(span)
        if self._thread is None:
            self._start()

    def _is_stuck(self) -> bool:
        # While nothing can be written, far fewer wait: each may hold megabytes of what an agent passed.
        return self._failing or time.monotonic() - self._writing_since_s > _LONG_WRITE_S

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
            try:
                first = self._waiting.get(timeout=_RETRY_S if self._held else None)
            except Empty:
                first = None
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
        self._writing_since_s = time.monotonic()
        try:
            while True:
                spans: list[RecordedSpan] = []
                while first is not None and len(spans) < _BATCH:
                    if isinstance(first, RecordedSpan):
                        spans.append(first)
                    else:
                        flushes.append(first)
                    first = self._next()
                self._write(spans)
                if first is None:
                    return
        finally:
            self._writing_since_s = math.inf
            for done in flushes:
                done.set()

    def _next(self) -> RecordedSpan | threading.Event | None:
        try:
            return self._waiting.get_nowait()
        except Empty:
            return None

    def _write(self, spans: Sequence[RecordedSpan]) -> None:
        self._held += self._render(spans, self.losses, is_over=self._closed)
        while self._held and self._write_first_held():
            self._writing_since_s = time.monotonic()
        if self._tally is not None:
            self._save(self._tally)

    def _save(self, tally: Tally) -> None:
        losses = self.losses
        tally.count_losses(
            dropped=losses.dropped + losses.of_the_open("dropped"),
            unwritten=losses.unwritten + losses.of_the_open("unwritten") + _calls_of(self._held),
            unencodable=losses.unencodable + losses.of_the_open("unencodable"),
            unmatched=losses.unmatched,
        )
        tally.save()

    def _write_first_held(self) -> bool:
        line = self._held[0]
        try:
            self._file.write(line.data)
        except OSError as error:
            self._failing = True
            self.failures += 1
            if self.failures == 1 or self.failures % 1000 == 0:
                _logger.warning("cannot write the spool %s: %s; trying again", self._file.directory, error)
            while len(self._held) > 100:
                self._lose(self._held.pop(0))
            if not self._closed:
                time.sleep(self._linger_s)
            return False
        self._failing = False
        self._held.pop(0)
        if self._tally is not None:
            _count(line, self._tally)
        return True

    def _lose(self, line: Line) -> None:
        self.losses.take_back(line.news)
        for entry in line.entries:
            self.losses.lose(entry.span, entry.state, "unwritten")
            if entry.is_new and entry.span.written == "running":
                # Its end will be the first that is known of it.
                entry.span.written = None


def _calls_of(lines: Sequence[Line]) -> int:
    return len({entry.span.span_id for line in lines for entry in line.entries})


def _count(line: Line, tally: Tally) -> None:
    for entry in line.entries:
        if entry.is_retold:
            continue
        if entry.is_new:
            tally.count(entry.span.trace_id, is_root=entry.span.parent_id is None)
        if entry.state == "error":
            tally.count_failure(entry.span.trace_id)


class _Segments:
    """The files of one spool: rotated by size, the directory capped in total."""

    def __init__(self, directory: Path, name: str, *, segment_bytes: int, total_bytes: int, losses: Losses) -> None:
        self.directory = directory
        self._name = name
        self._segment_bytes = segment_bytes
        self._total_bytes = total_bytes
        self._number = 0
        self._fd: int | None = None
        self._size = 0
        self._losses = losses

    def write(self, line: bytes) -> None:
        """Append a whole line, or raise OSError with the file as it was before."""
        if self._fd is not None and os.fstat(self._fd).st_nlink == 0:
            # Somebody removed the file under us; what is written to it would be lost without a word.
            self.close()
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
        make_private(self.directory)
        self._make_room()
        path = self.directory / f"{self._name}.{self._number:06d}{SUFFIX}"
        hidden = path.with_suffix(HIDDEN_SUFFIX)
        fd = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(fd, 0o600)
            # Locked before it can be seen: an unlocked file is taken for finished.
            fcntl.flock(fd, fcntl.LOCK_EX)
            hidden.rename(path)
        except OSError:
            os.close(fd)
            hidden.unlink(missing_ok=True)
            raise
        previous, self._fd, self._size = self._fd, fd, 0
        self._number += 1
        if previous is not None:
            os.close(previous)

    def _make_room(self) -> None:
        sizes = [(path, _size(path)) for path in sorted(self.directory.glob(f"*{SUFFIX}")) if process_of(path.name)]
        total = sum(size for _, size in sizes)
        for path, size in sizes:
            if total + self._segment_bytes <= self._total_bytes:
                return
            if finished(path):
                path.unlink(missing_ok=True)
                total -= size
                self._losses.dropped_segments += 1

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
        return is_finished(fd)
    finally:
        os.close(fd)
