"""Queries for runs, each in one read transaction."""

from collections.abc import Sequence
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, and_, exists, func, or_, select

from inspector.model import Filter, Page, Run, RunSort, filter_fields_of
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.lists.filters import begins_with, run_conditions, trace_conditions
from inspector.store.sqlite.lists.labels import score_of_run, with_labels
from inspector.store.sqlite.lists.membership import Candidates, Membership, meeting, membership_of
from inspector.store.sqlite.lists.replays import with_replays
from inspector.store.sqlite.lists.timeline import with_run_timelines
from inspector.store.sqlite.lists.turn_lists import inferring, may_infer
from inspector.store.sqlite.rows.summaries import RUN, run_of
from inspector.store.sqlite.sql.listing import Ranking, Test, rows_by_id
from inspector.store.sqlite.sql.parameters import is_among
from inspector.store.sqlite.tables import runs, traces
from inspector.store.values.cursor import Window, read_cursor, write_cursor
from inspector.store.values.inferred_tools import InferredTools

_SORTED: dict[RunSort, ColumnElement[Any]] = {
    "time": runs.c.start_ns,
    "duration": runs.c.duration_ms,
    "cost": runs.c.cost_usd,
    "spans": runs.c.spans,
    "tokens": runs.c.input_tokens + runs.c.output_tokens,
}


def read_run(connection: Connection, run_id: str) -> Run | None:
    """Return a run with its totals."""
    row = connection.execute(select(*RUN).where(runs.c.run_id == run_id)).first()
    return None if row is None else _marked(connection, (run_of(row),))[0]


def read_runs_like(connection: Connection, part: str, limit: int, *, ends: bool) -> tuple[Run, ...]:
    """Return runs whose id begins or (``ends``) ends with ``part``, the latest first."""
    run_id = runs.c.run_id
    places = [and_(*begins_with(run_id, part)), func.substr(run_id, -len(part)) == part][: 1 + ends]
    # Both use the index of ids; for the ends, all of it is read.
    among = [
        row_id
        for place in places
        for row_id in connection.execute(select(runs.c.id).where(place).limit(limit)).scalars()
    ]
    query = select(*RUN).where(runs.c.id.in_(among)).order_by(runs.c.start_ns.desc()).limit(limit)
    return _marked(connection, tuple(map(run_of, connection.execute(query))))


def read_runs(
    connection: Connection, where: Filter, window: Window[RunSort], limits: ReadLimits, *, timeline: bool
) -> Page[Run]:
    """Return one page of runs.

    If no index helps, a page may have fewer items than requested, even none, and still a next page.
    """
    list_key = ("runs", where, window.sort, window.order)
    value, conditions = _SORTED.get(window.sort), run_conditions(where)
    if value is None:
        value, has_one = score_of_run(where.labels)
        conditions.append(has_one)
    ranking = Ranking(value, runs.c.id, window.order, read_cursor(list_key, window.cursor))
    condition = trace_membership_of(connection, where, limits)
    if condition is False:
        return Page(())
    query = select(value, runs.c.id).where(*conditions)
    positions, more = meeting(connection, query, ranking, window.limit, condition, limits)
    rows = rows_by_id(connection, runs, [row_id for _, row_id in positions], RUN)
    items = _marked(connection, tuple(map(run_of, rows)))
    following = None if more is None else write_cursor(list_key, more)
    return Page(with_run_timelines(connection, items) if timeline else items, following)


class TraceMembership:
    """A condition on one of a run's traces.

    Args:
        conditions: The conditions on its row.
        membership: The condition on one of its spans, if any.
        inferred: The condition on an inferred tool call, which may take the place of a span.
    """

    def __init__(
        self,
        conditions: Sequence[ColumnElement[bool]],
        membership: Membership | None,
        inferred: InferredTools | None,
    ) -> None:
        self._conditions = conditions
        self._membership = membership
        self._inferred = inferred

    def candidates(self, connection: Connection, most_spans: int) -> Candidates | None:
        """Return the runs that may have such a trace; None if no index finds them, or there are too many."""
        conditions = [*self._conditions]
        certain = True
        if self._membership is not None:
            of_traces = self._membership.candidates(connection, most_spans)
            if of_traces is None:
                return None
            conditions.append(of_traces.condition)
            certain = of_traces.certain
        condition = runs.c.run_id.in_(select(traces.c.run_id).where(*conditions))
        if self._inferred is not None:
            return Candidates(or_(condition, may_infer()), certain=False)
        return Candidates(condition, certain)

    def test(self, connection: Connection, row_ids: Sequence[int]) -> set[int]:
        """Return which rows of ``runs`` have such a trace, or may if there is a slow test."""
        return self._having(connection, row_ids, None if self._membership is None else self._membership.test)

    @property
    def slow(self) -> Test | None:
        """The test that those must pass too, if texts must be read for a phrase."""
        slow = None if self._membership is None else self._membership.slow
        return None if slow is None else lambda connection, row_ids: self._having(connection, row_ids, slow)

    def _having(self, connection: Connection, row_ids: Sequence[int], has_span: Test | None) -> set[int]:
        among = is_among("runs.id", row_ids)
        of_run = traces.c.run_id == runs.c.run_id
        if has_span is None:
            has_trace = exists(traces.c.id).where(of_run, *self._conditions)
            return set(connection.execute(select(runs.c.id).where(among, has_trace)).scalars())
        joined = runs.join(traces, of_run)
        query = select(traces.c.id, runs.c.id).select_from(joined).where(among, *self._conditions)
        run_of_trace = {row[0]: row[1] for row in connection.execute(query)}
        passing = {run_of_trace[row_id] for row_id in has_span(connection, list(run_of_trace))}
        return passing | self._inferring(connection, [row_id for row_id in row_ids if row_id not in passing])

    def _inferring(self, connection: Connection, row_ids: Sequence[int]) -> set[int]:
        """Return which rows of ``runs`` have such an inferred tool call."""
        if self._inferred is None or not row_ids:
            return set()
        query = select(runs.c.id, runs.c.run_id).where(is_among("runs.id", row_ids))
        ids = {row[1]: row[0] for row in connection.execute(query)}
        return {ids[run_id] for run_id in inferring(connection, self._inferred, list(ids))}


def trace_membership_of(
    connection: Connection, where: Filter, limits: ReadLimits
) -> TraceMembership | Literal[False] | None:
    """Return a filter's condition on one of a run's traces; None if it has none, False if no trace can meet it."""
    membership = membership_of(connection, where, limits)
    if membership is False:
        return False
    conditions = trace_conditions(connection, where.only(filter_fields_of("trace")))
    inferred = InferredTools.of(where)
    return TraceMembership(conditions, membership, inferred) if conditions or membership is not None else None


def _marked(connection: Connection, items: Sequence[Run]) -> tuple[Run, ...]:
    return with_replays(connection, with_labels(connection, items))
