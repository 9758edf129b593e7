"""Space that is set aside while there is some, for the day when the disk is full.

Deleting needs space too: SQLite writes what changes into its log first, and only then gives pages back. A full disk
would so refuse the one thing that empties it. (CockroachDB keeps such a file and calls it a ballast.)
"""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

SUFFIX = ".reserve"
"""Ends the name of the file, beside the database."""
MOST_BYTES = 4 << 20
LEAST_BYTES = 512 << 10
"""A smaller one is not made."""
_STEP_BYTES = 64 << 10
_SHARE = 2
"""The reserve is at most this part of the database and its log, for a small one has little to delete."""
_FREE_TIMES = 2
"""How many times the reserve must be free before it is made."""
_TIGHT_BYTES = 64 << 20
_TIGHT_LOG_BYTES = 1 << 20
_SHORT_BYTES = 64 << 10
"""With less, SQLite cannot make the files that it puts beside a database (its index of the log has 32 KiB)."""


class Reserve:
    """The file that takes space from others, and gives it to whoever deletes.

    Args:
        database: The file that it lies beside.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._path = database.with_name(database.name + SUFFIX)

    def keep(self) -> None:
        """Make the reserve where there is none, or a larger one where the database has grown; costs three looks."""
        wanted = min(MOST_BYTES, (_size(self._database) + _size(_log_of(self._database))) // _SHARE)
        held = _size(self._path)
        if wanted >= LEAST_BYTES and held < wanted // 4 * 3 and self._free() + held >= _FREE_TIMES * wanted:
            self._allocate(wanted)

    @property
    def log_is_too_long(self) -> bool:
        """Whether the log is to be moved into the database now, and its space used again, since little is left."""
        return self._free() < _TIGHT_BYTES and _size(_log_of(self._database)) > _TIGHT_LOG_BYTES

    @property
    def is_short(self) -> bool:
        """Whether there is no space for the files that SQLite puts beside the database."""
        return self._free() < _SHORT_BYTES

    @property
    def is_held(self) -> bool:
        """Whether space is set aside."""
        return _size(self._path) > 0

    def release(self) -> int:
        """Give the space to whoever deletes; returns how much it was."""
        held = _size(self._path)
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        return held

    def restore(self, size: int) -> None:
        """Take the space again, or what is left of it."""
        free = self._free() + _size(self._path)
        size = min(size, free // _STEP_BYTES * _STEP_BYTES)
        if size:
            self._allocate(size)

    @contextmanager
    def lent(self, *, to_reader: bool) -> Generator[None]:
        """Lend the space for as long as files beside the database are made, if there is none for them.

        Args:
            to_reader: Whether another process may write meanwhile. It would take what is lent, for good; and where it
                has the database open, these files are there.
        """
        is_open = to_reader and _index_of_log(self._database).exists()
        held = self.release() if self.is_short and not is_open else 0
        try:
            yield
        finally:
            if held:
                self.restore(held)

    def _free(self) -> int:
        try:
            found = os.statvfs(self._database.parent)
        except OSError:
            return _SHORT_BYTES
        return found.f_bavail * found.f_frsize

    def _allocate(self, size: int) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            descriptor = os.open(self._path, flags, 0o600)
        except OSError:
            return
        try:
            os.fchmod(descriptor, 0o600)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(descriptor, 0, size)
            else:
                os.pwrite(descriptor, bytes(size), 0)
        except OSError:
            self.release()
        finally:
            os.close(descriptor)


def has_no_room(database: Path) -> bool:
    """Tells whether there is neither space for the files that SQLite puts beside a database, nor a reserve of it."""
    reserve = Reserve(database)
    return reserve.is_short and not reserve.is_held


def _log_of(database: Path) -> Path:
    return database.with_name(database.name + "-wal")


def _index_of_log(database: Path) -> Path:
    return database.with_name(database.name + "-shm")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
