"""Whether a database may be written: it is just as its last owner left it, or SQLite has nothing to object to.

A file that is as it was left need not be read, which takes seconds for a large one. Any other (its owner was killed, it
was restored, something wrote into it) is checked before its first change: SQLite would build on a broken page, and
what it wrote there would be lost with it.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

import msgspec

from inspector.store.errors import PagesDamaged, StoreUnchecked

SUFFIX = ".closed"
"""Ends the name of the file, beside the database, that says how it was left."""
_STEPS = 20_000
"""Instructions of SQLite's virtual machine between two looks at whether to go on."""
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_Look = tuple[int, int, int, int]
"""Device, inode, size and time of change of a file; zeros for one that is not there or is empty."""


def remember(path: Path) -> None:
    """Note how the database and its log are left; a note that cannot be written costs a check at the next opening."""
    with suppress(OSError):
        descriptor = os.open(_note(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, msgspec.json.encode(_looks(path)))
        finally:
            os.close(descriptor)


def is_as_left(path: Path) -> bool:
    """Tell whether neither the database nor its log changed since its last owner closed it."""
    try:
        descriptor = os.open(_note(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return msgspec.json.decode(os.read(descriptor, 4096), type=tuple[_Look, _Look]) == _looks(path)
    except (OSError, msgspec.MsgspecError):
        return False
    finally:
        os.close(descriptor)


def check(path: Path, *, limit_s: float | None = None, give_up: Callable[[], bool] = lambda: False) -> None:
    """Read the whole database and look for broken pages, without changing anything.

    Args:
        path: The database.
        limit_s: How long it may take.
        give_up: Asked now and then whether to stop before the end.

    Raises:
        PagesDamaged: There are some.
        StoreUnchecked: It was stopped before it found any.
    """
    until_s = None if limit_s is None else time.monotonic() + limit_s
    uri = f"file:{quote(os.fsencode(path))}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as connection:
            connection.set_progress_handler(
                lambda: give_up() or (until_s is not None and time.monotonic() > until_s), _STEPS
            )
            found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.Error as err:
        code = getattr(err, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            raise StoreUnchecked(_unchecked(path)) from err
        if code not in _BROKEN:
            raise
        found = str(err)
    if found != "ok":
        raise PagesDamaged(path, found.replace("\n", " "))


def _unchecked(path: Path) -> str:
    return f"{path} was not closed by whoever wrote it last, and is written again once it was checked for damage"


def _note(path: Path) -> Path:
    return path.with_name(path.name + SUFFIX)


def _looks(path: Path) -> tuple[_Look, _Look]:
    return _look(path), _look(path.with_name(path.name + "-wal"))


def _look(path: Path) -> _Look:
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0, 0
    # Reading alone leaves an empty log behind, which means no more than none.
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size else (0, 0, 0, 0)
