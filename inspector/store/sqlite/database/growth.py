"""Limits how much a database grows while traces are removed from a full disk, and reserves that space.

Removing adds pages too, mostly to the full-text index. They are first in the log, and a checkpoint needs space for them
in the database: a log that takes all the remaining space can never be checkpointed.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from inspector.store.sqlite.database.reserve import Reserve

_SHARE = 4
"""New pages may take one part in so many of the space for removing."""
_PAGE_BYTES = 4096
_MOST_PAGES = 4_294_967_294
"""SQLite's own limit: https://www.sqlite.org/pragma.html#pragma_max_page_count."""


class Growth:
    """Lets a database grow by a part of the reserve, which its log then cannot take."""

    def __init__(self, database: Path, reserve: Reserve) -> None:
        self._database = database
        self._reserve = reserve
        self._share = self._most_bytes = 0

    def begin(self, empty_log: Callable[[], None]) -> int:
        """Release the reserve for removing, and return its size."""
        released = self._reserve.release()
        empty_log()
        self._share = released // _SHARE
        self._most_bytes = self._database.stat().st_size + self._share
        return released

    def make_room(self, empty_log: Callable[[], None]) -> None:
        """Checkpoint the log, using the space reserved for that, and reserve what the database may still grow by."""
        self._reserve.release()
        empty_log()
        self._reserve.restore(max(0, min(self._share, self._most_bytes - self._database.stat().st_size)))

    @contextmanager
    def limited(self, connection: Connection) -> Generator[None]:
        """Limit the size of the database for one transaction."""
        if not self._most_bytes:
            yield
            return
        size = connection.exec_driver_sql("PRAGMA page_size").scalar() or _PAGE_BYTES
        connection.exec_driver_sql(f"PRAGMA max_page_count = {self._most_bytes // size}")
        try:
            yield
        finally:
            with suppress(SQLAlchemyError):
                connection.exec_driver_sql(f"PRAGMA max_page_count = {_MOST_PAGES}")
