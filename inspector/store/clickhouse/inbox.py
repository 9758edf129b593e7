"""The inbox: a table of changes that wait for the process that writes the database."""

import math
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from inspector.store.clickhouse.cluster import keeper_of
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.prepared import Prepared
from inspector.store.clickhouse.sent import READ, columns_of, size_of, spans_of
from inspector.store.errors import StoreBusy
from inspector.store.model import PendingChanges

MOST_WAITING: Final = 10_000
"""Maximum number of waiting entries: each is an insert, and ClickHouse accepts at most some hundred per second."""
MOST_WAITING_BYTES: Final = 256 << 20
"""What a writer applies in about a minute: many times more than arrives until a killed writer is replaced."""
_LOOK_S: Final = 0.25
_LOOK_EARLY_S: Final = 5.0
"""How long the number of waiting entries is estimated from this process's own ones before it is read again: normally,
and while that is less than a quarter of the maximum."""
MOST_AT_ONCE: Final = 16
"""Rows to read at a time; each may contain some thousand spans."""
_BUSY_S: Final = 2.0
"""How long after an entry the next one is expected."""
_IDS: Final = f"SELECT id FROM inbox FINAL WHERE done = 0 ORDER BY id LIMIT {MOST_AT_ONCE}"
# `FINAL` would read the bodies of all entries.
_ENTRIES: Final = (
    f"SELECT {', '.join(('id', 'body', *READ))} FROM inbox WHERE id IN ({_IDS}) AND done = 0 ORDER BY id LIMIT 1 BY id"
)
_MOST_TIDIED: Final = 10_000
_KEPT_NS: Final = 60 * 10**9
"""How long an outcome is kept for the process that waits for it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A waiting change."""

    id: str
    body: str
    """The change as JSON, without its spans."""
    spans: Sequence[Prepared]


class Inbox:
    """The waiting changes of a database, in order for each sender. An entry survives its sender."""

    def __init__(self, database: Database, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._database = database
        self._now_ns = now_ns
        self._id = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._last_ns = 0
        self._waiting = PendingChanges()
        self._looked_s = -math.inf
        self._found_s = -math.inf

    def check_room(self) -> None:
        """Make sure that there is room for more, since many servers can ingest faster than one can write.

        Raises:
            StoreBusy: Too many changes are waiting.
        """
        with self._lock:
            known_s = _LOOK_EARLY_S if _part(self._waiting) < 0.25 else _LOOK_S
            if time.monotonic() >= self._looked_s + known_s:
                self._waiting, self._looked_s = read_waiting(self._database), time.monotonic()
            waiting = self._waiting
        if _part(waiting) >= 1:
            raise StoreBusy(
                f"{waiting.changes:,} changes of {waiting.bytes >> 20:,} MB wait in {self._database.address} for the "
                "server that writes it; try again later"
            )

    def put(self, body: str, spans: Sequence[Prepared] = ()) -> str:
        """Add an entry, and return its id.

        Raises:
            StoreError: It cannot be stored now (`StoreBusy`) or at all.
        """
        with self._lock:
            self._last_ns = max(self._last_ns + 1, self._now_ns())
            size = len(body.encode()) + size_of(spans)
            # The id contains the size, so that sizes can be added up without reading the bodies.
            entry = f"{self._last_ns:020d} {self._id} {size}"
            row = {"id": entry, "done": 0, "body": body, "outcome": "", **columns_of(spans)}
            self._database.insert("inbox", tuple(row), [tuple(row.values())], token=entry)
            self._waiting = PendingChanges(self._waiting.changes + 1, self._waiting.bytes + size)
        return entry

    def waiting(self) -> list[Entry]:
        """Return the oldest waiting entries."""
        # The query for entries takes four times as long as the one for ids, even if there are none. Where servers send
        # all the time, one query is better than two.
        if time.monotonic() >= self._found_s + _BUSY_S and not self._database.rows(_IDS):
            return []
        entries = [Entry(row[0], row[1], spans_of(row[0], row[2:])) for row in self._database.rows(_ENTRIES)]
        if entries:
            self._found_s = time.monotonic()
        return entries

    def is_own(self, entry: Entry) -> bool:
        """Tell whether this process sent an entry."""
        return f" {self._id} " in entry.id

    def mark_done(self, outcomes: Mapping[str, str]) -> None:
        """Store the outcomes of entries, by their ids; they are no longer waiting."""
        rows = [(entry, 1, outcome) for entry, outcome in outcomes.items()]
        self._database.insert("inbox", ("id", "done", "outcome"), rows, token=f"{self._id} {' '.join(outcomes)}")

    def outcome(self, entry: str) -> str | None:
        """Return the outcome of an entry; None while it is waiting."""
        values = Values()
        row = self._database.row(f"SELECT done, outcome FROM inbox FINAL WHERE id = {values.text(entry)}", values)
        return "null" if row is None else row[1] if row[0] else None

    def tidy(self) -> None:
        """Remove old entries that are done."""
        values = Values()
        before = values.text(f"{self._now_ns() - _KEPT_NS:020d}")
        sql = f"SELECT id FROM inbox FINAL WHERE done = 1 AND id < {before} LIMIT {_MOST_TIDIED}"
        while done := [row[0] for row in self._database.rows(sql, values)]:
            own = Values()
            # By id: a waiting row must not outlive the row that marks the entry as done.
            keeper = keeper_of(self._database, "inbox")
            self._database.command(f"DELETE FROM {keeper} WHERE id IN {own.texts(done)}", own)
            if len(done) < _MOST_TIDIED:
                return


def _part(waiting: PendingChanges) -> float:
    """Return how full the inbox is, where 1 is full."""
    return max(waiting.changes / MOST_WAITING, waiting.bytes / MOST_WAITING_BYTES)


def read_waiting(database: Database) -> PendingChanges:
    """Return how much is waiting for the process that writes a database."""
    size = "toUInt64OrZero(splitByChar(' ', id)[3])"
    row = database.row(f"SELECT count(), sum({size}) FROM inbox FINAL WHERE done = 0")
    return PendingChanges() if row is None else PendingChanges(*row)
