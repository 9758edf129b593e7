"""The files of one spool: rotated by size, with a limit on the size of the directory."""

import errno
import os
from pathlib import Path

from inspector.homes import hand_over
from inspector.ownfile import OwnFile
from inspector.record.lines.losses import LossCounter
from inspector.spooling import HIDDEN_SUFFIX, SUFFIX, is_finished, make_private, process_of


class Segments:
    """Writes whole lines into the files of one process; a file is locked while it may grow.

    Args:
        directory: Where the files go; it is created with mode 0700 if missing.
        name: The process key, with which the file names begin.
        losses: Counts the files that are removed to make room.
        segment_bytes: The size at which the next file begins.
        total_bytes: The maximum size of all spools in the directory; beyond it, the oldest finished file is removed.
    """

    def __init__(
        self,
        directory: Path,
        name: str,
        *,
        losses: LossCounter,
        segment_bytes: int = 32 << 20,
        total_bytes: int = 1 << 30,
    ) -> None:
        self.directory = directory
        self._name = name
        self._losses = losses
        self._segment_bytes = segment_bytes
        self._total_bytes = total_bytes
        self._number = 0
        self._file: OwnFile | None = None
        self._size = 0
        self._is_over = False

    def upcoming(self) -> int:
        """Return the number of the file that the next lines go to, which is a new one if the current one is full.

        They go to a later one only if somebody else changes the file before they are written.
        """
        self._is_over = self._size >= self._segment_bytes
        return self._number if self._is_over or self._writable() is None else self._number - 1

    def write(self, data: bytes, *, refers_back: bool = False) -> None:
        """Append whole lines.

        ``refers_back`` says that these or later lines refer to parts in the `upcoming` file, and so must be in it.

        Raises:
            OSError: They could not be written; the file is unchanged, or is followed by another one.
        """
        for attempt in ("first", "again"):
            file = self._writable()
            if file is None or self._is_over or (self._is_full(len(data)) and not refers_back):
                file = self._begin()
            try:
                self._append(file, data)
            except OSError as error:
                # The same as HandleLost, only later.
                if error.errno not in (errno.EBADF, errno.ESPIPE) or attempt == "again":
                    raise
                self._file = None
            else:
                return

    def _is_full(self, more: int) -> bool:
        return self._size + more > self._segment_bytes > 0 < self._size

    def _writable(self) -> OwnFile | None:
        """Return the file, unless somebody closed or removed it, since later lines would be lost silently."""
        file = self._file
        return file if file is not None and file.holds(self._size) else None

    def _append(self, file: OwnFile, data: bytes) -> None:
        written = 0
        try:
            while written < len(data):
                # At an offset, which sockets, pipes and terminals refuse, in case one has reused the descriptor since
                # the check. For our own file, the system ignores the offset.
                written += os.pwrite(file.fd(), memoryview(data)[written:], self._size + written)
        except OSError:
            if written:
                self._cut(file)
            raise
        self._size += len(data)

    def _cut(self, file: OwnFile) -> None:
        """Remove the beginning of a line that was not written completely, or else make it the last line of its file."""
        try:
            os.ftruncate(file.fd(), self._size)
        except OSError:
            file.close()
            self._file = None

    def _begin(self) -> OwnFile:
        make_private(self.directory)
        self._make_room()
        path = self.directory / f"{self._name}.{self._number:06d}{SUFFIX}"
        hidden = path.with_suffix(HIDDEN_SUFFIX)
        # A file left by a failed attempt would make this one fail too.
        hidden.unlink(missing_ok=True)
        file = OwnFile(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND)
        try:
            hidden.chmod(0o600)
            hand_over(file.fd(), self.directory)
            # Locked before it is visible, since an unlocked file counts as finished.
            file.lock()
            hidden.rename(path)
        except OSError:
            file.close()
            hidden.unlink(missing_ok=True)
            raise
        previous, self._file, self._size, self._is_over = self._file, file, 0, False
        self._number += 1
        if previous is not None:
            previous.close()
        return file

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
        file, self._file = self._file, None
        if file is not None:
            file.close()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def finished(path: Path) -> bool:
    """Tell whether no living process may write to this file any more."""
    try:
        with OwnFile(path, os.O_RDONLY) as file:
            return is_finished(file.fd())
    except OSError:
        return False
