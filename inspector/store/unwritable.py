"""Reading a database where nothing can be written, so that SQLite cannot make the files it puts beside it.

See https://sqlite.org/wal.html#read_only_databases.
"""

import shutil
import tempfile
from pathlib import Path

from inspector.homes import is_writable
from inspector.store.errors import StoreReadOnly


def is_still(path: Path) -> bool:
    """Tells whether the database is complete in its file and nobody has it open, in a directory we cannot write."""
    return _is_unwritable(path) and not _beside(path, "-shm").exists() and not _logged(path)


def copied(path: Path) -> tempfile.TemporaryDirectory[str] | None:
    """Copies the database where SQLite can read it, if it cannot where it is; returns the directory of the copy.

    Raises:
        StoreReadOnly: There is no room for the copy.
    """
    if not _is_unwritable(path) or _beside(path, "-shm").exists() or not _logged(path):
        return None
    directory = tempfile.TemporaryDirectory(prefix="inspector-")
    try:
        for each in (path, _beside(path, "-wal")):
            shutil.copyfile(each, Path(directory.name) / each.name)
    except OSError as err:
        directory.cleanup()
        raise StoreReadOnly(
            f"{path} cannot be read in a directory that cannot be written, nor copied to {directory.name}: "
            f"{err.strerror}; set TMPDIR to a directory with room for it"
        ) from err
    return directory


def _is_unwritable(path: Path) -> bool:
    return path.exists() and not is_writable(path.parent)


def _logged(path: Path) -> bool:
    log = _beside(path, "-wal")
    return log.exists() and log.stat().st_size > 0


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
