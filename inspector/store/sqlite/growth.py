"""What a database may grow by while a full disk is emptied, and the space that is held for it meanwhile.

Removing adds pages too, above all to the index of the text. They stand in the log first, and the log cannot be moved
into the database without space for them: a log that takes all that is left can never be emptied again.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from inspector.store.sqlite.reserve import Reserve

_SHARE = 4
"""The part of the space for removing that new pages may take."""
_PAGE_BYTES = 4096
_MOST_PAGES = 4_294_967_294
"""SQLite's own limit: https://www.sqlite.org/pragma.html#pragma_max_page_count."""


class Growth:
    """Lets a database grow by a part of the space that is there for removing, and keeps that part from its log.

    Args:
        database: The file.
        reserve: The space.
    """

    def __init__(self, database: Path, reserve: Reserve) -> None:
        self._database = database
        self._reserve = reserve
        self._share = self._most_bytes = 0

    def begin(self, empty_log: Callable[[], None]) -> int:
        """Give the reserve to removing; returns how much it was."""
        held = self._reserve.release()
        empty_log()
        self._share = held // _SHARE
        self._most_bytes = self._database.stat().st_size + self._share
        return held

    def make_room(self, empty_log: Callable[[], None]) -> None:
        """Move the log into the database with the space that was held for that, and hold what it may still grow by."""
        self._reserve.release()
        empty_log()
        self._reserve.restore(max(0, min(self._share, self._most_bytes - self._database.stat().st_size)))

    @contextmanager
    def limited(self, connection: Connection) -> Generator[None]:
        """Refuse what would make the database larger than it may become, for one transaction."""
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
