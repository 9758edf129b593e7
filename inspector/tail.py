"""Reads one spool file: the meaning of its name, whether its writer is finished, and its complete lines."""

import os
import stat
from collections.abc import Container, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from inspector.parts import Parts
from inspector.spooling import SUFFIX, is_abandoned, process_of, process_of_hidden

MAX_LINE = 64 << 20
"""The most bytes of a line. A longer one is read in pieces of this size, none of which is valid JSON."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Segment:
    """A regular file in the spool directory, as it was when the directory was listed."""

    path: Path
    inode: int
    size: int
    process: str | None
    """The key of the recording process; None for a file from another program, which is read but never deleted."""

    @property
    def name(self) -> str:
        """The file's name, by which the store remembers the read position."""
        return self.path.name


@dataclass(frozen=True, slots=True)
class Line:
    """Bytes up to a newline, or up to the end of the file."""

    data: bytes
    end: int
    """The offset after it, newline included."""
    whole: bool
    """False for the bytes after the last newline."""


def list_segments(directory: Path) -> tuple[list[Segment], dict[str, str]]:
    """Return the directory's segments in the order to read them, and why other entries are ignored.

    Sorted by name, processes are in the order they started, and the segments of each in the order they were written.
    """
    segments: list[Segment] = []
    ignored: dict[str, str] = {}
    try:
        entries = list(os.scandir(directory))
    except (FileNotFoundError, NotADirectoryError):
        return [], {}
    except PermissionError as error:
        return [], {".": f"cannot be read: {error.strerror}"}
    for entry in entries:
        if not entry.name.endswith(SUFFIX):
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        shown = entry.name.encode("utf-8", "backslashreplace").decode()
        reason = _unreadable(status) or ("has a name that is not UTF-8" if shown != entry.name else None)
        if reason:
            ignored[shown] = reason
        else:
            segments.append(Segment(Path(entry.path), status.st_ino, status.st_size, process_of(entry.name)))
    segments.sort(key=lambda segment: segment.name)
    return segments, ignored


def _unreadable(status: os.stat_result) -> str | None:
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if status.st_uid != os.geteuid():
        return f"belongs to another user (uid {status.st_uid})"
    return None


def files_by_process(directory: Path) -> dict[str, list[Path]]:
    """Return the segments of every process, including those without their final name."""
    files: dict[str, list[Path]] = {}
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        for entry in os.scandir(directory):
            process = process_of(entry.name) or process_of_hidden(entry.name)
            if process:
                files.setdefault(process, []).append(Path(entry.path))
    return files


def is_alive(files: Iterable[Path], known: Container[str]) -> bool:
    """Tell whether a process has an unknown segment, or one that is being created.

    List the files after all known ones were found finished, because a writer creates the next segment before it
    releases the last.
    """
    return any(path.name not in known if path.suffix == SUFFIX else not is_abandoned(path) for path in files)


@contextmanager
def opened(segment: Segment) -> Generator[int]:
    """Open a segment for reading, and yield its descriptor.

    Raises:
        FileNotFoundError: It was removed or replaced.
        OSError: The file cannot be read.
    """
    # If somebody replaced the file, a FIFO would block here, and a link would lead out of the directory.
    fd = os.open(segment.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if os.fstat(fd).st_ino != segment.inode:
            raise FileNotFoundError(f"{segment.path} was replaced while it was opened")
        yield fd
    finally:
        os.close(fd)


class SegmentParts:
    """The parts of one segment, which are read from it again when needed."""

    def __init__(self, inode: int) -> None:
        self.inode = inode
        self.parts = Parts(self._load)
        self._fd = -1

    def begin(self, fd: int, offset: int) -> None:
        """Read from this descriptor from now on; the first time, find the parts before the offset."""
        is_new = self._fd < 0
        self._fd = fd
        if is_new:
            for line in read_lines(fd, 0, offset):
                self.note(line)

    def note(self, line: Line) -> bool:
        """Remember the place of a part; returns whether the line is one."""
        size = len(line.data)
        return line.whole and self.parts.note(line.data, (line.end - size - 1, size))

    def _load(self, place: tuple[int, int]) -> bytes:
        begin, size = place
        return os.pread(self._fd, size, begin)


def read_lines(
    fd: int, offset: int, size: int, *, max_line: int = MAX_LINE, chunk_bytes: int = _CHUNK
) -> Iterator[Line]:
    """Yield the lines between two offsets; the bytes after the last newline come last and are not whole."""
    parts: list[bytes] = []
    length, position = 0, offset
    while position < size:
        chunk = os.pread(fd, min(chunk_bytes, size - position, max_line - length), position)
        if not chunk:
            break
        position += len(chunk)
        first, *rest = chunk.split(b"\n")
        parts.append(first)
        length += len(first)
        if rest:
            start = position - len(chunk) + len(first) + 1
            yield Line(b"".join(parts), start, whole=True)
            for data in rest[:-1]:
                start += len(data) + 1
                yield Line(data, start, whole=True)
            parts, length = [rest[-1]], len(rest[-1])
        if length >= max_line:
            yield Line(b"".join(parts), position, whole=True)
            parts, length = [], 0
    if length:
        yield Line(b"".join(parts), position, whole=False)
