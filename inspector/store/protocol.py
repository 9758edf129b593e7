"""The interface between the inspector and its database."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from inspector.model import Label, Log, Loss, NewLabel, Span
from inspector.store.model import Age, Deletable, DueLogs, Health, Joined, Pruned, Removed, SpoolMark
from inspector.store.reads import Reads
from inspector.store.values.labels import storable
from inspector.store.values.logs import LogRow, log_rows
from inspector.store.values.rows import scrubbed


class Store(Reads):
    """Stores and queries spans; every method may be called from any thread."""

    batch_spans: ClassVar[int] = 512
    """How many spans to write at a time if many are waiting: each write has costs that do not depend on its size."""

    @property
    @abstractmethod
    def problem(self) -> str | None:
        """The problem with the file and how to fix it; None without one. With a problem, nothing is written.

        Either a statement found broken pages, or the check for them has not finished.
        """

    def write(
        self,
        spans: Sequence[Span],
        *,
        marks: Sequence[SpoolMark] = (),
        losses: Sequence[Loss] = (),
        labels: Sequence[NewLabel] = (),
        logs: Sequence[Log] = (),
    ) -> None:
        """Store spans, labels, logs, losses and the read positions of their spools, in one transaction.

        A complete record replaces a start record and an earlier complete one; a repeated record changes nothing.
        Logs are due once their span has ended, and again whenever it is written as ended.

        Raises:
            StoreBusy: Nothing was written; try again later.
        """
        labels, rows = list(map(storable, labels)), log_rows(logs)
        try:
            self._write_batch(spans, marks, losses, labels, rows)
        except UnicodeEncodeError:
            # Few texts need cleaning, and cleaning all of them would cost more than writing the batch.
            self._write_batch([scrubbed(span) for span in spans], marks, losses, labels, rows)

    def write_again(self, spans: Sequence[Span], *, joined: Sequence[Joined] = ()) -> int:
        """Replace stored spans by new interpretations of them, and return how many differ.

        The spans are in the order they began. They replace stored ones whatever their status; spans that are not stored
        are ignored. Raises what `write` raises.

        Args:
            spans: The new interpretations.
            joined: Logs that were joined to their spans, which are no longer due. If the stored span has changed since
                it was read, neither happens. A span that is not among ``spans`` stays as it is.
        """
        try:
            return self._rewrite_batch(spans, joined)
        except UnicodeEncodeError:
            return self._rewrite_batch([scrubbed(span) for span in spans], joined)

    @abstractmethod
    def _write_batch(
        self,
        spans: Sequence[Span],
        marks: Sequence[SpoolMark],
        losses: Sequence[Loss],
        labels: Sequence[NewLabel],
        logs: Sequence[LogRow],
    ) -> None: ...

    @abstractmethod
    def _rewrite_batch(self, spans: Sequence[Span], joined: Sequence[Joined]) -> int: ...

    @abstractmethod
    def due_logs(self, most: int) -> Sequence[DueLogs]:
        """Return up to ``most`` spans whose logs are to be joined; none if another process does that.

        Raises:
            StoreError: It cannot be told now (``StoreBusy``) or at all.
        """

    @abstractmethod
    def drop_logs(self, before_hour: int, most: int) -> int:
        """Remove logs that have been kept for long enough, and return how many of them had not been joined.

        Args:
            before_hour: Logs that arrived before this hour (since 1970) are removed.
            most: How many may wait for their span; beyond that, the first to arrive are removed.
        """

    @abstractmethod
    def mark_lost(self, processes: Sequence[str]) -> int:
        """Mark the spans that these processes left running as lost, and return their number."""

    @abstractmethod
    def spools(self) -> Mapping[str, SpoolMark]:
        """Return the read positions of all spool files, by file name."""

    @abstractmethod
    def forget_spools(self, names: Sequence[str]) -> None:
        """Forget the read positions of files that were deleted."""

    @abstractmethod
    def set_label(self, label: NewLabel) -> Label | None:
        """Label a run or a span, and return the label; None if there is no such run or span.

        A label replaces the one with the same name, author and source on the same target, and ``good`` and ``bad``
        replace each other. Notes replace nothing.
        """

    @abstractmethod
    def remove_label(self, label_id: str) -> Label | None:
        """Remove and return a label; None if there is no such label."""

    @abstractmethod
    def delete(self, what: Deletable, its_id: str) -> int:
        """Remove a trace, or all traces of a run or a session, and return how many spans they had."""

    @abstractmethod
    def prune(
        self,
        *,
        before_ns: int | None = None,
        max_bytes: int | None = None,
        by: Age = "time",
        for_s: float | None = None,
    ) -> Pruned:
        """Remove whole traces, oldest first: those from before a time, then others until the database is small enough.

        Arrivals are known to the hour, so a trace may be kept for up to an hour longer.

        Args:
            before_ns: Remove traces from before this time.
            max_bytes: The maximum size of the database.
            by: What the age counts from.
            for_s: The time limit; the last transaction may exceed it.
        """

    @abstractmethod
    def note_removal(self, removed: Removed) -> None:
        """Store the last removal by a retention rule."""

    @abstractmethod
    def doubt_clock(self, *, doubted: bool) -> None:
        """Store, also for later processes, whether the clock looks wrong, so that nothing is removed by age."""

    @abstractmethod
    def prepare(self, give_up: Callable[[], bool] = ...) -> None:
        """Prepare the store for writing, which may take long; return immediately if it is ready.

        A database that its last owner did not close is checked for damage, and a replaced file is opened. It stops once
        ``give_up``, which is called now and then, returns True.

        Raises:
            StoreError: It cannot be written now (``StoreBusy``) or at all.
        """

    @abstractmethod
    def maintain(
        self,
        *,
        for_s: float = ...,
        idle_s: float = ...,
        busy: bool = ...,
        give_way: Callable[[float], object] = ...,
    ) -> bool:
        """Do background work, such as updating the full-text index, and return whether more is due.

        Args:
            for_s: The time limit, which the last transaction may exceed; without one, it runs until nothing is due.
            idle_s: Free space is returned to the file system only after this long without a write.
            busy: Whether more writes are waiting, so that whatever can wait is left for later.
            give_way: Called between transactions with the number of seconds to leave to other writers.

        Raises:
            StoreError: It cannot be done now (``StoreBusy``) or at all.
        """

    @abstractmethod
    def sync(self) -> None:
        """Make all commits so far survive a power cut."""

    @abstractmethod
    def health(self) -> Health:
        """Return size, age, lag and versions."""

    @abstractmethod
    def close(self) -> None:
        """Close the database; the store cannot be used afterwards."""
