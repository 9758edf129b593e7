"""The seam between the inspector and its database: what any store can do."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence

from inspector.model import Label, Loss, NewLabel, Span
from inspector.store.nouns import Age, Health, Pruned, Removed, SpoolMark
from inspector.store.reads import Reads
from inspector.store.values.rows import scrubbed


class Store(Reads):
    """Keeps spans and answers questions about them; every method may be called from any thread."""

    @property
    @abstractmethod
    def problem(self) -> str | None:
        """What is wrong with the file, as far as it is known, and the way out; nothing is written meanwhile.

        Either a statement met broken pages, or it is not known yet whether there are any.
        """

    def write(
        self,
        spans: Sequence[Span],
        *,
        marks: Sequence[SpoolMark] = (),
        losses: Sequence[Loss] = (),
        labels: Sequence[NewLabel] = (),
    ) -> None:
        """Takes in spans and labels, the marks of the spools they came from and what is missing, in one transaction.

        An end wins over a start, a later complete record over an earlier one, and a repeat changes nothing.

        Raises:
            StoreBusy: Nothing was written; try again later.
        """
        try:
            self._take_in(spans, marks, losses, labels)
        except UnicodeEncodeError:
            # Cleaning every text of every batch would cost more than writing it, and few ever need it.
            self._take_in([scrubbed(span) for span in spans], marks, losses, labels)

    def write_again(self, spans: Sequence[Span]) -> int:
        """Puts readings of stored spans, in the order they began, in their place, and returns how many differ.

        The status of either does not matter. What is not stored stays away. Raises what `write` does.
        """
        try:
            return self._take_again(spans)
        except UnicodeEncodeError:
            return self._take_again([scrubbed(span) for span in spans])

    @abstractmethod
    def _take_in(
        self,
        spans: Sequence[Span],
        marks: Sequence[SpoolMark],
        losses: Sequence[Loss],
        labels: Sequence[NewLabel],
    ) -> None: ...

    @abstractmethod
    def _take_again(self, spans: Sequence[Span]) -> int: ...

    @abstractmethod
    def mark_lost(self, processes: Sequence[str]) -> int:
        """Declares the spans that these processes left running lost, and returns how many there were."""

    @abstractmethod
    def spools(self) -> Mapping[str, SpoolMark]:
        """Returns the marks of all spool files, by file name."""

    @abstractmethod
    def forget_spools(self, names: Sequence[str]) -> None:
        """Drops the marks of files that are gone."""

    @abstractmethod
    def give_label(self, label: NewLabel) -> Label | None:
        """Labels a run or a span, and returns the label; None where there is no such run or span.

        It takes the place of that of the same name, author and source on the same target, of good and bad that of
        either; notes stand beside one another.
        """

    @abstractmethod
    def remove_label(self, label_id: str) -> Label | None:
        """Removes a label and returns what it was; None where there is none."""

    @abstractmethod
    def delete_trace(self, trace_id: str) -> int:
        """Removes a trace for good and returns how many spans it had."""

    @abstractmethod
    def delete_run(self, run_id: str) -> int:
        """Removes all traces of a run for good and returns how many spans they had."""

    @abstractmethod
    def delete_session(self, session_id: str) -> int:
        """Removes all traces of a session for good and returns how many spans they had."""

    @abstractmethod
    def prune(
        self,
        *,
        before_ns: int | None = None,
        max_bytes: int | None = None,
        by: Age = "time",
        for_s: float | None = None,
    ) -> Pruned:
        """Removes whole traces, oldest first: those from before a time, then as many as the size asks for.

        Arrivals are known to the hour, so that a trace may be kept for an hour longer.

        Args:
            before_ns: The time, if any.
            max_bytes: How large the database may be, if that is bounded.
            by: What the age counts from.
            for_s: How long it may take, give or take one transaction.
        """

    @abstractmethod
    def note_removal(self, removed: Removed) -> None:
        """Keeps what retention removed, in the place of what it removed before by that rule."""

    @abstractmethod
    def doubt_clock(self, *, doubted: bool) -> None:
        """Keeps for the next process whether the clock is doubted, so that nothing is removed by age."""

    @abstractmethod
    def prepare(self, give_up: Callable[[], bool] = ...) -> None:
        """Makes ready what is to be written, which may take long; returns at once where it is.

        What its last owner did not close is checked for damage, and what has taken its place is opened.

        Args:
            give_up: Asked now and then whether to stop.

        Raises:
            StoreError: It cannot be written, now (``StoreBusy``) or at all.
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
        """Does what is due beside writing, such as bringing search up to date, and returns whether there is more.

        Args:
            for_s: How long it may take, give or take one transaction; without it, until nothing is due.
            idle_s: How long nothing was written before space is given back, which it costs to take again.
            busy: Whether more is to be written at once, so that what can wait does.
            give_way: Called between transactions with how many seconds others may have first.

        Raises:
            StoreError: The store cannot do it now (``StoreBusy``) or at all.
        """

    @abstractmethod
    def sync(self) -> None:
        """Makes what was committed survive a power cut."""

    @abstractmethod
    def health(self) -> Health:
        """Returns size, age, lag and versions."""

    @abstractmethod
    def close(self) -> None:
        """Releases the database; the store cannot be used afterwards."""
