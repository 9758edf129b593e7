"""What a store on ClickHouse is asked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn, TypeVar

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
)
from inspector.store.clickhouse import events, labels, outlines, removal, state, stats, wholes
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.listing import Window
from inspector.store.clickhouse.numbers import read_number
from inspector.store.errors import StoreError
from inspector.store.limits import ReadLimits
from inspector.store.nouns import Health, Kept
from inspector.store.values.rows import clean
from inspector.store.values.terms import notice_of

W = TypeVar("W", Trace, Run)
A = TypeVar("A", Page[Event], Page[Trace], Page[Run], Stats, Hits)


class ClickHouseReads:
    """The part of a store that reads.

    Args:
        database: The database.
        limits: How much one question may read.
    """

    def __init__(self, database: Database, limits: ReadLimits) -> None:
        self._database = database
        self._limits = limits

    def losses(self, *, run: str | None = None, limit: int = 1000) -> tuple[Loss, ...]:
        """See `Store.losses`."""
        return state.read_losses(self._database, run, limit)

    def events(  # the interface's
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
        """See `Store.events`."""
        full_bytes = self._limits.full_bytes if full else None
        window = Window(sort, order, cursor, limit)
        return _noticed(where, events.read_events(self._database, where, window, full_bytes=full_bytes, raw=raw))

    def event(self, span_id: str, *, trace_id: str | None = None, raw: bool = False) -> Event | None:
        """See `Store.event`."""
        return events.read_event(self._database, span_id, trace_id, raw=raw)

    def after(
        self, seq: int, where: Filter, *, limit: int = 500, full: bool = False, most_bytes: int | None = None
    ) -> tuple[Event, ...]:
        """See `Store.after`."""
        full_bytes = self._limits.full_bytes if most_bytes is None else min(most_bytes, self._limits.full_bytes)
        return events.read_after(self._database, seq, where, limit=limit, full_bytes=full_bytes if full else None)

    def last_seq(self) -> int:
        """See `Store.last_seq`."""
        return state.last_seq(self._database)

    def indexed_seq(self) -> int:
        """See `Store.indexed_seq`; words are found as soon as their span is."""
        return self.last_seq()

    def trace(self, trace_id: str) -> Trace | None:
        """See `Store.trace`."""
        trace = wholes.read_trace(self._database, trace_id)
        return None if trace is None else self._with_losses(trace)

    def traces_like(self, prefix: str, *, limit: int) -> tuple[Trace, ...]:
        """See `Store.traces_like`."""
        return wholes.read_traces_like(self._database, prefix, limit)

    def outline(self, trace_id: str, *, cursor: str | None = None, limit: int = 20_000) -> TraceOutline | None:
        """See `Store.outline`."""
        outline = outlines.read_outline(self._database, trace_id, cursor=cursor, limit=limit)
        return None if outline is None else replace(outline, trace=self._with_losses(outline.trace))

    def hits(
        self, q: str, *, trace_id: str = "", run_id: str = "", limit: int = 100, attributes: bool = True
    ) -> Hits | None:
        """See `Store.hits`."""
        hits = outlines.read_hits(self._database, q, trace_id, run_id, limit=limit, attributes=attributes)
        return None if hits is None else _noticed(Filter(q=q), hits)

    def traces(  # the interface's
        self,
        where: Filter,
        *,
        sort: TraceSort = "time",
        order: Order = "desc",
        cursor: str | None = None,
        limit: int = 50,
        timeline: bool = False,
    ) -> Page[Trace]:
        """See `Store.traces`."""
        return _noticed(
            where, wholes.read_traces(self._database, where, Window(sort, order, cursor, limit), timeline=timeline)
        )

    def run(self, run_id: str) -> Run | None:
        """See `Store.run`."""
        run = wholes.read_run(self._database, run_id)
        return None if run is None else self._with_losses(run)

    def runs_like(self, part: str, *, ends: bool, limit: int) -> tuple[Run, ...]:
        """See `Store.runs_like`."""
        return wholes.read_runs_like(self._database, part, limit, ends=ends)

    def runs(  # the interface's
        self,
        where: Filter,
        *,
        sort: RunSort = "time",
        order: Order = "desc",
        cursor: str | None = None,
        limit: int = 50,
        timeline: bool = False,
    ) -> Page[Run]:
        """See `Store.runs`."""
        return _noticed(
            where, wholes.read_runs(self._database, where, Window(sort, order, cursor, limit), timeline=timeline)
        )

    def run_outline(self, run_id: str, *, cursor: str | None = None, limit: int = 20_000) -> RunOutline | None:
        """See `Store.run_outline`."""
        outline = outlines.read_run_outline(self._database, run_id, cursor=cursor, limit=limit)
        return None if outline is None else replace(outline, run=self._with_losses(outline.run))

    def turns(
        self, run_id: str, *, trace_id: str | None = None, cursor: str | None = None, limit: int = 200
    ) -> NoReturn:
        """See `Store.turns`."""
        del run_id, trace_id, cursor, limit
        raise StoreError("the turns of a run are not answered from ClickHouse yet; its tree and events are")

    def previews(self, run_id: str, span_ids: Sequence[str], *, trace_id: str | None = None) -> tuple[Preview, ...]:
        """See `Store.previews`."""
        return outlines.read_previews(self._database, run_id, trace_id, span_ids)

    def session(self, session_id: str) -> Session | None:
        """See `Store.session`."""
        return wholes.read_session(self._database, session_id)

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
        """See `Store.sessions`."""
        return wholes.read_sessions(self._database, (since_ns, until_ns), Window(sort, order, cursor, limit))

    def stats(self, where: Filter, *, of: StatsOf = "events", by: GroupBy | None = None, buckets: int = 0) -> Stats:
        """See `Store.stats`."""
        return _noticed(where, stats.read_stats(self._database, where, of=of, by=by, buckets=buckets))

    def labels(
        self,
        *,
        run_id: str | None = None,
        trace_id: str | None = None,
        span_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Label]:
        """See `Store.labels`."""
        return labels.read_labels(self._database, run_id, (trace_id, span_id), cursor, limit)

    def is_clock_doubted(self) -> bool:
        """See `Store.is_clock_doubted`."""
        return bool(read_number(self._database, state.DOUBTED))

    def last_arrival_ns(self) -> int | None:
        """See `Store.last_arrival_ns`."""
        last = max(read_number(self._database, name) for name in ("arrived", "looked"))
        return last // state.HOUR_NS * state.HOUR_NS if last else None

    def used_bytes(self) -> int:
        """See `Store.used_bytes`."""
        return removal.used_bytes(self._database)

    def health(self) -> Health:
        """See `Store.health`."""
        return state.read_health(self._database)

    def kept(self) -> Kept:
        """See `Store.kept`."""
        return state.read_kept(self._database)

    def _has_run(self, run_id: str) -> bool:
        values = Values()
        sql = f"SELECT 1 FROM traces FINAL WHERE run_id = {values.text(clean(run_id))} LIMIT 1"
        return self._database.row(sql, values) is not None

    def _with_losses(self, whole: W) -> W:
        losses = state.losses_near(self._database, whole)
        return whole if losses is None else replace(whole, losses=losses)


def _noticed(where: Filter, answer: A) -> A:
    """Returns an answer with what of the searched text was not understood."""
    notice = notice_of(where.q)
    return answer if notice is None else replace(answer, notice=notice)
