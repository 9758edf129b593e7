"""Reads a database in a directory where no file can be created, for lack of permission or of space.

See https://sqlite.org/wal.html#read_only_databases.
"""

import shutil
import tempfile
from pathlib import Path

from inspector.homes import is_writable
from inspector.store.errors import StoreReadOnly
from inspector.store.sqlite.database.files import INDEX_OF_LOG, LOG, beside, size_of
from inspector.store.sqlite.database.reserve import has_no_room

_INDEX_BYTES = 32 << 10
"""The minimum size of SQLite's index of a log; a smaller one was cut off by a full disk."""


def is_still(path: Path) -> bool:
    """Tell whether the database has no log, no process has it open, and no file can be created next to it."""
    return _is_bare(path) and not _logged(path)


def copied(path: Path) -> tempfile.TemporaryDirectory[str] | None:
    """Copy the database to a directory for temporary files if SQLite cannot read it in place; return the directory.

    Raises:
        StoreReadOnly: There is no space for the copy.
    """
    if not _is_bare(path) or not _logged(path):
        return None
    directory = tempfile.TemporaryDirectory(prefix="inspector-")
    try:
        for file in (path, beside(path, LOG)):
            shutil.copyfile(file, Path(directory.name) / file.name)
    except OSError as err:
        directory.cleanup()
        raise StoreReadOnly(
            f"{path} cannot be read in place, since no file can be created next to it, nor copied to "
            f"{directory.name}: {err.strerror}; set TMPDIR to a directory with enough space"
        ) from err
    return directory


def _is_bare(path: Path) -> bool:
    """Tell whether SQLite's index of the log is missing and cannot be created."""
    if not path.exists() or size_of(beside(path, INDEX_OF_LOG)) >= _INDEX_BYTES:
        return False
    return not is_writable(path.parent) or has_no_room(path)


def _logged(path: Path) -> bool:
    return size_of(beside(path, LOG)) > 0
