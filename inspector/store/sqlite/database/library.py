"""The SQLite library of this Python, and what is known of its version."""

import sqlite3

from inspector.store.model import Engine

_RESET_FIXED = ((3, 51, 3), (3, 50, 7), (3, 44, 6))
_FIRST_WITH_WAL = (3, 7, 0)


def library() -> Engine:
    """Return the version of the library, and which known fault it has."""
    return Engine("sqlite", sqlite3.sqlite_version, known_fault(sqlite3.sqlite_version_info))


def known_fault(version: tuple[int, ...]) -> str | None:
    """Return whether a version has the WAL-reset bug (https://sqlite.org/wal.html), which a single writer avoids."""
    fixed = version >= _RESET_FIXED[0] or any(
        version[:2] == release[:2] and version >= release for release in _RESET_FIXED[1:]
    )
    if fixed or version < _FIRST_WITH_WAL:
        return None
    return "has the WAL-reset bug; a single connection writes here, which avoids it"
