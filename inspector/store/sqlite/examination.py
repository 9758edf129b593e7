"""A database looked at from outside, without changing anything of it."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

_CHECKED_BYTES = 200 << 20
"""A larger database is not read whole to look for damage."""
FILES = ("", "-wal", "-shm")
"""What is added to the name of the database for each of its files."""


@contextmanager
def left_as_found(database: Path) -> Generator[None]:
    """Has SQLite remove the files that reading added beside the database.

    A connection that only reads leaves its WAL and index behind (https://sqlite.org/wal.html#read_only_databases);
    one that may write, closed as the last of all processes, removes them under SQLite's own locks.
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
    """Returns what is broken in a database, nothing where it is sound or too large to look."""
    if database.stat().st_size > _CHECKED_BYTES:
        return ""
    # Where nothing can be written SQLite cannot open it in the usual way, which is no damage.
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        try:
            with closing(sqlite3.connect(f"{database.absolute().as_uri()}?{mode}", uri=True)) as connection:
                found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                return str(error)
        else:
            # It heads its list of damages with the database's name in SQLite: *** in database main ***.
            return "" if found == "ok" else " ".join(found.rpartition("***")[2].split())
    return ""
