"""The store on one ClickHouse database, which one process writes and any number read."""

import math
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext

from inspector.model import Label, Loss, NewLabel, Span
from inspector.store.clickhouse import labels, questions, removal, schema, state
from inspector.store.clickhouse.address import Address
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.marks import Marks
from inspector.store.clickhouse.writer import Writer
from inspector.store.errors import StoreReadOnly
from inspector.store.limits import IDLE_S, READ_LIMITS, ReadLimits
from inspector.store.nouns import Age, Health, Pruned, Removed, SpoolMark
from inspector.store.protocol import Store
from inspector.store.values.removals import noted
from inspector.store.values.rows import clean


class ClickHouseStore(Store):
    """The store on one ClickHouse database, created when it is opened for writing.

    One process writes it: whoever opened it last, and all before are told so.

    Args:
        address: Where it is.
        home: Tells the home whose spools are taken in from all others.
        read_only: Whether nothing will be written.
        limits: How much one question may read.
        now_ns: The clock that says when spans arrive.

    Raises:
        StoreError: It does not answer, has no tables (read-only), or is of a later version.
    """

    _ask = questions

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
            self._writer = None if read_only else _prepared(self._database)
            if read_only:
                schema.check(self._database)
        except BaseException:
            self._database.close()
            raise

    @property
    def problem(self) -> str | None:
        """See `Store.problem`."""
        return None

    def prepare(self, give_up: Callable[[], bool] = lambda: False) -> None:
        """See `Store.prepare`."""
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
        """See `Store.maintain`; ClickHouse merges by itself."""
        del for_s, idle_s, busy, give_way
        return False

    def sync(self) -> None:
        """See `Store.sync`; what was inserted is ClickHouse's to keep."""

    def _take_in(
        self,
        spans: Sequence[Span],
        marks: Sequence[SpoolMark],
        losses: Sequence[Loss],
        labels: Sequence[NewLabel],
    ) -> None:
        # There are no transactions: what a batch brings is written before the marks of where it came from, and what is
        # read again changes nothing.
        with self._writing() as writer:
            if spans:
                writer.numbers["arrived"] = self._now_ns()
            writer.write(spans)
            self._write_labels(writer, labels)
            if losses:
                state.write_losses(self._database, losses, marks, self._now_ns())
            if marks:
                self._marks.save(marks)

    def _take_again(self, spans: Sequence[Span]) -> int:
        with self._writing() as writer:
            return writer.write(spans, again=True)

    def spools(self) -> Mapping[str, SpoolMark]:
        """See `Store.spools`."""
        return self._marks.read()

    def mark_lost(self, processes: Sequence[str]) -> int:
        """See `Store.mark_lost`."""
        with self._writing() as writer:
            return writer.lose(processes)

    def forget_spools(self, names: Sequence[str]) -> None:
        """See `Store.forget_spools`."""
        self._writable()
        self._marks.forget(names)

    def give_label(self, label: NewLabel) -> Label | None:
        """See `Store.give_label`."""
        with self._writing() as writer:
            if label.run_id is not None:
                is_there = self._has_run(clean(label.run_id))
            else:
                is_there = self.event(label.span_id or "", trace_id=label.trace_id or "") is not None
            if not is_there:
                return None
            (label_id,) = labels.write_labels(self._database, writer, [label])
            return labels.read_label(self._database, label_id)

    def remove_label(self, label_id: str) -> Label | None:
        """See `Store.remove_label`."""
        with self._writing() as writer:
            return labels.remove_label(self._database, writer, int(label_id))

    def delete_trace(self, trace_id: str) -> int:
        """See `Store.delete_trace`."""
        return self._delete("trace_id = {}", trace_id)

    def delete_run(self, run_id: str) -> int:
        """See `Store.delete_run`."""
        return self._delete("run_id = {}", run_id)

    def delete_session(self, session_id: str) -> int:
        """See `Store.delete_session`."""
        return self._delete("arrayExists(share -> share.session_id = {}, shares)", session_id)

    def prune(
        self,
        *,
        before_ns: int | None = None,
        max_bytes: int | None = None,
        by: Age = "time",
        for_s: float | None = None,
    ) -> Pruned:
        """See `Store.prune`."""
        with self._writing() as writer:
            pruned = removal.prune(self._database, writer, before_ns=before_ns, max_bytes=max_bytes, by=by, for_s=for_s)
            if by == "arrival" and before_ns is not None:
                writer.note({"looked": self._now_ns()})
            return pruned

    def note_removal(self, removed: Removed) -> None:
        """See `Store.note_removal`."""
        with self._writing() as writer:
            writer.note(noted(removed))

    def doubt_clock(self, *, doubted: bool) -> None:
        """See `Store.doubt_clock`."""
        with self._writing() as writer:
            writer.note({state.DOUBTED: int(doubted)})

    def health(self) -> Health:
        """See `Store.health`."""
        return state.read_health(self._database)

    def close(self) -> None:
        """See `Store.close`."""
        self._database.close()

    def _delete(self, condition: str, value: str) -> int:
        with self._writing() as writer:
            found = removal.traces_of(self._database, condition, value)
            return removal.delete_traces(self._database, writer, found)

    def _read(self) -> AbstractContextManager[Database]:
        return nullcontext(self._database)

    def _has_run(self, run_id: str) -> bool:
        values = Values()
        sql = f"SELECT 1 FROM traces FINAL WHERE run_id = {values.text(run_id)} LIMIT 1"
        return self._database.row(sql, values) is not None

    def _write_labels(self, writer: Writer, given: Sequence[NewLabel]) -> None:
        labels.write_labels(self._database, writer, given)

    def _writable(self) -> Writer:
        if self._writer is None:
            raise StoreReadOnly(f"{self._database.address} was opened for reading only; its owner alone writes it")
        return self._writer

    @contextmanager
    def _writing(self) -> Generator[Writer]:
        writer = self._writable()
        with writer.alone():
            yield writer


def create(address: Address) -> None:
    """Creates the database and its tables where they are not there.

    Raises:
        StoreError: It does not answer, or may not be created.
    """
    with closing(Database(address, read_s=READ_LIMITS.read_s)) as database:
        schema.create(database)


def upgrade(address: Address, home: str) -> tuple[int, int]:
    """Brings the tables up to date, and returns the versions that they were and are of; see `schema.upgrade`."""
    with closing(Database(address, read_s=READ_LIMITS.read_s)) as database:
        return schema.upgrade(database, home)


def _prepared(database: Database) -> Writer:
    schema.create(database)
    schema.check(database)
    return Writer(database)
