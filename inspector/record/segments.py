"""The files of one spool: rotated by size, the directory capped in total."""

import errno
import fcntl
import os
from pathlib import Path

from inspector.homes import hand_over
from inspector.ownfile import OwnFile
from inspector.record.losses import Losses
from inspector.spooling import HIDDEN_SUFFIX, SUFFIX, make_private, process_of


class Segments:
    """Writes whole lines into the files of one process, each file locked for as long as it grows.

    Args:
        directory: Where the files go; made with mode 0700 when missing.
        name: The process key: what the files' names begin with.
        losses: Where files that are removed for room are counted.
        segment_bytes: Size at which the next file is begun.
        total_bytes: Size of all spools in the directory together above which the oldest finished file is removed.
    """

    def __init__(
        self,
        directory: Path,
        name: str,
        *,
        losses: Losses,
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
        """Return the number of the file that the next lines go to; one that is full is followed by another.

        Only what happens to the file until they are written, by somebody else's hand, has them go to a later one.
        """
        self._is_over = self._size >= self._segment_bytes
        return self._number if self._is_over or self._writable() is None else self._number - 1

    def write(self, data: bytes, *, refers_back: bool = False) -> None:
        """Append whole lines.

        Args:
            data: The lines.
            refers_back: Whether they, or lines to come, name what the `upcoming` file has, and so stay in it.

        Raises:
            OSError: They could not be written; the file is as it was before, or is followed by another one.
        """
        for attempt in ("first", "again"):
            file = self._writable()
            if file is None or self._is_over or (self._is_full(len(data)) and not refers_back):
                file = self._begin()
            try:
                self._append(file, data)
            except OSError as error:
                # The same as HandleLost, but for the moment when it happened.
                if error.errno not in (errno.EBADF, errno.ESPIPE) or attempt == "again":
                    raise
                self._file = None
            else:
                return

    def _is_full(self, more: int) -> bool:
        return self._size + more > self._segment_bytes > 0 < self._size

    def _writable(self) -> OwnFile | None:
        """Return the file, unless somebody closed or removed it: what is written to it would be lost without a word."""
        file = self._file
        return file if file is not None and file.holds(self._size) else None

    def _append(self, file: OwnFile, data: bytes) -> None:
        done = 0
        try:
            while done < len(data):
                # At an offset, which the system ignores here, and which sockets, pipes and terminals refuse: should one
                # take the number now, after the look at it, this fails.
                done += os.pwrite(file.fd(), memoryview(data)[done:], self._size + done)
        except OSError:
            if done:
                self._cut(file)
            raise
        self._size += len(data)

    def _cut(self, file: OwnFile) -> None:
        """Remove the beginning of a line that could not be written whole, else leave it as the last of its file."""
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
        # What a try that failed has left would fail this one.
        hidden.unlink(missing_ok=True)
        file = OwnFile(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND)
        try:
            hidden.chmod(0o600)
            hand_over(file.fd(), self.directory)
            # Locked before it can be seen: an unlocked file is taken for finished.
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
    """Tell whether no living process writes this file any more."""
    try:
        with OwnFile(path, os.O_RDONLY) as file:
            # Closing gives the lock back.
            file.lock(fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
