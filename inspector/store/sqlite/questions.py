"""What a store on an SQLite file is asked: each question reads as of one moment."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, select

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
from inspector.store.nouns import Health, Kept, SpoolMark
from inspector.store.sqlite import arrivals, notes, reader, retention, run_lists
from inspector.store.sqlite.health import read_health, read_kept
from inspector.store.sqlite.hits import Place, read_hits
from inspector.store.sqlite.labels import read_labels
from inspector.store.sqlite.losses import read_losses, with_losses, with_losses_of_run
from inspector.store.sqlite.outline import read_outline, read_run_outline
from inspector.store.sqlite.previews import read_previews
from inspector.store.sqlite.stats import read_stats
from inspector.store.sqlite.tables import counters, spools
from inspector.store.sqlite.turn_lists import read_turns
from inspector.store.sqlite.whole_stats import RUNS, TRACES, read_whole_stats
from inspector.store.values.rows import clean
from inspector.store.values.terms import notice_of


class SqliteReads(ABC):
    """The part of a store that reads.

    Args:
        path: The file.
        limits: How much one question may read.
    """

    def __init__(self, path: Path, limits: ReadLimits) -> None:
        self._path = path
        self._limits = limits

    @abstractmethod
    def _read(self) -> AbstractContextManager[Connection]:
        """Hold a connection that reads."""

    def spools(self) -> Mapping[str, SpoolMark]:
        """See `Store.spools`."""
        with self._read() as connection:
            rows = connection.execute(select(spools)).all()
        return {row.name: SpoolMark(row.name, int(row.inode), *row[2:]) for row in rows}

    def losses(self, *, run: str | None = None, limit: int = 1000) -> tuple[Loss, ...]:
        """See `Store.losses`."""
        with self._read() as connection:
            return read_losses(connection, run, limit)

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
        window = reader.Window(sort, order, cursor, limit)
        with self._read() as connection:
            return _noticed(where, reader.read_events(connection, where, window, self._limits, full=full, raw=raw))

    def event(self, span_id: str, *, trace_id: str | None = None, raw: bool = False) -> Event | None:
        """See `Store.event`."""
        with self._read() as connection:
            return reader.read_event(connection, clean(span_id), trace_id, self._limits, raw=raw)

    def after(
        self, seq: int, where: Filter, *, limit: int = 500, full: bool = False, most_bytes: int | None = None
    ) -> tuple[Event, ...]:
        """See `Store.after`."""
        limits = self._limits
        if most_bytes is not None:
            limits = replace(limits, full_bytes=min(most_bytes, limits.full_bytes))
        with self._read() as connection:
            return reader.read_after(connection, seq, where, limits, limit=limit, full=full)

    def last_seq(self) -> int:
        """See `Store.last_seq`."""
        with self._read() as connection:
            return connection.execute(select(counters.c.value).where(counters.c.name == "seq")).scalar() or 0

    def indexed_seq(self) -> int:
        """See `Store.indexed_seq`."""
        with self._read() as connection:
            return connection.execute(select(counters.c.value).where(counters.c.name == "indexed")).scalar() or 0

    def trace(self, trace_id: str) -> Trace | None:
        """See `Store.trace`."""
        with self._read() as connection:
            trace = reader.read_trace(connection, clean(trace_id))
            return None if trace is None else with_losses(connection, trace)

    def traces_like(self, prefix: str, *, limit: int) -> tuple[Trace, ...]:
        """See `Store.traces_like`."""
        with self._read() as connection:
            return reader.read_traces_like(connection, clean(prefix), limit)

    def outline(self, trace_id: str, *, cursor: str | None = None, limit: int = 20_000) -> TraceOutline | None:
        """See `Store.outline`."""
        with self._read() as connection:
            outline = read_outline(connection, clean(trace_id), cursor=cursor, limit=limit)
            return None if outline is None else replace(outline, trace=with_losses(connection, outline.trace))

    def hits(
        self, q: str, *, trace_id: str = "", run_id: str = "", limit: int = 100, attributes: bool = True
    ) -> Hits | None:
        """See `Store.hits`."""
        place = Place("run_id", clean(run_id)) if run_id else Place("trace_id", clean(trace_id))
        with self._read() as connection:
            hits = read_hits(connection, q, place, self._limits, limit=limit, attributes=attributes)
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
        window = reader.Window(sort, order, cursor, limit)
        with self._read() as connection:
            return _noticed(where, reader.read_traces(connection, where, window, self._limits, timeline=timeline))

    def run(self, run_id: str) -> Run | None:
        """See `Store.run`."""
        with self._read() as connection:
            run = run_lists.read_run(connection, clean(run_id))
            return None if run is None else with_losses_of_run(connection, run)

    def runs_like(self, part: str, *, ends: bool, limit: int) -> tuple[Run, ...]:
        """See `Store.runs_like`."""
        with self._read() as connection:
            return run_lists.read_runs_like(connection, clean(part), limit, ends=ends)

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
        window = reader.Window(sort, order, cursor, limit)
        with self._read() as connection:
            return _noticed(where, run_lists.read_runs(connection, where, window, self._limits, timeline=timeline))

    def run_outline(self, run_id: str, *, cursor: str | None = None, limit: int = 20_000) -> RunOutline | None:
        """See `Store.run_outline`."""
        with self._read() as connection:
            outline = read_run_outline(connection, clean(run_id), cursor=cursor, limit=limit)
            return None if outline is None else replace(outline, run=with_losses_of_run(connection, outline.run))

    def turns(
        self, run_id: str, *, trace_id: str | None = None, cursor: str | None = None, limit: int = 200
    ) -> Page[Turn]:
        """See `Store.turns`."""
        trace = None if trace_id is None else clean(trace_id)
        with self._read() as connection:
            return read_turns(connection, clean(run_id), trace, cursor=cursor, limit=limit)

    def previews(self, run_id: str, span_ids: Sequence[str], *, trace_id: str | None = None) -> tuple[Preview, ...]:
        """See `Store.previews`."""
        trace = None if trace_id is None else clean(trace_id)
        with self._read() as connection:
            return read_previews(connection, clean(run_id), trace, [clean(each) for each in span_ids])

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
        with self._read() as connection:
            return read_labels(
                connection, run_id=run_id, trace_id=trace_id, span_id=span_id, cursor=cursor, limit=limit
            )

    def session(self, session_id: str) -> Session | None:
        """See `Store.session`."""
        with self._read() as connection:
            return reader.read_session(connection, clean(session_id))

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
        window = reader.Window(sort, order, cursor, limit)
        with self._read() as connection:
            return reader.read_sessions(connection, window, since_ns=since_ns, until_ns=until_ns)

    def stats(self, where: Filter, *, of: StatsOf = "events", by: GroupBy | None = None, buckets: int = 0) -> Stats:
        """See `Store.stats`."""
        with self._read() as connection:
            if of == "events":
                return _noticed(where, read_stats(connection, where, self._limits, by=by, buckets=buckets))
            whole = TRACES if of == "traces" else RUNS
            return _noticed(where, read_whole_stats(connection, whole, where, self._limits, by=by, buckets=buckets))

    def is_clock_doubted(self) -> bool:
        """See `Store.is_clock_doubted`."""
        with self._read() as connection:
            return notes.is_clock_doubted(connection)

    def last_arrival_ns(self) -> int | None:
        """See `Store.last_arrival_ns`."""
        with self._read() as connection:
            return arrivals.last_ns(connection)

    def used_bytes(self) -> int:
        """See `Store.used_bytes`."""
        with self._read() as connection:
            return retention.used_bytes(connection)

    def kept(self) -> Kept:
        """See `Store.kept`."""
        with self._read() as connection:
            return read_kept(connection)

    def health(self) -> Health:
        """See `Store.health`."""
        with self._read() as connection:
            return read_health(connection, self._path)


A = TypeVar("A", Page[Event], Page[Trace], Page[Run], Stats, Hits)


def _noticed(where: Filter, answer: A) -> A:
    """Returns an answer with what of the searched text was not understood."""
    notice = notice_of(where.q)
    return answer if notice is None else replace(answer, notice=notice)
