"""The read positions of a home's spools; only the process that holds the lock of the home writes them."""

import secrets
import threading
from collections.abc import Sequence
from dataclasses import astuple
from typing import Final

from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.tables import MARKS
from inspector.store.model import SpoolMark
from inspector.store.values.rows import clean

_MARK: Final = "name, inode, offset, lines, bad_lines, spans, bad_spans"


class Marks:
    """The read positions of one home; other homes may use the same database."""

    def __init__(self, database: Database, home: str) -> None:
        self._database = database
        self._home = home
        self._id = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._version = -1

    def read(self) -> dict[str, SpoolMark]:
        """Return the read positions, by spool file name."""
        values = Values()
        sql = f"SELECT {_MARK} FROM marks FINAL WHERE home = {values.text(self._home)} ORDER BY name"
        return {row[0]: SpoolMark(*row) for row in self._database.rows(sql, values)}

    def save(self, marks: Sequence[SpoolMark]) -> None:
        """Store read positions."""
        self._insert([(0, *astuple(mark)) for mark in marks])

    def forget(self, names: Sequence[str]) -> None:
        """Delete the read positions of spool files."""
        self._insert([(1, name, *(0,) * 6) for name in names])

    def _insert(self, marks: Sequence[tuple[int, str, *tuple[int, ...]]]) -> None:
        with self._lock:
            version = self._next_version()
            rows = [(self._home, clean(name), version, removed, *totals) for removed, name, *totals in marks]
            self._database.insert("marks", tuple(MARKS), rows, token=f"{self._id} {version}")

    def _next_version(self) -> int:
        if self._version < 0:
            values = Values()
            row = self._database.row(f"SELECT max(version) FROM marks WHERE home = {values.text(self._home)}", values)
            self._version = 0 if row is None else row[0]
        self._version += 1
        return self._version
