"""Space that is reserved while there is some, for deleting when the disk is full.

Deleting needs space too, because SQLite writes changes to its log before it frees pages. So on a full disk, the one
thing that would help fails. (CockroachDB has such a file too, and calls it a ballast.)
"""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from inspector.store.sqlite.database.files import INDEX_OF_LOG, LOG, beside, size_of

SUFFIX = ".reserve"
"""The suffix of the file, which is next to the database."""
MOST_BYTES = 4 << 20
LEAST_BYTES = 512 << 10
"""The minimum size."""
_STEP_BYTES = 64 << 10
_SHARE = 2
"""The reserve is at most one part in so many of the database and its log, since a small one has little to delete."""
_FREE_TIMES = 2
"""It is created only if so many times its size is free."""
_TIGHT_BYTES = 64 << 20
_TIGHT_LOG_BYTES = 1 << 20
_SHORT_BYTES = 64 << 10
"""With less free space, SQLite cannot create its files next to a database (its index of the log has 32 KiB)."""


class Reserve:
    """The file that reserves space for deleting."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._log = beside(database, LOG)
        self._path = beside(database, SUFFIX)

    def keep(self) -> None:
        """Create the reserve, or enlarge it if the database has grown; costs three system calls if nothing changes."""
        wanted = min(MOST_BYTES, (size_of(self._database) + size_of(self._log)) // _SHARE)
        size = size_of(self._path)
        if wanted >= LEAST_BYTES and size < wanted // 4 * 3 and self._free() + size >= _FREE_TIMES * wanted:
            self._allocate(wanted)

    @property
    def log_is_too_long(self) -> bool:
        """Whether the log should be checkpointed now to reuse its space, because little is left on the disk."""
        return self._free() < _TIGHT_BYTES and size_of(self._log) > _TIGHT_LOG_BYTES

    @property
    def is_short(self) -> bool:
        """Whether there is no space for SQLite's files next to the database."""
        return self._free() < _SHORT_BYTES

    @property
    def is_held(self) -> bool:
        """Whether space is reserved."""
        return size_of(self._path) > 0

    def release(self) -> int:
        """Free the space for deleting; returns how much it was."""
        size = size_of(self._path)
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        return size

    def restore(self, size: int) -> None:
        """Reserve the space again, or as much of it as is left."""
        free = self._free() + size_of(self._path)
        size = min(size, free // _STEP_BYTES * _STEP_BYTES)
        if size:
            self._allocate(size)

    @contextmanager
    def lent(self, *, to_reader: bool) -> Generator[None]:
        """Free the space while SQLite creates its files next to the database, if there is no other space for them.

        For a reader, another process may be writing, and could take the space for good; then these files exist already.
        """
        is_open = to_reader and beside(self._database, INDEX_OF_LOG).exists()
        released = self.release() if self.is_short and not is_open else 0
        try:
            yield
        finally:
            if released:
                self.restore(released)

    def _free(self) -> int:
        try:
            status = os.statvfs(self._database.parent)
        except OSError:
            return _SHORT_BYTES
        return status.f_bavail * status.f_frsize

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
    """Tell whether there is no space for SQLite's files next to a database, and no reserve either."""
    reserve = Reserve(database)
    return reserve.is_short and not reserve.is_held
