"""Ingests spool files into the store: each record exactly once, whichever process dies when.

Rows are committed together with the read position, so after a crash, reading continues where the last commit ended.
"""

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from inspector.ingest.batch import Batch
from inspector.ingest.losses import LossReader
from inspector.ingest.positions import ReadPositions
from inspector.ingest.unwritten import UnwrittenLosses, remove
from inspector.otlp import Decoded
from inspector.reading.recorded import read_line
from inspector.received.redacting import unredacted
from inspector.spooling import SUFFIX, UNWRITTEN_SUFFIX, is_finished, process_of
from inspector.store import SpoolMark, Store, StoreError
from inspector.tail import (
    MAX_LINE,
    Line,
    Segment,
    SegmentParts,
    files_by_process,
    is_alive,
    list_segments,
    opened,
    read_lines,
)

LOCK_POLL_S = 0.2
_KEPT = "was stored and cannot be removed"


@dataclass(frozen=True, slots=True)
class SpoolTotals:
    """The results of one or more passes over the spools."""

    lines: int = 0
    """Complete lines, including bad ones."""
    bad_lines: int = 0
    """Lines that cannot be read: garbage, cut off by a crash, or too long."""
    spans: int = 0
    """Records written; a span with a start record and a complete one counts twice."""
    bad_spans: int = 0
    """Bad spans in good lines."""
    lost: int = 0
    """Spans whose process ended before they did."""
    deleted: int = 0
    """Segments removed after everything in them was committed."""
    ignored: Mapping[str, str] = field(default_factory=dict[str, str])
    """The names of ignored directory entries, with the reason."""
    complete: bool = True
    """False if the deadline came first."""

    def __add__(self, other: "SpoolTotals") -> "SpoolTotals":
        """Return the sums, with ``ignored`` and ``complete`` of the later one."""
        return SpoolTotals(
            self.lines + other.lines,
            self.bad_lines + other.bad_lines,
            self.spans + other.spans,
            self.bad_spans + other.bad_spans,
            self.lost + other.lost,
            self.deleted + other.deleted,
            other.ignored,
            other.complete,
        )

    @property
    def changed(self) -> bool:
        """Whether anything was read or changed."""
        return bool(self.lines or self.lost or self.deleted)


@dataclass(slots=True)
class _Look:
    """The state of a segment when it was last read."""

    size: int
    inode: int
    finished: bool
    at_s: float

    def settles(self, segment: Segment, now_s: float, lock_poll_s: float) -> bool:
        """Tell whether reading it again would find nothing new."""
        if (self.size, self.inode) != (segment.size, segment.inode):
            return False
        return self.finished or segment.process is None or now_s - self.at_s < lock_poll_s


@dataclass(slots=True)
class _Deadline:
    at_s: float | None

    @property
    def passed(self) -> bool:
        return self.at_s is not None and time.monotonic() > self.at_s


class SpoolReader:
    """Ingests a directory of spool files into a store, and remembers between passes what has not changed.

    Args:
        directory: The directory in which recorders write.
        store: A writable store.
        committed: Called after each commit that changed rows.
        redact: Removes secrets from what other programs wrote there.
        lock_poll_s: How often the lock of a file that does not grow is tested, to see whether its writer is alive.
        max_line: Longer lines (in bytes) are bad.
    """

    def __init__(
        self,
        directory: Path,
        store: Store,
        *,
        committed: Callable[[], None] = lambda: None,
        redact: Callable[[Decoded], Decoded] = unredacted,
        lock_poll_s: float = LOCK_POLL_S,
        max_line: int = MAX_LINE,
    ) -> None:
        self._directory = directory
        self._store = store
        self._committed = committed
        self._redact = redact
        self._lock_poll_s = lock_poll_s
        self._max_line = max_line
        self._positions = ReadPositions(store)
        self._unwritten = UnwrittenLosses(directory, store, self._positions)
        self._looks: dict[str, _Look] = {}
        self._loss_readers: dict[str, LossReader] = {}
        self._parts: dict[str, SegmentParts] = {}
        self._kept: set[str] = set()
        """The names of files that could not be removed."""

    def ingest(
        self, *, deadline_s: float | None = None, read_so_far: Callable[[int, int], None] | None = None
    ) -> SpoolTotals:
        """Ingest the new lines of every spool file until a deadline; the next pass continues.

        Args:
            deadline_s: The deadline as a ``time.monotonic`` time; without one, everything is read.
            read_so_far: Called after each file with the number of files read, and their total.

        Raises:
            StoreError: It cannot be stored now (``StoreBusy``) or at all; uncommitted lines are read again.
        """
        try:
            return self._pass(_Deadline(deadline_s), read_so_far)
        except StoreError:
            # Forget the times of earlier lines, since lines may be read again.
            self._loss_readers.clear()
            raise

    def _pass(self, deadline: "_Deadline", read_so_far: Callable[[int, int], None] | None) -> SpoolTotals:
        self._positions.load()
        segments, ignored = list_segments(self._directory)
        total = SpoolTotals()
        batch = Batch(self._store, self._move_marks)
        looks: dict[str, _Look] = {}
        for number, segment in enumerate(segments, 1):
            if deadline.passed:
                total = replace(total, complete=False)
            if not total.complete:
                break
            try:
                total += self._read(segment, batch, deadline, looks)
            except FileNotFoundError:
                self._looks.pop(segment.name, None)
            except OSError as error:
                ignored[segment.name] = f"cannot be read: {error.strerror or error}"
            if read_so_far is not None:
                read_so_far(number, len(segments))
        batch.flush()
        self._looks.update(looks)
        if total.complete:
            total += self._put_away(segments, ignored)
            ignored.update(dict.fromkeys(self._unwritten.ingest(), _KEPT))
        return replace(total, ignored=ignored)

    def _read(self, segment: Segment, batch: Batch, deadline: _Deadline, looks: dict[str, _Look]) -> SpoolTotals:
        look = self._looks.get(segment.name)
        now_s = time.monotonic()
        if look and look.settles(segment, now_s, self._lock_poll_s):
            return SpoolTotals()
        with opened(segment) as fd:
            finished = segment.process is not None and is_finished(fd)
            totals = self._read_to_end(segment, fd, batch, deadline=deadline, finished=finished)
        if totals.complete:
            # Valid once the batch is committed, since finished files are deleted after they were read.
            looks[segment.name] = _Look(segment.size, segment.inode, finished, now_s)
        return totals

    def _read_to_end(
        self, segment: Segment, fd: int, batch: Batch, *, deadline: _Deadline, finished: bool
    ) -> SpoolTotals:
        size = os.fstat(fd).st_size
        mark = before = self._positions.start(segment, size)
        loss_reader = self._loss_readers.setdefault(segment.process or segment.name, LossReader(segment))
        parts = self._parts_of(segment, fd, before.offset)
        complete = True
        for line in read_lines(fd, before.offset, size, max_line=self._max_line):
            if not complete:
                break
            if line.whole or finished or _may_be_whole(line, segment):
                decoded = Decoded() if parts.note(line) else self._decode(line, parts)
                if segment.process is None:
                    decoded = self._redact(decoded)
                mark = batch.add(line, decoded, mark, loss_reader)
                complete = not deadline.passed
        return _difference(before, mark, complete=complete)

    def _parts_of(self, segment: Segment, fd: int, offset: int) -> SegmentParts:
        parts = self._parts.get(segment.name)
        if parts is None or parts.inode != segment.inode:
            parts = self._parts[segment.name] = SegmentParts(segment.inode)
        parts.begin(fd, offset)
        return parts

    def _decode(self, line: Line, parts: SegmentParts) -> Decoded:
        if len(line.data) >= self._max_line:
            return Decoded(malformed="too long")
        return read_line(line.data, parts.parts) if line.data.strip() else Decoded()

    def _move_marks(self, marks: Sequence[SpoolMark], spans: int) -> None:
        self._positions.note(marks)
        if spans:
            self._committed()

    def _put_away(self, segments: list[Segment], ignored: dict[str, str]) -> SpoolTotals:
        """Delete finished files that were ingested, and mark the running spans of dead processes as lost.

        The order is: mark spans, delete files, forget read positions. After a crash, steps are repeated, and then
        change nothing.
        """
        read = [segment for segment in segments if self._is_done(segment)]
        ignored.update((segment.name, _KEPT) for segment in segments if segment.name in self._kept)
        others = self._positions.except_for(segment.name for segment in segments)
        missing = {name for name in others if self._is_gone(name)}
        if not read and not missing:
            return SpoolTotals()
        # After a power cut, either the rows or the file must exist.
        self._store.sync()
        known = {*missing, *(segment.name for segment in read)}
        files = files_by_process(self._directory)
        ended = {process for process in map(process_of, known) if process}
        dead = [process for process in sorted(ended) if not is_alive(files.get(process, ()), known)]
        lost = self._mark_lost(dead)
        for path in (path for process in dead for path in files.get(process, ()) if path.suffix != SUFFIX):
            remove(path)
        # A file that cannot be removed keeps its read position, or it would be ingested again.
        kept = {segment.name for segment in read if not remove(segment.path)}
        self._kept |= kept
        self._forget(known - kept)
        for key in (*dead, *missing):
            self._loss_readers.pop(key, None)
        return SpoolTotals(lost=lost, deleted=len(read) - len(kept))

    def _is_gone(self, name: str) -> bool:
        """Tell whether a file with a read position, which is not among those to read, no longer exists."""
        return not name.endswith(UNWRITTEN_SUFFIX) or not (self._directory / name).exists()

    def _is_done(self, segment: Segment) -> bool:
        look = self._looks.get(segment.name)
        return look is not None and look.finished and look.inode == segment.inode and segment.name not in self._kept

    def _mark_lost(self, processes: Sequence[str]) -> int:
        lost = self._store.mark_lost(processes) if processes else 0
        if lost:
            self._committed()
        return lost

    def _forget(self, names: Collection[str]) -> None:
        self._positions.forget(names)
        for name in names:
            self._looks.pop(name, None)
            self._parts.pop(name, None)


def _may_be_whole(line: Line, segment: Segment) -> bool:
    """Tell whether text without a newline at the end may be a complete line, as other programs may write it.

    A cut-off JSON object never decodes, so text that decodes is complete.
    """
    return segment.process is None and line.data.rstrip().endswith(b"}") and not read_line(line.data).malformed


def _difference(before: SpoolMark, after: SpoolMark, *, complete: bool) -> SpoolTotals:
    return SpoolTotals(
        lines=after.lines - before.lines,
        bad_lines=after.bad_lines - before.bad_lines,
        spans=after.spans - before.spans,
        bad_spans=after.bad_spans - before.bad_spans,
        complete=complete,
    )
