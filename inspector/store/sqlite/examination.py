"""Examines a database without changing it."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

_CHECKED_BYTES = 200 << 20
"""A larger database is not checked for damage, which would read all of it."""
FILES = ("", "-wal", "-shm")
"""The suffixes of the database's files."""


@contextmanager
def left_as_found(database: Path) -> Generator[None]:
    """Remove the files that reading added next to the database.

    A read-only connection leaves a WAL and its index behind (https://sqlite.org/wal.html#read_only_databases). SQLite
    removes them, under its own locks, when a connection that may write is the last one to close.
    """
    beside = [database.with_name(f"{database.name}{suffix}") for suffix in FILES[1:]]
    had_none = not any(path.exists() for path in beside)
    try:
        yield
    finally:
        if had_none and any(path.exists() for path in beside):
            with (
                suppress(sqlite3.Error),
                closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True)) as connection,
            ):
                connection.execute("PRAGMA schema_version").fetchone()


def damage_of(database: Path) -> str:
    """Return what is broken in a database; empty if it is intact or too large to check."""
    if database.stat().st_size > _CHECKED_BYTES:
        return ""
    # If nothing can be written, SQLite cannot open it in the usual way; that is not damage.
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        try:
            with closing(sqlite3.connect(f"{database.absolute().as_uri()}?{mode}", uri=True)) as connection:
                answer = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                return str(error)
        else:
            # SQLite's list begins with the name of the database: *** in database main ***.
            return "" if answer == "ok" else " ".join(answer.rpartition("***")[2].split())
    return ""
