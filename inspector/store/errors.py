"""The errors of a store.

StoreError
├── StoreBusy         locked by another process, or no space left: try again later
│   ├── StoreFull         no space left
│   └── StoreUnchecked    not closed by its last owner, and not checked for damage yet
├── StoreReadOnly     the file or its file system cannot be written
│   └── HomeGone          the home was deleted or replaced while it was owned
├── StoreMissing      there is no database yet
├── StoreNewer        written by a later version of the inspector
├── StoreDamaged      not a database of the inspector, or broken
│   └── PagesDamaged      SQLite met pages that are broken
├── CursorInvalid     a page cursor that does not belong to this list
├── OwnedElsewhere    another process owns the database
└── QueryTooSlow      a read took longer than its time limit
"""

from pathlib import Path


class StoreError(Exception):
    """Root of everything the store raises on purpose; the message says what, where and how to fix it."""


class StoreBusy(StoreError):
    """Nothing was written; the same call can succeed later."""


class StoreFull(StoreBusy):
    """No space is left on the disk."""


class StoreUnchecked(StoreBusy):
    """Its last owner did not close it, so it is checked before anything is written."""


class StoreReadOnly(StoreError):
    """Nothing can be written here, now or later."""


class StoreMissing(StoreError):
    """There is no database to read."""


class StoreNewer(StoreError):
    """The database's schema is of a later version; it was left untouched."""


class StoreDamaged(StoreError):
    """The file is not a database of the inspector, or is broken; it was left untouched."""


class PagesDamaged(StoreDamaged):
    """Some pages are broken, so nothing is written any more; the other pages can be read."""

    def __init__(self, path: Path, damage: object) -> None:
        self.found = str(damage)
        """SQLite's message."""
        super().__init__(
            f"{path} is damaged ({damage}), so nothing more is written to it; save what can be read with: "
            f"inspector export --salvage {path} -o saved.jsonl; then move {path}* away, all of them, "
            "and a new database takes in what waits in the spool"
        )


class CursorInvalid(StoreError):
    """The cursor belongs to another list, filter or order, or is not a cursor."""


class HomeGone(StoreReadOnly):
    """The home was deleted or replaced while this process owned it."""

    def __init__(self, home: Path) -> None:
        super().__init__(f"{home} was deleted or replaced while in use; nothing more is stored: start this again")


class OwnedElsewhere(StoreError):
    """Another process writes this database; two writers would lose data."""

    def __init__(self, pid: int | None, url: str | None) -> None:
        who = f"process {pid}" if pid else "another process"
        reach = f"it serves {url}: open that, or stop it with: kill {pid}" if url else f"stop it with: kill {pid}"
        super().__init__(f"the database is owned by {who}; {reach if pid else 'wait for it to end'}")
        self.pid = pid
        """None if the owner could not write its process id."""
        self.url = url
        """The owner's address, if it is a server."""


class QueryTooSlow(StoreError):
    """The read was stopped at its time limit; a narrower filter answers faster."""
