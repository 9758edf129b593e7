"""The seam between the inspector and its database: what any store can do."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from inspector.model import (
    Event,
    Filter,
    GroupBy,
    Hits,
    Label,
    Loss,
    NewLabel,
    Order,
    Page,
    Preview,
    Run,
    RunOutline,
    RunSort,
    Session,
    SessionSort,
    Sort,
    Span,
    Stats,
    StatsOf,
    Trace,
    TraceOutline,
    TraceSort,
    Turn,
)
from inspector.store.nouns import Age, Health, Kept, Pruned, Removed, SpoolMark


class Store(Protocol):
    """Keeps spans and answers questions about them; every method may be called from any thread."""

    @property
    def problem(self) -> str | None:
        """What is wrong with the file, as far as it is known, and the way out; nothing is written meanwhile.

        Either a statement met broken pages, or it is not known yet whether there are any.
        """
        ...

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
        ...

    def write_again(self, spans: Sequence[Span]) -> int:
        """Puts readings of stored spans, in the order they began, in their place, and returns how many differ.

        The status of either does not matter. What is not stored stays away. Raises what `write` does.
        """
        ...

    def mark_lost(self, processes: Sequence[str]) -> int:
        """Declares the spans that these processes left running lost, and returns how many there were."""
        ...

    def spools(self) -> Mapping[str, SpoolMark]:
        """Returns the marks of all spool files, by file name."""
        ...

    def forget_spools(self, names: Sequence[str]) -> None:
        """Drops the marks of files that are gone."""
        ...

    def losses(self, *, run: str | None = None, limit: int = 1000) -> tuple[Loss, ...]:
        """Returns what was not recorded, of one ``inspector run`` or at all, the latest first."""
        ...

    def events(  # what a list can be asked for
        self,
        where: Filter,
        *,
        sort: Sort = "time",
        order: Order = "desc",
        cursor: str | None = None,
        limit: int = 50,
        full: bool = False,
        raw: bool = False,
    ) -> Page[Event]:
        """Returns one page of events; those without a duration or cost come last when sorted by it.

        In full, a page ends early where its events are large; what a replay gives back is among their attributes with
        ``raw`` alone.

        Raises:
            CursorInvalid: The cursor belongs to another list.
            QueryTooSlow: The filter needs more time than a read may take.
        """
        ...

    def event(self, span_id: str, *, trace_id: str | None = None, raw: bool = False) -> Event | None:
        """Returns one event in full, the newest when several traces use the span id; ``raw`` as of `events`."""
        ...

    def after(
        self, seq: int, where: Filter, *, limit: int = 500, full: bool = False, most_bytes: int | None = None
    ) -> tuple[Event, ...]:
        """Returns what changed after ``seq``, in the order of change.

        In full, no more events than ``most_bytes`` hold, but at least one; without it, what a page in full holds.
        Fewer than ``limit`` can mean that they are large in full; only nothing means that there is no more.
        """
        ...

    def last_seq(self) -> int:
        """Returns the number of the last change, 0 in an empty store."""
        ...

    def indexed_seq(self) -> int:
        """Returns the number of the last change that full-text search knows."""
        ...

    def trace(self, trace_id: str) -> Trace | None:
        """Returns one trace's sums, with what its processes did not record in its time."""
        ...

    def traces_like(self, prefix: str, *, limit: int) -> tuple[Trace, ...]:
        """Returns traces whose id begins so, the latest first; of more than ``limit`` any."""
        ...

    def outline(self, trace_id: str, *, cursor: str | None = None, limit: int = 20_000) -> TraceOutline | None:
        """Returns one page of a trace's structure in columns, all of it as of one moment.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        ...

    def hits(
        self, q: str, *, trace_id: str = "", run_id: str = "", limit: int = 100, attributes: bool = True
    ) -> Hits | None:
        """Returns the spans of a trace or a run that hold words, and where in each; None where there is no such.

        A span whose prompt merely repeats an older text is none of them.

        Args:
            q: As that of a `Filter`.
            trace_id: The trace, unless a run is named.
            run_id: The run.
            limit: How many hits are wanted with their places.
            attributes: Whether to look also into attributes that full text does not know, and into spans that run.
        """
        ...

    def traces(  # what a list can be asked for
        self,
        where: Filter,
        *,
        sort: TraceSort = "time",
        order: Order = "desc",
        cursor: str | None = None,
        limit: int = 50,
        timeline: bool = False,
    ) -> Page[Trace]:
        """Returns one page of traces; those without a duration come last when sorted by it.

        Kinds, parent, model, tool, error type, attributes and ``q`` are asked of one span of the trace, everything else
        of the trace as a whole.

        Raises:
            CursorInvalid: The cursor belongs to another list.
            QueryTooSlow: The filter needs more time than a read may take.
        """
        ...

    def run(self, run_id: str) -> Run | None:
        """Returns one run's sums, with what its processes did not record in its time."""
        ...

    def runs_like(self, part: str, *, ends: bool, limit: int) -> tuple[Run, ...]:
        """Returns runs whose id begins or, with ``ends``, ends so, the latest first; of more than ``limit`` any."""
        ...

    def runs(  # what a list can be asked for
        self,
        where: Filter,
        *,
        sort: RunSort = "time",
        order: Order = "desc",
        cursor: str | None = None,
        limit: int = 50,
        timeline: bool = False,
    ) -> Page[Run]:
        """Returns one page of runs; those without a duration come last when sorted by it.

        Times, status, name, service, duration and cost are asked of the run as a whole, agent and session of one of its
        traces, everything else of one span.

        Raises:
            CursorInvalid: The cursor belongs to another list.
            QueryTooSlow: The filter needs more time than a read may take.
        """
        ...

    def run_outline(self, run_id: str, *, cursor: str | None = None, limit: int = 20_000) -> RunOutline | None:
        """Returns one page of the structure of all traces of a run in columns, all of it as of one moment.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        ...

    def turns(
        self, run_id: str, *, trace_id: str | None = None, cursor: str | None = None, limit: int = 200
    ) -> Page[Turn]:
        """Returns one page of the model calls of a run as turns of conversations, in the order they began.

        Only calls whose messages are recorded are turns.

        Args:
            run_id: The run.
            trace_id: One trace of it alone.
            cursor: Where the page begins.
            limit: How many turns it has.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        ...

    def previews(self, run_id: str, span_ids: Sequence[str], *, trace_id: str | None = None) -> tuple[Preview, ...]:
        """Returns the beginnings of what some calls of a run were given and of what they gave, in no order.

        Args:
            run_id: The run.
            span_ids: The calls; those that are not of the run are left out.
            trace_id: One trace of it alone.
        """
        ...

    def session(self, session_id: str) -> Session | None:
        """Returns one session's sums."""
        ...

    def sessions(
        self,
        *,
        since_ns: int | None = None,
        until_ns: int | None = None,
        sort: SessionSort = "time",
        order: Order = "desc",
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Session]:
        """Returns one page of sessions, by default the latest activity first; an open one has no duration."""
        ...

    def stats(self, where: Filter, *, of: StatsOf = "events", by: GroupBy | None = None, buckets: int = 0) -> Stats:
        """Returns figures over the newest events of the filter, up to the scan limit, or over its traces or runs.

        Traces are narrowed as by `traces`, runs as by `runs`; the kind of a run is that of its first trace.
        ``buckets`` above 0 asks for that many equal slices of the filter's time range, or of what there is.
        """
        ...

    def labels(
        self,
        *,
        run_id: str | None = None,
        trace_id: str | None = None,
        span_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Label]:
        """Returns one page of labels, the latest first; those of a run with those of its spans.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        ...

    def give_label(self, label: NewLabel) -> Label | None:
        """Labels a run or a span, and returns the label; None where there is no such run or span.

        It takes the place of that of the same name, author and source on the same target, of good and bad that of
        either; notes stand beside one another.
        """
        ...

    def remove_label(self, label_id: str) -> Label | None:
        """Removes a label and returns what it was; None where there is none."""
        ...

    def delete_trace(self, trace_id: str) -> int:
        """Removes a trace for good and returns how many spans it had."""
        ...

    def delete_run(self, run_id: str) -> int:
        """Removes all traces of a run for good and returns how many spans they had."""
        ...

    def delete_session(self, session_id: str) -> int:
        """Removes all traces of a session for good and returns how many spans they had."""
        ...

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
        ...

    def note_removal(self, removed: Removed) -> None:
        """Keeps what retention removed, in the place of what it removed before by that rule."""
        ...

    def doubt_clock(self, *, doubted: bool) -> None:
        """Keeps for the next process whether the clock is doubted, so that nothing is removed by age."""
        ...

    def is_clock_doubted(self) -> bool:
        """Tells whether the clock was doubted when it was last looked at."""
        ...

    def last_arrival_ns(self) -> int | None:
        """Returns the hour in which something last arrived or age was last looked at; None if that is not known."""
        ...

    def prepare(self, give_up: Callable[[], bool] = ...) -> None:
        """Makes ready what is to be written, which may take long; returns at once where it is.

        What its last owner did not close is checked for damage, and what has taken its place is opened.

        Args:
            give_up: Asked now and then whether to stop.

        Raises:
            StoreError: It cannot be written, now (``StoreBusy``) or at all.
        """
        ...

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
        ...

    def sync(self) -> None:
        """Makes what was committed survive a power cut."""
        ...

    def used_bytes(self) -> int:
        """Returns how much of the database is not free for new spans, at no cost: `health` counts."""
        ...

    def health(self) -> Health:
        """Returns size, age, lag and versions."""
        ...

    def kept(self) -> Kept:
        """Returns how much is kept, and what retention removes next."""
        ...

    def close(self) -> None:
        """Releases the database; the store cannot be used afterwards."""
        ...
