"""Who writes a database: one process at a time, which ClickHouse itself decides."""

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
"""How long a holder that says nothing is waited for."""
MARGIN_S: Final = 2.0
"""How much earlier a holder stops than it is given up by others."""
_NAME: Final = "writer"

_PASSED: Final = "-"
"""Stands for a holder where the one before left everything whole."""

Start = Literal["kept", "passed", "given", "lapsed"]
"""How one comes to hold it: it had it already, it was passed on whole, nobody had it, or whoever had it was not heard
of any more."""


class Lease:
    """The right to write a database, in the hands of one process at a time.

    Each row of the table follows the one before: it has the next number, and is inserted with a token of that number.
    Of several that want to be next ClickHouse keeps the first and drops the others as repeats. Whoever finds its own
    name under the last number holds the lease, and follows itself before it is over. Others take it when for its whole
    length nobody followed. Each measures that by its own clock alone, so clocks need not agree.

    Args:
        database: The database, with its tables.
        home: The home whose lock this process has, if any: whoever had the lease with it is gone, and not waited for.
        clock_s: A clock that only goes on.
    """

    def __init__(self, database: Database, home: str = "", clock_s: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock_s = clock_s
        self._home = f"home {home} " if home else ""
        self._me = f"{self._home}{socket.gethostname()} {os.getpid()} {secrets.token_hex(8)}"
        self._is_new = True
        self._lock = threading.Lock()
        self._seen = (0, "")
        self._seen_s = clock_s()
        self._until_s = -math.inf

    @property
    def is_held(self) -> bool:
        """Whether this process holds it."""
        return self._clock_s() < self._until_s

    def claim(self) -> Start | None:
        """Takes the lease if it is to be had, and returns how; None where another process has it.

        Raises:
            StoreError: The database cannot be asked now, or at all.
        """
        with self._lock:
            self._look()
            number, holder = self._seen
            is_mine = holder == self._me
            if holder not in ("", _PASSED, self._me) and not self._is_over(holder):
                return None
            self._is_new = False
            if not self._follow(number, self._me):
                return None
            if holder == _PASSED:
                return "passed"
            return "kept" if is_mine else "lapsed" if holder else "given"

    def keep(self) -> bool:
        """Holds it for longer, and returns whether it was still this process's.

        Raises:
            StoreError: The database cannot be asked now, or at all.
        """
        with self._lock:
            number, holder = self._seen
            return holder == self._me and self._follow(number, self._me)

    def give_up(self, *, whole: bool = False) -> None:
        """Lets others have it at once.

        Args:
            whole: Whether all that this process began to write is there, and noted.

        Raises:
            StoreError: The database cannot be asked now, or at all; it lapses then.
        """
        with self._lock:
            number, holder = self._seen
            if holder == self._me:
                self._until_s = -math.inf
                self._follow(number, _PASSED if whole else "")

    def _is_over(self, holder: str) -> bool:
        if self._clock_s() >= self._seen_s + LENGTH_S:
            return True
        # At first alone, so that two that had the same home all the same do not take it from one another for ever.
        return self._is_new and self._home != "" and holder.startswith(self._home)

    def _look(self) -> None:
        found = self._database.row("SELECT number, holder FROM leases ORDER BY number DESC LIMIT 1")
        seen = (0, "") if found is None else (int(found[0]), str(found[1]))
        if seen != self._seen:
            self._seen, self._seen_s = seen, self._clock_s()

    def _follow(self, number: int, holder: str) -> bool:
        asked_s = self._clock_s()
        wanted = (number + 1, holder)
        self._database.insert("leases", tuple(LEASES), [(_NAME, *wanted)], token=str(number + 1))
        self._look()
        is_mine = self._seen == wanted and holder == self._me
        # From before it was asked for: others begin to wait when they see it.
        self._until_s = asked_s + LENGTH_S - MARGIN_S if is_mine else -math.inf
        return is_mine
