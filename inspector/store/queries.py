"""The queries that each engine implements in its own SQL; `inspector.store.reads` combines them."""

# ruff: noqa: D102 - `inspector.store.reads` documents each query

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from inspector.model import (
    Event,
    Filter,
    GroupBy,
    Hits,
    Label,
    Loss,
    Losses,
    Page,
    Preview,
    Run,
    RunSort,
    Session,
    SessionSort,
    Sort,
    Stats,
    StatsOf,
    Trace,
    TraceSort,
    Turn,
)
from inspector.store.limits import ReadLimits
from inspector.store.model import Arrival, KeptLog, Retained, StoredSpan
from inspector.store.values.cursor import Window
from inspector.store.values.places import Within

At: TypeAlias = Any
"""What an engine reads from, such as a connection; only the engine knows its type."""


class Queries(Protocol):
    """The functions in an engine's module ``queries``; their texts have no lone surrogates.

    `inspector.store.reads.Reads` documents each of them.
    """

    def read_logs(self, at: At, /, after: tuple[str, str, str], limit: int) -> tuple[KeptLog, ...]: ...
    def read_losses(self, at: At, /, run: str | None, limit: int) -> tuple[Loss, ...]: ...
    def losses_near(self, at: At, /, summary: Trace | Run) -> Losses | None: ...
    def read_events(
        self, at: At, /, where: Filter, window: Window[Sort], limits: ReadLimits, *, full: bool, raw: bool
    ) -> Page[Event]: ...
    def read_event(
        self, at: At, /, span_id: str, trace_id: str | None, limits: ReadLimits, *, raw: bool
    ) -> Event | None: ...
    def read_after(
        self, at: At, /, seq: int, where: Filter, limits: ReadLimits, *, limit: int, full: bool
    ) -> tuple[Event, ...]: ...
    def last_seq(self, at: At, /) -> int: ...
    def indexed_seq(self, at: At, /) -> int: ...
    def read_trace(self, at: At, /, trace_id: str) -> Trace | None: ...
    def read_traces_like(self, at: At, /, prefix: str, limit: int) -> tuple[Trace, ...]: ...
    def read_traces(
        self, at: At, /, where: Filter, window: Window[TraceSort], limits: ReadLimits, *, timeline: bool
    ) -> Page[Trace]: ...
    def read_run(self, at: At, /, run_id: str) -> Run | None: ...
    def read_runs_like(self, at: At, /, part: str, limit: int, *, ends: bool) -> tuple[Run, ...]: ...
    def read_runs(
        self, at: At, /, where: Filter, window: Window[RunSort], limits: ReadLimits, *, timeline: bool
    ) -> Page[Run]: ...
    def read_outline_rows(
        self, at: At, /, summary: Trace | Run, after: tuple[int, int], limit: int
    ) -> Sequence[Sequence[Any]]: ...
    def read_hits(
        self, at: At, /, q: str, place: Within, limits: ReadLimits, *, limit: int, attributes: bool
    ) -> Hits | None: ...
    def read_turns(
        self, at: At, /, run_id: str, trace_id: str | None, *, cursor: str | None, limit: int
    ) -> Page[Turn]: ...
    def read_previews(
        self, at: At, /, run_id: str | None, trace_ids: Sequence[str], span_ids: Sequence[str]
    ) -> tuple[Preview, ...]: ...
    def read_session(self, at: At, /, session_id: str) -> Session | None: ...
    def read_sessions(
        self, at: At, /, window: Window[SessionSort], *, since_ns: int | None, until_ns: int | None
    ) -> Page[Session]: ...
    def read_stats(
        self, at: At, /, where: Filter, limits: ReadLimits, *, of: StatsOf, by: GroupBy | None, buckets: int
    ) -> Stats: ...
    def count_replays(self, at: At, /, since_ns: int | None, until_ns: int | None) -> int: ...
    def read_labels(
        self,
        at: At,
        /,
        *,
        run_id: str | None,
        trace_id: str | None,
        span_id: str | None,
        cursor: str | None,
        limit: int,
    ) -> Page[Label]: ...
    def is_clock_doubted(self, at: At, /) -> bool: ...
    def last_arrival_ns(self, at: At, /) -> int | None: ...
    def used_bytes(self, at: At, /) -> int: ...
    def read_retained(self, at: At, /) -> Retained: ...
    def read_arrivals(self, at: At, /, after: int, limit: int) -> tuple[Arrival, ...]: ...
    def read_stored(
        self, at: At, /, trace_ids: Sequence[str], after: int, limit: int, most_bytes: int
    ) -> tuple[StoredSpan, ...]: ...
