"""The files of a database: itself, and its log and the index of the log next to it, which SQLite creates.

See https://sqlite.org/wal.html.
"""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

LOG, INDEX_OF_LOG = "-wal", "-shm"
"""The suffixes of the two files."""


def beside(database: Path, suffix: str) -> Path:
    """Return the path of a file that is named after a database."""
    return database.with_name(database.name + suffix)


def size_of(path: Path) -> int:
    """Return the size of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def uri_of(database: Path, mode: str = "ro") -> str:
    """Return the address by which SQLite opens a database; ``mode`` may be followed by further parameters."""
    return f"file:{quote(os.fsencode(database))}?mode={mode}"


@contextmanager
def left_as_found(database: Path) -> Generator[None]:
    """Remove the files that reading added next to the database.

    A read-only connection leaves a log and its index behind. SQLite removes them, under its own locks, when a
    connection that may write is the last one to close.
    """
    files = [beside(database, suffix) for suffix in (LOG, INDEX_OF_LOG)]
    had_none = not any(path.exists() for path in files)
    try:
        yield
    finally:
        if had_none and any(path.exists() for path in files):
            with (
                suppress(sqlite3.Error),
                closing(sqlite3.connect(uri_of(database, "rw"), uri=True)) as connection,
            ):
                connection.execute("PRAGMA schema_version").fetchone()
