"""The queries of a store: each reads one snapshot, with the SQL of its engine."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

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
from inspector.store.model import Arrival, KeptLog, Retained, StoredSpan
from inspector.store.queries import At, Queries
from inspector.store.values.cursor import Window
from inspector.store.values.outlines import OutlinePage
from inspector.store.values.places import Within
from inspector.store.values.rows import clean
from inspector.store.values.terms import notice_of

W = TypeVar("W", Trace, Run)
A = TypeVar("A", Page[Event], Page[Trace], Page[Run], Stats, Hits)


class Reads(ABC):
    """The reading half of a store."""

    _queries: ClassVar[Queries]
    """The queries of the engine."""
    _limits: ReadLimits
    """How much one query may read."""

    @abstractmethod
    def _read(self) -> AbstractContextManager[At]:
        """Hold a snapshot that the engine reads from."""

    def losses(self, *, run: str | None = None, limit: int = 1000) -> tuple[Loss, ...]:
        """Return the losses of one ``inspector run`` or of all, the latest first."""
        with self._read() as at:
            return self._queries.read_losses(at, run, limit)

    def events(
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
        """Return one page of events; when sorted by duration or cost, those without one come last.

        With ``full``, a page of large events ends early. Attributes that a replay returns are included only with
        ``raw``.

        Raises:
            CursorInvalid: The cursor belongs to another list.
            QueryTooSlow: The filter needs more time than a read may take.
        """
        window = Window(sort, order, cursor, limit)
        with self._read() as at:
            return _noticed(where.q, self._queries.read_events(at, where, window, self._limits, full=full, raw=raw))

    def event(self, span_id: str, *, trace_id: str | None = None, raw: bool = False) -> Event | None:
        """Return one event in full, the newest if several traces have the span id; for ``raw`` see `events`."""
        with self._read() as at:
            return self._queries.read_event(at, clean(span_id), trace_id, self._limits, raw=raw)

    def after(
        self, seq: int, where: Filter, *, limit: int = 500, full: bool = False, most_bytes: int | None = None
    ) -> tuple[Event, ...]:
        """Return the events that changed after ``seq``, in the order of change.

        With ``full``, their size is at most ``most_bytes`` (by default that of a page of full events), but there is at
        least one. So fewer than ``limit`` may be returned although there are more; only an empty result is the end.
        """
        limits = self._limits
        if most_bytes is not None:
            limits = replace(limits, full_bytes=min(most_bytes, limits.full_bytes))
        with self._read() as at:
            return self._queries.read_after(at, seq, where, limits, limit=limit, full=full)

    def last_seq(self) -> int:
        """Return the ``seq`` of the last change; 0 in an empty store."""
        with self._read() as at:
            return self._queries.last_seq(at)

    def indexed_seq(self) -> int:
        """Return the ``seq`` of the last change in the full-text index."""
        with self._read() as at:
            return self._queries.indexed_seq(at)

    def trace(self, trace_id: str) -> Trace | None:
        """Return a trace with its totals, and the losses of its processes in its time."""
        with self._read() as at:
            trace = self._queries.read_trace(at, clean(trace_id))
            return None if trace is None else self._with_losses(at, trace)

    def traces_like(self, prefix: str, *, limit: int) -> tuple[Trace, ...]:
        """Return traces whose id begins with ``prefix``, the latest first; if there are too many, any of them."""
        with self._read() as at:
            return self._queries.read_traces_like(at, clean(prefix), limit)

    def outline(self, trace_id: str, *, cursor: str | None = None, limit: int = 20_000) -> TraceOutline | None:
        """Return one page of a trace's structure in columns.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        page = OutlinePage(("outline", clean(trace_id)), cursor, limit)
        with self._read() as at:
            trace = self._queries.read_trace(at, clean(trace_id))
            return None if trace is None else page.of_trace(*self._outlined(at, trace, page))

    def hits(
        self, q: str, *, trace_id: str = "", run_id: str = "", limit: int = 100, attributes: bool = True
    ) -> Hits | None:
        """Return the spans of a trace or a run that contain words, and where; None if there is no such trace or run.

        A span whose prompt only repeats an earlier text is not a hit.

        Args:
            q: The query, as in a `Filter`.
            trace_id: The trace, unless a run is given.
            run_id: The run.
            limit: How many hits are returned with their places.
            attributes: Whether to search attributes and tracebacks outside the full-text index too, and running spans.
        """
        place = Within("run_id", clean(run_id)) if run_id else Within("trace_id", clean(trace_id))
        with self._read() as at:
            hits = self._queries.read_hits(at, q, place, self._limits, limit=limit, attributes=attributes)
            return None if hits is None else _noticed(q, hits)

    def traces(
        self,
        where: Filter,
        *,
        sort: TraceSort = "time",
        order: Order = "desc",
        cursor: str | None = None,
        limit: int = 50,
        timeline: bool = False,
    ) -> Page[Trace]:
        """Return one page of traces; when sorted by duration, those without one come last.

        Filters on kind, parent, model, tool, error type, attributes and ``q`` have to match one span of the trace, all
        others the trace as a whole.

        Raises:
            CursorInvalid: The cursor belongs to another list.
            QueryTooSlow: The filter needs more time than a read may take.
        """
        window = Window(sort, order, cursor, limit)
        with self._read() as at:
            return _noticed(where.q, self._queries.read_traces(at, where, window, self._limits, timeline=timeline))

    def run(self, run_id: str) -> Run | None:
        """Return a run with its totals, and the losses of its processes in its time."""
        with self._read() as at:
            run = self._queries.read_run(at, clean(run_id))
            return None if run is None else self._with_losses(at, run)

    def runs_like(self, part: str, *, ends: bool, limit: int) -> tuple[Run, ...]:
        """Return runs whose id begins or (``ends``) ends with ``part``, latest first; if there are too many, any."""
        with self._read() as at:
            return self._queries.read_runs_like(at, clean(part), limit, ends=ends)

    def runs(
        self,
        where: Filter,
        *,
        sort: RunSort = "time",
        order: Order = "desc",
        cursor: str | None = None,
        limit: int = 50,
        timeline: bool = False,
    ) -> Page[Run]:
        """Return one page of runs; when sorted by duration, those without one come last.

        Filters on times, status, name, service, duration and cost have to match the run as a whole, those on agent and
        session one of its traces, all others one span.

        Raises:
            CursorInvalid: The cursor belongs to another list.
            QueryTooSlow: The filter needs more time than a read may take.
        """
        window = Window(sort, order, cursor, limit)
        with self._read() as at:
            return _noticed(where.q, self._queries.read_runs(at, where, window, self._limits, timeline=timeline))

    def run_outline(self, run_id: str, *, cursor: str | None = None, limit: int = 20_000) -> RunOutline | None:
        """Return one page of the structure of all traces of a run in columns.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        page = OutlinePage(("run outline", clean(run_id)), cursor, limit)
        with self._read() as at:
            run = self._queries.read_run(at, clean(run_id))
            return None if run is None else page.of_run(*self._outlined(at, run, page))

    def turns(
        self, run_id: str, *, trace_id: str | None = None, cursor: str | None = None, limit: int = 200
    ) -> Page[Turn]:
        """Return one page of the model calls of a run or a trace as turns of conversations, in the order they began.

        Only calls whose messages are recorded are turns.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        trace = None if trace_id is None else clean(trace_id)
        with self._read() as at:
            return self._queries.read_turns(at, clean(run_id), trace, cursor=cursor, limit=limit)

    def previews(
        self, run_id: str | None, span_ids: Sequence[str], *, trace_ids: Sequence[str] = ()
    ) -> tuple[Preview, ...]:
        """Return the beginnings of the inputs and outputs of some calls, in no particular order.

        Args:
            run_id: The run; None for any, and then ``trace_ids`` says where the calls are.
            span_ids: The calls; those of other runs and traces are ignored.
            trace_ids: Only calls of these traces; by default of all traces of the run.
        """
        run = None if run_id is None else clean(run_id)
        traces, spans = ([clean(each) for each in ids] for ids in (trace_ids, span_ids))
        with self._read() as at:
            return self._queries.read_previews(at, run, traces, spans)

    def session(self, session_id: str) -> Session | None:
        """Return a session with its totals."""
        with self._read() as at:
            return self._queries.read_session(at, clean(session_id))

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
        """Return one page of sessions, by default the latest activity first; running ones have no duration."""
        with self._read() as at:
            return self._queries.read_sessions(
                at, Window(sort, order, cursor, limit), since_ns=since_ns, until_ns=until_ns
            )

    def stats(self, where: Filter, *, of: StatsOf = "events", by: GroupBy | None = None, buckets: int = 0) -> Stats:
        """Return statistics over the newest events that match, up to the scan limit, or over traces or runs.

        Filters mean what they mean for `traces` and `runs`; the kind of a run is that of its first trace. ``buckets``
        is the number of equal slices of the filter's time range, or else of the time that has data.
        """
        with self._read() as at:
            answer = self._queries.read_stats(at, where, self._limits, of=of, by=by, buckets=buckets)
            if not where.replays:
                left_out = self._queries.count_replays(at, where.since_ns, where.until_ns)
                answer = replace(answer, replays_left_out=left_out)
            return _noticed(where.q, answer)

    def labels(
        self,
        *,
        run_id: str | None = None,
        trace_id: str | None = None,
        span_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Label]:
        """Return one page of labels, the latest first; those of a run include those of its spans.

        Raises:
            CursorInvalid: The cursor belongs to another list.
        """
        with self._read() as at:
            return self._queries.read_labels(
                at, run_id=run_id, trace_id=trace_id, span_id=span_id, cursor=cursor, limit=limit
            )

    def is_clock_doubted(self) -> bool:
        """Tell whether the clock looked wrong when it was last checked."""
        with self._read() as at:
            return self._queries.is_clock_doubted(at)

    def last_arrival_ns(self) -> int | None:
        """Return the hour in which a span last arrived or retention last ran; None if that is not known."""
        with self._read() as at:
            return self._queries.last_arrival_ns(at)

    def used_bytes(self) -> int:
        """Return the size of the database without its free pages; cheaper than `health`, which has to count."""
        with self._read() as at:
            return self._queries.used_bytes(at)

    def retained(self) -> Retained:
        """Return how much is kept, and what retention removes next."""
        with self._read() as at:
            return self._queries.read_retained(at)

    def arrivals(self, after: int = 0, *, limit: int = 1000) -> tuple[Arrival, ...]:
        """Return the traces that changed after a ``seq``, in the order of their last change."""
        with self._read() as at:
            return self._queries.read_arrivals(at, after, limit)

    def stored(
        self, trace_ids: Sequence[str], *, after: int = 0, limit: int = 5000, most_bytes: int = 16 << 20
    ) -> tuple[StoredSpan, ...]:
        """Return spans with everything that was recorded, in the order they first arrived, for a copy.

        What the store computes from spans, such as totals and duplicates, is left out. Fewer than ``limit`` may be
        returned although there are more, if they are large; only an empty result is the end.

        Args:
            trace_ids: Their traces.
            after: The id of the last span that was returned before.
            limit: How many to return.
            most_bytes: Their maximum size together; one span is always returned.
        """
        with self._read() as at:
            return self._queries.read_stored(at, trace_ids, after, limit, most_bytes)

    def kept_logs(self, after: tuple[str, str, str] = ("", "", ""), *, limit: int = 1000) -> tuple[KeptLog, ...]:
        """Return stored logs after one (trace id, span id, identity), joined to their spans or not, for a copy."""
        with self._read() as at:
            return self._queries.read_logs(at, after, limit)

    def _outlined(self, at: At, summary: W, page: OutlinePage) -> tuple[W, int, Sequence[Sequence[Any]]]:
        # Read first, so that a client that follows later changes misses nothing.
        seq = self._queries.last_seq(at)
        rows = self._queries.read_outline_rows(at, summary, page.after, page.limit + 1)
        return self._with_losses(at, summary), seq, rows

    def _with_losses(self, at: At, summary: W) -> W:
        losses = self._queries.losses_near(at, summary)
        return summary if losses is None else replace(summary, losses=losses)


def _noticed(q: str | None, answer: A) -> A:
    """Return an answer with a notice about parts of the query that have no meaning."""
    notice = notice_of(q)
    return answer if notice is None else replace(answer, notice=notice)
