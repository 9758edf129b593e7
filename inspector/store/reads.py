"""What any store is asked: each question is read as of one moment, and answered by its engine's own SQL."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import ClassVar, TypeVar

from inspector.model import (
    Event,
    Filter,
    GroupBy,
    Hits,
    Label,
    Loss,
    Order,
    Page,
    Preview,
    Run,
    RunOutline,
    RunSort,
    Session,
    SessionSort,
    Sort,
    Stats,
    StatsOf,
    Trace,
    TraceOutline,
    TraceSort,
    Turn,
)
from inspector.store.limits import ReadLimits
from inspector.store.nouns import Arrival, Kept, Stored
from inspector.store.questions import At, Questions
from inspector.store.values.outlines import OutlinePage
from inspector.store.values.places import Within
from inspector.store.values.rows import clean
from inspector.store.values.terms import notice_of
from inspector.store.values.window import Window

W = TypeVar("W", Trace, Run)
A = TypeVar("A", Page[Event], Page[Trace], Page[Run], Stats, Hits)


class Reads(ABC):
    """The part of a store that reads."""

    _ask: ClassVar[Questions]
    """How the engine is asked."""
    _limits: ReadLimits
    """How much one question may read."""

    @abstractmethod
    def _read(self) -> AbstractContextManager[At]:
        """Hold what the engine is asked over, as of one moment."""

    def losses(self, *, run: str | None = None, limit: int = 1000) -> tuple[Loss, ...]:
        """Returns what was not recorded, of one ``inspector run`` or at all, the latest first."""
        with self._read() as at:
            return self._ask.read_losses(at, run, limit)

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
        window = Window(sort, order, cursor, limit)
        with self._read() as at:
            return _noticed(where.q, self._ask.read_events(at, where, window, self._limits, full=full, raw=raw))

    def event(self, span_id: str, *, trace_id: str | None = None, raw: bool = False) -> Event | None:
        """Returns one event in full, the newest when several traces use the span id; ``raw`` as of `events`."""
        with self._read() as at:
            return self._ask.read_event(at, clean(span_id), trace_id, self._limits, raw=raw)

    def after(
        self, seq: int, where: Filter, *, limit: int = 500, full: bool = False, most_bytes: int | None = None
    ) -> tuple[Event, ...]:
        """Returns what changed after ``seq``, in the order of change.

        In full, no more events than ``most_bytes`` hold, but at least one; without it, what a page in full holds.
        Fewer than ``limit`` can mean that they are large in full; only nothing means that there is no more.
        """
        limits = self._limits
        if most_bytes is not None:
            limits = replace(limits, full_bytes=min(most_bytes, limits.full_bytes))
        with self._read() as at:
            return self._ask.read_after(at, seq, where, limits, limit=limit, full=full)

    def last_seq(self) -> int:
        """Returns the number of the last change, 0 in an empty store."""
        with self._read() as at:
            return self._ask.last_seq(at)

    def indexed_seq(self) -> int:
        """Returns the number of the last change that full-text search knows."""
        with self._read() as at:
            return self._ask.indexed_seq(at)

    def trace(self, trace_id: str) -> Trace | None:
        """Returns one trace's sums, with what its processes did not record in its time."""
        with self._read() as at:
            trace = self._ask.read_trace(at, clean(trace_id))
            return None if trace is None else self._with_losses(at, trace)

    def traces_like(self, prefix: str, *, limit: int) -> tuple[Trace, ...]:
        """Returns traces whose id begins so, the latest first; of more than ``limit`` any."""
        with self._read() as at:
            return self._ask.read_traces_like(at, clean(prefix), limit)

    def outline(self, trace_id: str, *, cursor: str | None = None, limit: int = 20_000) -> TraceOutline | None:
        """Returns one page of a trace's structure in columns, all of it as of one moment.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        page = OutlinePage(("outline", clean(trace_id)), cursor, limit)
        with self._read() as at:
            trace = self._ask.read_trace(at, clean(trace_id))
            if trace is None:
                return None
            # First, so that whoever follows what changes after it misses nothing.
            seq = self._ask.last_seq(at)
            rows = self._ask.read_outline_rows(at, trace, page.after, limit + 1)
            return page.of_trace(self._with_losses(at, trace), seq, rows)

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
        place = Within("run_id", clean(run_id)) if run_id else Within("trace_id", clean(trace_id))
        with self._read() as at:
            hits = self._ask.read_hits(at, q, place, self._limits, limit=limit, attributes=attributes)
            return None if hits is None else _noticed(q, hits)

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
        window = Window(sort, order, cursor, limit)
        with self._read() as at:
            return _noticed(where.q, self._ask.read_traces(at, where, window, self._limits, timeline=timeline))

    def run(self, run_id: str) -> Run | None:
        """Returns one run's sums, with what its processes did not record in its time."""
        with self._read() as at:
            run = self._ask.read_run(at, clean(run_id))
            return None if run is None else self._with_losses(at, run)

    def runs_like(self, part: str, *, ends: bool, limit: int) -> tuple[Run, ...]:
        """Returns runs whose id begins or, with ``ends``, ends so, the latest first; of more than ``limit`` any."""
        with self._read() as at:
            return self._ask.read_runs_like(at, clean(part), limit, ends=ends)

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
        window = Window(sort, order, cursor, limit)
        with self._read() as at:
            return _noticed(where.q, self._ask.read_runs(at, where, window, self._limits, timeline=timeline))

    def run_outline(self, run_id: str, *, cursor: str | None = None, limit: int = 20_000) -> RunOutline | None:
        """Returns one page of the structure of all traces of a run in columns, all of it as of one moment.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        page = OutlinePage(("run outline", clean(run_id)), cursor, limit)
        with self._read() as at:
            run = self._ask.read_run(at, clean(run_id))
            if run is None:
                return None
            seq = self._ask.last_seq(at)
            rows = self._ask.read_outline_rows(at, run, page.after, limit + 1)
            return page.of_run(self._with_losses(at, run), seq, rows)

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
        trace = None if trace_id is None else clean(trace_id)
        with self._read() as at:
            return self._ask.read_turns(at, clean(run_id), trace, cursor=cursor, limit=limit)

    def previews(self, run_id: str, span_ids: Sequence[str], *, trace_id: str | None = None) -> tuple[Preview, ...]:
        """Returns the beginnings of what some calls of a run were given and of what they gave, in no order.

        Args:
            run_id: The run.
            span_ids: The calls; those that are not of the run are left out.
            trace_id: One trace of it alone.
        """
        trace = None if trace_id is None else clean(trace_id)
        with self._read() as at:
            return self._ask.read_previews(at, clean(run_id), trace, [clean(each) for each in span_ids])

    def session(self, session_id: str) -> Session | None:
        """Returns one session's sums."""
        with self._read() as at:
            return self._ask.read_session(at, clean(session_id))

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
        with self._read() as at:
            return self._ask.read_sessions(at, Window(sort, order, cursor, limit), since_ns=since_ns, until_ns=until_ns)

    def stats(self, where: Filter, *, of: StatsOf = "events", by: GroupBy | None = None, buckets: int = 0) -> Stats:
        """Returns figures over the newest events of the filter, up to the scan limit, or over its traces or runs.

        Traces are narrowed as by `traces`, runs as by `runs`; the kind of a run is that of its first trace.
        ``buckets`` above 0 asks for that many equal slices of the filter's time range, or of what there is.
        """
        with self._read() as at:
            return _noticed(where.q, self._ask.read_stats(at, where, self._limits, of=of, by=by, buckets=buckets))

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
        with self._read() as at:
            return self._ask.read_labels(
                at, run_id=run_id, trace_id=trace_id, span_id=span_id, cursor=cursor, limit=limit
            )

    def is_clock_doubted(self) -> bool:
        """Tells whether the clock was doubted when it was last looked at."""
        with self._read() as at:
            return self._ask.is_clock_doubted(at)

    def last_arrival_ns(self) -> int | None:
        """Returns the hour in which something last arrived or age was last looked at; None if that is not known."""
        with self._read() as at:
            return self._ask.last_arrival_ns(at)

    def used_bytes(self) -> int:
        """Returns how much of the database is not free for new spans, at no cost: `health` counts."""
        with self._read() as at:
            return self._ask.used_bytes(at)

    def kept(self) -> Kept:
        """Returns how much is kept, and what retention removes next."""
        with self._read() as at:
            return self._ask.read_kept(at)

    def arrivals(self, after: int = 0, *, limit: int = 1000) -> tuple[Arrival, ...]:
        """Returns the traces that changed after a number, in the order of their last change."""
        with self._read() as at:
            return self._ask.read_arrivals(at, after, limit)

    def stored(
        self, trace_ids: Sequence[str], *, after: int = 0, limit: int = 5000, most_bytes: int = 16 << 20
    ) -> tuple[Stored, ...]:
        """Returns spans of traces with everything that was recorded, in the order they first came, to be copied.

        What a store makes of spans, such as sums and duplicates, is not among it. Fewer than ``limit`` can mean that
        they are large; only nothing means that there is no more.

        Args:
            trace_ids: The traces.
            after: The last of those that are known.
            limit: How many are wanted.
            most_bytes: How large they may be together; the first is returned in any case.
        """
        with self._read() as at:
            return self._ask.read_stored(at, trace_ids, after, limit, most_bytes)

    def _with_losses(self, at: At, whole: W) -> W:
        losses = self._ask.losses_near(at, whole)
        return whole if losses is None else replace(whole, losses=losses)


def _noticed(q: str | None, answer: A) -> A:
    """Returns an answer with what of the searched text was not understood."""
    notice = notice_of(q)
    return answer if notice is None else replace(answer, notice=notice)
