"""The store in one SQLite file: one connection writes, others only read."""

# ruff: noqa: D102 - `Store` documents what an engine implements

import math
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection

from inspector.model import Label, Loss, NewLabel, Span
from inspector.store.errors import StoreError, StoreFull, StoreReadOnly
from inspector.store.limits import IDLE_S, READ_LIMITS, ReadLimits
from inspector.store.model import Age, Deletable, DueLogs, Health, Joined, Pruned, Removed, SpoolMark
from inspector.store.protocol import Store
from inspector.store.sqlite import queries
from inspector.store.sqlite.database.counters import save_counters
from inspector.store.sqlite.database.engine import check_readable
from inspector.store.sqlite.database.growth import Growth
from inspector.store.sqlite.database.read_connections import ReadConnections
from inspector.store.sqlite.database.reserve import Reserve
from inspector.store.sqlite.database.unwritable import copied
from inspector.store.sqlite.database.write_connection import WriteConnection
from inspector.store.sqlite.lists import attribute_pages
from inspector.store.sqlite.lists.labels import remove_label, set_label, write_labels
from inspector.store.sqlite.search.fulltext import index_some
from inspector.store.sqlite.statistics import rollups
from inspector.store.sqlite.upkeep import retention
from inspector.store.sqlite.upkeep.background import Upkeep
from inspector.store.sqlite.upkeep.health import read_health
from inspector.store.sqlite.upkeep.removal import Removal
from inspector.store.sqlite.writing import arrivals, writer
from inspector.store.sqlite.writing.losses import write_losses
from inspector.store.values.labels import storable
from inspector.store.values.logs import LogRow
from inspector.store.values.retention import doubt, noted
from inspector.store.values.rows import clean


class SqliteStore(Store):
    """The store in one SQLite file; its arguments and errors are those of `inspector.store.open_store`."""

    _queries = queries

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        check_s: float | None = None,
        check_later: bool = False,
        limits: ReadLimits = READ_LIMITS,
        is_owned: Callable[[], bool] = lambda: True,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._now_ns = now_ns
        self._copy = copied(path) if read_only else None
        path = path if self._copy is None else Path(self._copy.name) / path.name
        self._path, self._limits = path, limits
        self._reserve = Reserve(path)
        with self._reserve.lent(to_reader=read_only):
            if read_only:
                check_readable(path)
                self._writer = None
            else:
                self._writer = WriteConnection(
                    path, check_s=check_s, check_later=check_later, reopened=self._read_anew, is_owned=is_owned
                )
        self._readers = ReadConnections(path, limits, self._writer)
        self._cache = writer.WriterCache()
        self._upkeep = Upkeep(self._index, self._add_up, self._give_back, self.sync, self.shrink_log)

    @property
    def problem(self) -> str | None:
        refusal = None if self._writer is None else self._writer.refusal
        return self._readers.damage if refusal is None else str(refusal)

    def prepare(self, give_up: Callable[[], bool] = lambda: False) -> None:
        writer = self._writable()
        writer.follow()
        writer.check(give_up)

    def maintain(
        self,
        *,
        for_s: float = math.inf,
        idle_s: float = IDLE_S,
        busy: bool = False,
        give_way: Callable[[float], object] = lambda _: None,
    ) -> bool:
        with self._relieved():
            return self._upkeep.run(for_s=for_s, idle_s=idle_s, busy=busy, give_way=give_way)

    def _rewrite_batch(self, spans: Sequence[Span], joined: Sequence[Joined]) -> int:
        with self._write() as connection:
            spans = self._cache.logs.join(connection, spans, joined)
            changed = writer.write_batch(connection, spans, self._cache, again=True)
        self._reserve.keep()
        return changed

    def due_logs(self, most: int) -> Sequence[DueLogs]:
        if not self._cache.logs.may_be_due:
            return ()
        with self._transaction() as connection:
            return self._cache.logs.due(connection, most)

    def drop_logs(self, before_hour: int, most: int) -> int:
        with self._removal() as removal:
            return retention.drop_logs(removal, before_hour, most)

    def set_label(self, label: NewLabel) -> Label | None:
        with self._write() as connection:
            return set_label(connection, storable(label))

    def remove_label(self, label_id: str) -> Label | None:
        with self._write() as connection:
            return remove_label(connection, label_id)

    def mark_lost(self, processes: Sequence[str]) -> int:
        with self._write() as connection:
            self._cache.logs.follow_lost(connection, processes)
            return writer.mark_lost(connection, processes, self._cache)

    def spools(self) -> Mapping[str, SpoolMark]:
        with self._read() as connection:
            return writer.read_marks(connection)

    def forget_spools(self, names: Sequence[str]) -> None:
        with self._write() as connection:
            writer.forget_marks(connection, names)

    def delete(self, what: Deletable, its_id: str) -> int:
        with self._removal() as removal:
            return retention.delete(removal, what, clean(its_id))

    def prune(
        self,
        *,
        before_ns: int | None = None,
        max_bytes: int | None = None,
        by: Age = "time",
        for_s: float | None = None,
    ) -> Pruned:
        with self._removal() as removal:
            now_ns = self._now_ns() if by == "arrival" else None
            return retention.prune(removal, before_ns=before_ns, max_bytes=max_bytes, arrivals_ns=now_ns, for_s=for_s)

    def note_removal(self, removed: Removed) -> None:
        with self._write() as connection:
            save_counters(connection, noted(removed))

    def doubt_clock(self, *, doubted: bool) -> None:
        with self._write() as connection:
            save_counters(connection, doubt(doubted=doubted))

    def index(self, limit: int = 2000) -> int:
        """Index up to ``limit`` changes, and return how many; 0 means that nothing is left."""
        return self._index(limit)[0]

    def _index(self, limit: int) -> tuple[int, int]:
        """Index up to ``limit`` changes, and return how many, and how many are left."""
        with self._transaction() as connection:
            return index_some(connection, limit)

    def _add_up(self, limit: int, least: int) -> int:
        """Add up to ``limit`` changes to statistics and attribute filters, unless there are fewer than ``least``."""
        with self._transaction() as connection:
            followed = rollups.follow_some(connection, limit, least=least)
            return followed + attribute_pages.follow_some(connection, limit // attribute_pages.PAGE, again=least == 1)

    def _give_back(self) -> None:
        """Return free space to the file system, if merging the full-text index has left much of it."""
        # If the disk has no space for that now, it is done later.
        with suppress(StoreFull), self._transaction() as connection:
            retention.shrink(connection)

    def sync(self) -> None:
        """Checkpoint the write-ahead log, without waiting for readers."""
        self._writable().checkpoint()
        self._reserve.keep()

    def shrink_log(self) -> bool:
        """Truncate the write-ahead log, which never shrinks by itself, and return whether it is empty."""
        return self._writable().shrink_log()

    def _relieve(self) -> None:
        """Truncate the write-ahead log, if a full disk has prevented checkpoints."""
        writer = self._writable()
        with writer.alone():
            if self._reserve.log_is_too_long:
                writer.empty_log()
            # Only if necessary, because another process may take the space of the reserve meanwhile.
            if self._reserve.log_is_too_long:
                released = self._reserve.release()
                writer.empty_log()
                self._reserve.restore(released)

    def health(self) -> Health:
        with self._read() as connection:
            return read_health(connection, self._path)

    def close(self) -> None:
        if self._writer is None or self._readers.damage is None:
            self._readers.close()
        if self._writer is not None:
            self._writer.close()
        self._readers.close()
        if self._copy is not None:
            self._copy.cleanup()

    def _write_batch(
        self,
        spans: Sequence[Span],
        marks: Sequence[SpoolMark],
        losses: Sequence[Loss],
        labels: Sequence[NewLabel],
        logs: Sequence[LogRow],
    ) -> None:
        now_ns = self._now_ns()
        with self._write() as connection:
            writer.write_batch(connection, spans, self._cache)
            self._cache.logs.take_in(connection, spans, logs, now_ns)
            writer.save_marks(connection, marks)
            write_losses(connection, losses, now_ns)
            write_labels(connection, labels)
            if spans:
                arrivals.remember(connection, now_ns)
        if self._reserve.log_is_too_long:
            # Everything is committed, whether or not the log can be checkpointed.
            with suppress(StoreError):
                self._writable().checkpoint()
        self._reserve.keep()

    def _writable(self) -> WriteConnection:
        if self._writer is None:
            raise StoreReadOnly(f"{self._path} was opened read-only; only its owner may write it")
        return self._writer

    @contextmanager
    def _relieved(self) -> Generator[None]:
        """Free whatever space is possible if the block finds none."""
        try:
            yield
        except StoreFull:
            with suppress(StoreError):
                self._relieve()
            raise

    @contextmanager
    def _write(self) -> Generator[Connection]:
        with self._relieved(), self._transaction() as connection:
            yield connection
        self._upkeep.note_write()

    @contextmanager
    def _transaction(self) -> Generator[Connection]:
        writer = self._writable()
        # The next batch must not refer to messages that were never committed.
        with writer.alone():
            try:
                with writer.transaction() as connection:
                    yield connection
            except BaseException:
                self._cache.forget()
                raise

    @contextmanager
    def _remove(self) -> Generator[Connection]:
        with self._transaction() as connection:
            self._cache.forget()
            yield connection
        self._upkeep.note_write()

    @contextmanager
    def _removal(self) -> Generator[Removal]:
        writer = self._writable()
        growth = Growth(self._path, self._reserve)
        with ExitStack() as stack:
            is_alone = False

            def make_room() -> None:
                nonlocal is_alone
                if not is_alone:
                    is_alone = True
                    # Another writer would take the space that is freed here for removing.
                    stack.enter_context(writer.alone())
                    stack.callback(self._reserve.restore, growth.begin(writer.empty_log))
                growth.make_room(writer.empty_log)

            @contextmanager
            def remove() -> Generator[Connection]:
                with self._remove() as connection, growth.limited(connection):
                    yield connection

            yield Removal(remove, make_room)
        self._reserve.keep()

    def _read_anew(self) -> None:
        """Read the file that has replaced the previous one."""
        self._cache.forget()
        self._readers.open_replaced()

    def _read(self) -> AbstractContextManager[Connection]:
        return self._readers.transaction()
