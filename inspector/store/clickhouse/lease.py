"""The lease that makes one process at a time the writer of a database; ClickHouse itself decides which."""

import math
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from typing import Final, Literal

from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.tables import LEASES

LENGTH_S: Final = 10.0
"""How long other processes wait for a holder that does not renew the lease."""
MARGIN_S: Final = 2.0
"""How much earlier the holder itself stops."""
_NAME: Final = "writer"

_PASSED: Final = "-"
"""The holder in a row that gives the lease up with everything complete."""

Start = Literal["kept", "passed", "given", "lapsed"]
"""How a process got the lease: it had it already, the previous holder passed it on with everything complete, nobody had
it, or the previous holder did not renew it."""


class Lease:
    """The right to write a database, which one process at a time holds.

    Each row of the table has the number after the previous one, and is inserted with a deduplication token of that
    number. If several processes insert the same number, ClickHouse keeps the first row and drops the others as repeats.
    The process whose name is in the last row holds the lease, and renews it by adding the next row in time. Other
    processes take it over if no row was added for its whole length. Each measures that with its own clock, so clocks
    need not agree.

    Args:
        database: The database, with its tables.
        home: The home whose lock this process holds, if any: an earlier holder with the same home is dead, and there is
            no need to wait for it.
        clock_s: A monotonic clock.
    """

    def __init__(self, database: Database, home: str = "", clock_s: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock_s = clock_s
        self._home = f"home {home} " if home else ""
        self._id = f"{self._home}{socket.gethostname()} {os.getpid()} {secrets.token_hex(8)}"
        self._is_new = True
        self._lock = threading.Lock()
        self._seen = (0, "")
        self._seen_s = clock_s()
        self._looked_s = self._began_s = -math.inf
        self._until_s = -math.inf

    @property
    def is_held(self) -> bool:
        """Whether this process holds it."""
        return self._clock_s() < self._until_s

    @property
    def longest_held_s(self) -> float:
        """How long the holder that was seen last has had it by now, at most."""
        return self._clock_s() - self._began_s

    def claim(self) -> Start | None:
        """Take the lease if it is available, and return how; None if another process has it.

        Raises:
            StoreError: The database cannot be queried now, or at all.
        """
        with self._lock:
            self._look()
            number, holder = self._seen
            is_mine = holder == self._id
            if holder not in ("", _PASSED, self._id) and not self._is_over(holder):
                return None
            self._is_new = False
            if not self._follow(number, self._id):
                return None
            if holder == _PASSED:
                return "passed"
            return "kept" if is_mine else "lapsed" if holder else "given"

    def keep(self) -> bool:
        """Renew the lease, and return whether this process still had it.

        Raises:
            StoreError: The database cannot be queried now, or at all.
        """
        with self._lock:
            number, holder = self._seen
            return holder == self._id and self._follow(number, self._id)

    def give_up(self, *, settled: bool = False) -> None:
        """Give the lease up, so that another process can take it immediately.

        Args:
            settled: Whether everything that this process began to write is stored and noted.

        Raises:
            StoreError: The database cannot be queried now, or at all; the lease then expires.
        """
        with self._lock:
            number, holder = self._seen
            if holder == self._id:
                self._until_s = -math.inf
                self._follow(number, _PASSED if settled else "")

    def _is_over(self, holder: str) -> bool:
        if self._clock_s() >= self._seen_s + LENGTH_S:
            return True
        # Only the first time: two processes that share a home by mistake must not take it from each other forever.
        return self._is_new and self._home != "" and holder.startswith(self._home)

    def _look(self) -> None:
        row = self._database.row("SELECT number, holder FROM leases ORDER BY number DESC LIMIT 1")
        seen = (0, "") if row is None else (int(row[0]), str(row[1]))
        if seen[1] != self._seen[1]:
            self._began_s = self._looked_s
        self._looked_s = self._clock_s()
        if seen != self._seen:
            self._seen, self._seen_s = seen, self._clock_s()

    def _follow(self, number: int, holder: str) -> bool:
        asked_s = self._clock_s()
        next_row = (number + 1, holder)
        self._database.insert("leases", tuple(LEASES), [(_NAME, *next_row)], token=str(number + 1))
        self._look()
        is_mine = self._seen == next_row and holder == self._id
        # Counted from before the insert, because others start waiting when they see the row.
        self._until_s = asked_s + LENGTH_S - MARGIN_S if is_mine else -math.inf
        return is_mine
