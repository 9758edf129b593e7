"""Finds the traces, and so the runs, with a span that matches a filter.

Traces are scanned in the order of the list, and the spans of each are tested. If an index finds the spans and there are
few, their traces are listed and sorted instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from sqlalchemy import Column, ColumnElement, Connection, Select, exists, literal_column, or_, select
from sqlalchemy.sql.visitors import replacement_traverse

from inspector.model import Filter, Kind, filter_fields_of
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.lists.filters import Conditions, named, span_conditions
from inspector.store.sqlite.search.fulltext import Matches, find
from inspector.store.sqlite.sql.listing import SLOW_ROWS, Pace, Ranking, Test, first, page_rows, passing_ids
from inspector.store.sqlite.sql.parameters import is_among
from inspector.store.sqlite.tables import spans, traces
from inspector.store.values.cursor import Position

_COUNTED: dict[Kind, Column[Any]] = {"llm": traces.c.llm_calls, "tool": traces.c.tool_calls}
"""Kinds whose spans are counted in the row of a trace."""
_OF_SPANS = frozenset(("trace_id", "since_ns", *filter_fields_of("span"))) - {"q"}
"""Filters on spans; ``since_ns`` too, because no span begins before its trace. Text is searched separately."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The only traces that may have such a span."""

    condition: ColumnElement[bool]
    certain: bool
    """Whether all of them do."""


@dataclass(frozen=True, slots=True)
class Membership:
    """A condition on a trace: one of its spans meets all of this."""

    where: Filter
    """The filter, without its text."""
    matches: Matches | None
    """The matches of its text."""

    def candidates(self, connection: Connection, most_spans: int) -> Candidates | None:
        """Return the traces of the spans that an index finds; None if there is no such index, or too many spans."""
        if self.matches is None and self.where == _of_kinds(self.where):
            counts = [_COUNTED[kind] > 0 for kind in self.where.kinds if kind in _COUNTED]
            if len(counts) == len(self.where.kinds):
                return Candidates(or_(*counts), certain=True)
        conditions = self._conditions()
        if not conditions.indexed:
            return None
        query = select(spans.c.trace_id).where(*conditions.indexed).limit(most_spans + 1)
        row_ids = connection.execute(query).scalars().all()
        if len(row_ids) > most_spans:
            return None
        many = self.matches is not None and self.matches.few is None
        condition = is_among("traces.id", sorted(set(row_ids)))
        return Candidates(condition, certain=not conditions.tested and not many)

    def test(self, connection: Connection, row_ids: Sequence[int]) -> set[int]:
        """Return which rows of ``traces`` have such a span, or one with all words of its text (`slow`)."""
        return self._having(connection, row_ids, None)

    @property
    def slow(self) -> Test | None:
        """The test that those must pass too, if texts must be read for a phrase."""
        slow = None if self.matches is None else self.matches.slow
        return None if slow is None else lambda connection, row_ids: self._having(connection, row_ids, slow)

    def _having(self, connection: Connection, row_ids: Sequence[int], slow: Test | None) -> set[int]:
        among = is_among("traces.id", row_ids)
        wanted = [_unindexed(condition) for condition in span_conditions(self.where).all]
        if self.matches is None:
            has_span = exists(spans.c.id).where(spans.c.trace_id == traces.c.id, *wanted)
            return set(connection.execute(select(traces.c.id).where(among, has_span)).scalars())
        joined = traces.join(spans, spans.c.trace_id == traces.c.id)
        query = select(spans.c.id, traces.c.id).select_from(joined).where(among, *wanted)
        trace_of = {row[0]: row[1] for row in connection.execute(query)}
        matching = self.matches.among(connection, list(trace_of)) if trace_of else set[int]()
        left = sorted(matching & trace_of.keys())
        if slow is None:
            return {trace_of[span] for span in left}
        having: set[int] = set()
        while left:
            having.update(trace_of[span] for span in slow(connection, left[:SLOW_ROWS]))
            # One span is enough.
            left = [span for span in left[SLOW_ROWS:] if trace_of[span] not in having]
        return having

    def _conditions(self) -> Conditions:
        if self.matches is not None and self.matches.few is not None:
            return Conditions([self.matches.any_of(), *map(_unindexed, span_conditions(self.where).all)], [])
        narrow = span_conditions(replace(self.where, kinds=(), since_ns=None, duplicates=True))
        if not narrow.indexed:
            return span_conditions(self.where) if self.where.kinds else Conditions([], narrow.tested)
        # Without an index on kinds, since any other index finds far fewer rows.
        rest = span_conditions(_of_kinds(self.where)).indexed
        return Conditions([*narrow.indexed, *map(_unindexed, rest)], narrow.tested)


class Condition(Protocol):
    """A condition on what a trace or a run contains."""

    def candidates(self, connection: Connection, most_spans: int) -> Candidates | None:
        """Return the only rows that may meet it; None if no index finds them, or there are too many."""
        ...

    def test(self, connection: Connection, row_ids: Sequence[int]) -> set[int]:
        """Return which rows meet it, or may if there is a slow test."""
        ...

    @property
    def slow(self) -> Test | None:
        """The test that those must pass too, if any."""
        ...


def meeting(
    connection: Connection,
    query: Select[*tuple[Any, ...]],
    ranking: Ranking,
    limit: int,
    condition: Condition | None,
    limits: ReadLimits,
) -> tuple[list[Position], Position | None]:
    """Return the positions of a page of rows that meet a condition, if there is one, and where the next page begins."""
    if condition is None:
        return first(page_rows(connection, query, ranking, limit + 1), limit)
    tests, slow = [condition.test], condition.slow
    if slow is None:
        # Most filters match many of the first rows, and testing these is faster than using an index.
        positions, more = passing_ids(connection, query, ranking, limit, tests, Pace(limits.trace_steps, 0))
        if more is None or len(positions) == limit:
            return positions, more
    candidates = condition.candidates(connection, limits.listed_spans)
    if candidates is not None:
        query = query.where(candidates.condition)
        if candidates.certain:
            return first(page_rows(connection, query, ranking, limit + 1), limit)
    return passing_ids(connection, query, ranking, limit, tests, Pace(limits.trace_steps, limits.walk_s), slow)


def _of_kinds(where: Filter) -> Filter:
    return Filter(kinds=where.kinds, since_ns=where.since_ns, duplicates=where.duplicates)


def membership_of(connection: Connection, where: Filter, limits: ReadLimits) -> Membership | Literal[False] | None:
    """Return a filter's condition on the spans of a trace; None if it has none, False if no span can meet it."""
    where = named(connection, where)
    of_spans = where.only(_OF_SPANS)
    if where.q is not None and where.q.strip():
        matches = find(connection, where.q, limits)
        return False if matches is None else Membership(of_spans, matches)
    has_any = any(row.of == "span" and row.field != "duplicates" for row in of_spans.rows())
    return Membership(of_spans, None) if has_any else None


def _unindexed(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Keep the planner from using an index for a condition."""
    return replacement_traverse(condition, {}, _masked)


def _masked(element: Any, **_: Any) -> ColumnElement[Any] | None:
    if not isinstance(element, Column) or element.table is not spans:
        return None
    known = spans.c[element.name]
    return literal_column(f"+spans.{known.name}", known.type)
