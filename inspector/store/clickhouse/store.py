"""The store on one ClickHouse database, which any number of processes read and write."""

# ruff: noqa: D102 - `Store` documents what an engine implements

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext

from inspector.model import Label, Loss, NewLabel, Span
from inspector.store.address import Address
from inspector.store.clickhouse import labels, queries, schema
from inspector.store.clickhouse.changes import (
    Delete,
    DropLogs,
    GiveLabel,
    MarkLost,
    Note,
    Prune,
    RemoveLabel,
    Write,
    WriteAgain,
)
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.health import read_health
from inspector.store.clickhouse.logs import joined_logs
from inspector.store.clickhouse.losses import write_losses
from inspector.store.clickhouse.marks import Marks
from inspector.store.clickhouse.writing import BATCH_SPANS, CHANGE_S, Writing
from inspector.store.errors import StoreReadOnly
from inspector.store.limits import IDLE_S, READ_LIMITS, ReadLimits
from inspector.store.model import Age, Deletable, DueLogs, Health, Joined, Pruned, Removed, SpoolMark
from inspector.store.protocol import Store
from inspector.store.values.labels import storable
from inspector.store.values.logs import LogRow
from inspector.store.values.retention import doubt, noted
from inspector.store.values.rows import clean

_TABLES_S = 60.0
"""How long a query about the tables may take while they are created or upgraded, which nobody waits for at a page."""


class ClickHouseStore(Store):
    """The store on one ClickHouse database, created when it is opened for writing.

    Any number of processes may open it for writing; one of them at a time applies the changes of all.

    Args:
        address: The address of the database.
        home: The key of the home whose spools are ingested.
        read_only: Whether nothing will be written.
        limits: How much one query may read.
        now_ns: The clock for the arrival of spans.

    Raises:
        StoreError: It does not answer, has no tables (read-only), or is of a later version.
    """

    batch_spans = BATCH_SPANS

    _queries = queries

    def __init__(
        self,
        address: Address,
        *,
        home: str = "",
        read_only: bool = False,
        limits: ReadLimits = READ_LIMITS,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._database, self._limits = Database(address, read_s=limits.read_s), limits
        self._now_ns = now_ns
        self._marks = Marks(self._database, home)
        try:
            self._writing = None if read_only else self._opened(home)
            if read_only:
                schema.check(self._database)
        except BaseException:
            self._database.close()
            raise

    @property
    def problem(self) -> str | None:
        return None

    def prepare(self, give_up: Callable[[], bool] = lambda: False) -> None:
        del give_up
        self._writable()

    def maintain(
        self,
        *,
        for_s: float = math.inf,
        idle_s: float = IDLE_S,
        busy: bool = False,
        give_way: Callable[[float], object] = lambda _: None,
    ) -> bool:
        """Sum the hours that have ended; without a time limit, first wait for the writer."""
        del idle_s, give_way
        if for_s == math.inf:
            self._writable().wait()
        return not busy and self._writable().sum_up(for_s)

    def sync(self) -> None:
        """Do nothing: ClickHouse is responsible for what was inserted."""

    def _write_batch(
        self,
        spans: Sequence[Span],
        marks: Sequence[SpoolMark],
        losses: Sequence[Loss],
        labels: Sequence[NewLabel],
        logs: Sequence[LogRow],
    ) -> None:
        # There are no transactions, so spans are written before the read positions of their spools. If spools are read
        # again, nothing changes.
        writing = self._writable()
        if spans or labels or logs:
            writing.apply(Write(writing.prepared(spans), labels, self._now_ns(), logs=logs), wait=False)
        if losses:
            write_losses(self._database, losses, marks, self._now_ns())
        if marks:
            self._marks.save(marks)

    def _rewrite_batch(self, spans: Sequence[Span], joined: Sequence[Joined]) -> int:
        writing = self._writable()
        return writing.apply(WriteAgain(writing.prepared(spans), joined_logs(joined)))

    def due_logs(self, most: int) -> Sequence[DueLogs]:
        return self._writable().due_logs(most)

    def drop_logs(self, before_hour: int, most: int) -> int:
        """Remove logs, if this process is the writer."""
        writing = self._writable()
        return writing.apply(DropLogs(before_hour, most)) if writing.is_writer() else 0

    def spools(self) -> Mapping[str, SpoolMark]:
        return self._marks.read()

    def mark_lost(self, processes: Sequence[str]) -> int:
        return self._writable().apply(MarkLost([clean(process) for process in processes]))

    def forget_spools(self, names: Sequence[str]) -> None:
        self._writable()
        self._marks.forget(names)

    def set_label(self, label: NewLabel) -> Label | None:
        writing, label = self._writable(), storable(label)
        if label.run_id is not None:
            is_there = self._has_run(label.run_id)
        else:
            is_there = self.event(label.span_id or "", trace_id=label.trace_id or "") is not None
        return labels.read_label(self._database, writing.apply(GiveLabel(label))) if is_there else None

    def remove_label(self, label_id: str) -> Label | None:
        writing = self._writable()
        label = labels.read_label(self._database, int(label_id))
        return label if label is not None and writing.apply(RemoveLabel(int(label_id))) else None

    def delete(self, what: Deletable, its_id: str) -> int:
        return self._writable().apply(Delete(what, clean(its_id)))

    def prune(
        self,
        *,
        before_ns: int | None = None,
        max_bytes: int | None = None,
        by: Age = "time",
        for_s: float | None = None,
    ) -> Pruned:
        """Remove traces; regular retention, which is by arrival, is done only by the writer."""
        writing = self._writable()
        if by == "arrival" and not writing.is_writer():
            return Pruned(0, 0, 0)
        return Pruned(*writing.apply(Prune(before_ns, max_bytes, by, for_s)))

    def note_removal(self, removed: Removed) -> None:
        self._writable().apply(Note(noted(removed)), wait=False)

    def doubt_clock(self, *, doubted: bool) -> None:
        self._writable().apply(Note(doubt(doubted=doubted)), wait=False)

    def health(self) -> Health:
        return read_health(self._database)

    def close(self) -> None:
        if self._writing is not None:
            self._writing.close()
        self._database.close()

    def _read(self) -> AbstractContextManager[Database]:
        return nullcontext(self._database)

    def _has_run(self, run_id: str) -> bool:
        values = Values()
        sql = f"SELECT 1 FROM traces FINAL WHERE run_id = {values.text(run_id)} LIMIT 1"
        return self._database.row(sql, values) is not None

    def _opened(self, home: str) -> Writing:
        schema.create(self._database)
        schema.check(self._database.patient(CHANGE_S))
        writing = Writing(self._database, self._now_ns, home)
        writing.start()
        return writing

    def _writable(self) -> Writing:
        if self._writing is None:
            raise StoreReadOnly(f"{self._database.address} was opened for reading only")
        return self._writing


def create(address: Address) -> None:
    """Create the database and its tables, if they are missing.

    Raises:
        StoreError: It does not answer, or the user is not allowed to create them.
    """
    with closing(Database(address, read_s=_TABLES_S)) as database:
        schema.create(database)


def upgrade(address: Address, home: str) -> tuple[int, int]:
    """Upgrade the tables, and return their previous and their new version; see `schema.upgrade`."""
    with closing(Database(address, read_s=_TABLES_S)) as database:
        return schema.upgrade(database, home)
