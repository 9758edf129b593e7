"""Checks a database for damage before it is written, unless it is exactly as its last owner left it.

Checking takes seconds for a large file, so an unchanged one is not checked. Any other (its owner was killed, it was
restored, something else wrote to it) is checked before the first write, because SQLite would build on a broken page,
and whatever it wrote there would be lost.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from inspector.store.errors import PagesDamaged, StoreUnchecked
from inspector.store.sqlite.database.files import LOG, beside, uri_of

SUFFIX = ".closed"
"""The suffix of the file next to the database that records the state in which it was closed."""
_STEPS = 20_000
"""Instructions of SQLite's virtual machine between two checks whether to stop."""
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_CHECKED_BYTES = 200 << 20
"""A larger database that nobody is about to write is not checked, which would read all of it."""

_Look = tuple[int, int, int, int]
"""Device, inode, size and modification time of a file; zeros if it is missing or empty."""


def remember(path: Path) -> None:
    """Record the state of the database and its log; if that fails, the next opening has to check the file."""
    with suppress(OSError):
        descriptor = os.open(
            beside(path, SUFFIX), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            os.write(descriptor, msgspec.json.encode(_looks(path)))
        finally:
            os.close(descriptor)


def is_as_left(path: Path) -> bool:
    """Tell whether neither the database nor its log has changed since its last owner closed it."""
    try:
        descriptor = os.open(beside(path, SUFFIX), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return msgspec.json.decode(os.read(descriptor, 4096), type=tuple[_Look, _Look]) == _looks(path)
    except (OSError, msgspec.MsgspecError):
        return False
    finally:
        os.close(descriptor)


def check(path: Path, *, limit_s: float | None = None, give_up: Callable[[], bool] = lambda: False) -> None:
    """Read the whole database and look for broken pages, without changing anything, until ``give_up`` returns True.

    Raises:
        PagesDamaged: There are broken pages.
        StoreUnchecked: It was stopped before it found any.
    """
    until_s = None if limit_s is None else time.monotonic() + limit_s
    try:
        with closing(sqlite3.connect(uri_of(path), uri=True, check_same_thread=False)) as connection:
            connection.set_progress_handler(
                lambda: give_up() or (until_s is not None and time.monotonic() > until_s), _STEPS
            )
            answer = _quick_check(connection)
    except sqlite3.Error as err:
        code = getattr(err, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            raise StoreUnchecked(_unchecked(path)) from err
        if code not in _BROKEN:
            raise
        answer = str(err)
    if answer != "ok":
        raise PagesDamaged(path, answer.replace("\n", " "))


def damage_of(path: Path) -> str:
    """Return what is broken in a database that nobody is about to write; empty if it is intact or too large to check.

    If nothing can be written, SQLite cannot open it in the usual way; that is not damage.
    """
    if path.stat().st_size > _CHECKED_BYTES:
        return ""
    for mode in ("ro", "ro&immutable=1"):
        try:
            with closing(sqlite3.connect(uri_of(path, mode), uri=True)) as connection:
                answer = _quick_check(connection)
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF in _BROKEN:
                return str(error)
        else:
            # SQLite's list begins with the name of the database: *** in database main ***.
            return "" if answer == "ok" else " ".join(answer.rpartition("***")[2].split())
    return ""


def _quick_check(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])


def _unchecked(path: Path) -> str:
    return f"{path} was not closed properly, and is not written before it has been checked for damage"


def _looks(path: Path) -> tuple[_Look, _Look]:
    return _look(path), _look(beside(path, LOG))


def _look(path: Path) -> _Look:
    try:
        status = path.stat()
    except OSError:
        return 0, 0, 0, 0
    # Readers may leave an empty log behind, which is the same as none.
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns) if status.st_size else (0, 0, 0, 0)
