"""Statistics of traces and runs, each counted once; computed by the database in time slices, the newest first."""

import time
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, TypeAlias, cast

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Table,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal,
    select,
    text,
    union_all,
)

from inspector.model import Filter, GroupBy, Stats, StatsGroup
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.lists.filters import run_conditions, trace_conditions
from inspector.store.sqlite.lists.labels import keys_of_runs, keys_of_traces
from inspector.store.sqlite.lists.membership import Condition, membership_of
from inspector.store.sqlite.lists.run_lists import trace_membership_of
from inspector.store.sqlite.sql.counted import IS_NO_DUPLICATE, SERVED_TOOL
from inspector.store.sqlite.sql.listing import Pace, Ranking, passing_ids
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.sqlite.tables import runs, spans, traces
from inspector.store.values.counting import largest, quantile, rounded_usd, total_usd
from inspector.store.values.rows import INT64_MAX
from inspector.store.values.slices import NOTHING, slices_of


@dataclass(frozen=True, slots=True)
class Summaries:
    """The items to count: traces or runs."""

    table: Table
    """The table with their times and totals."""
    grouped: Mapping[GroupBy, ColumnElement[Any]]
    """The fields of which each item has one value."""
    spans: FromClause
    """The spans of the items, joined with the tables in between."""
    owns: ColumnElement[bool]
    """The condition for the spans of one item."""
    conditions: Callable[[Connection, Filter], list[ColumnElement[bool]]]
    """Returns a filter's conditions on the item itself."""
    condition: Callable[[Connection, Filter, ReadLimits], Condition | Literal[False] | None]
    """Returns a filter's condition on what an item contains; None if it has none, False if nothing can meet it."""
    labels: Callable[[], Select[*tuple[Any, ...]]]
    """Returns the query for the labels of the items: row id, key and score."""

    @property
    def among(self) -> ColumnElement[bool]:
        """The condition for the items with ``:row_ids``."""
        listed = f"{self.table.name}.id IN (SELECT value FROM json_each(:row_ids))"
        return cast("ColumnElement[bool]", text(listed))


_t, _r = traces.c, runs.c
TRACES = Summaries(
    table=traces,
    grouped={
        "kind": _t.kind,
        "agent": func.coalesce(_t.head_agent, _t.any_agent),
        "service": _t.service,
        "status": _t.status,
        "name": _t.name,
    },
    spans=spans,
    owns=spans.c.trace_id == _t.id,
    conditions=lambda connection, where: [*trace_conditions(connection, where), _t.calls > 0],
    condition=membership_of,
    labels=keys_of_traces,
)
RUNS = Summaries(
    table=runs,
    grouped={
        "kind": select(_t.kind).where(_t.id == _r.head).scalar_subquery(),
        "agent": _r.agent,
        "service": _r.service,
        "status": _r.status,
        "name": _r.name,
    },
    spans=traces.join(spans, spans.c.trace_id == _t.id),
    owns=_t.run_id == _r.run_id,
    conditions=lambda _, where: run_conditions(where),
    condition=trace_membership_of,
    labels=keys_of_runs,
)
_MANY: dict[GroupBy, ColumnElement[Any]] = {
    "model": spans.c.named_model,
    "tool": SERVED_TOOL,
    "error_type": spans.c.error_type,
}
"""The fields of which an item has several values: it is in the group of each value of its spans."""
_STEPS = (1000, 4000)
_LEAST_SLICES = 16
_DURATIONS = msgspec.json.Decoder(list[float])
_Item: TypeAlias = tuple[int, int]
"""The start and the row id of an item."""
_Row: TypeAlias = tuple[Any, ...]
"""The sums of some items, as `_sums` selects them."""


def read_summary_stats(
    connection: Connection, of: Summaries, where: Filter, limits: ReadLimits, *, by: GroupBy | None, buckets: int
) -> Stats:
    """Return the statistics of the traces or runs of a filter.

    An item with several values of a field is in several groups, but only once in the total.
    """
    conditions = of.conditions(connection, where)
    listed, complete = _listed(connection, of, where, conditions, limits)
    start_ns = of.table.c.start_ns
    between = (start_ns >= bindparam("first_ns"), start_ns <= bindparam("last_ns"))
    of_slice = [*conditions, *between] if listed is None else [of.among]
    question = _sums(of, None if by is None else of.grouped.get(by)).where(*of_slice)
    of_many = _sums_of_many(of, by, of_slice) if by in _MANY or by == "label" else None
    slices = slices_of(where, _ends(connection, of, where, conditions, listed), buckets or _LEAST_SLICES)
    rows: list[_Row] = []
    by_key: dict[str | None, list[_Row]] = {}
    by_slice: dict[int, list[_Row]] = {}
    until = time.monotonic() + limits.scan_s
    for at, first_ns, end_ns in () if slices is None else reversed(slices.times()):
        if time.monotonic() >= until:
            complete = False
            break
        its = _slice(first_ns, end_ns, listed)
        by_slice[at] = [_read(row) for row in connection.execute(question, its)]
        rows += by_slice[at]
        for row in by_slice[at] if of_many is None else map(_read, connection.execute(of_many, its)):
            by_key.setdefault(row[0], []).append(row)
    ranked = largest(by_key.items(), lambda its: sum(row[2] for row in its))
    groups = tuple(StatsGroup(key, *_values_of(its)) for key, its in ranked)
    if by == "label":
        means = _mean_scores(connection, of, conditions, listed)
        groups = tuple(replace(each, mean_score=means.get(each.key)) for each in groups)
    return Stats(
        StatsGroup(None, *_values_of(rows)),
        () if by is None else groups,
        slices.buckets({at: _values_of(its) for at, its in by_slice.items()}) if slices is not None and buckets else (),
        complete,
    )


def _read(row: Sequence[Any]) -> _Row:
    key, durations, *sums = row
    return key, _DURATIONS.decode(durations), *sums


def _values_of(rows: Sequence[_Row]) -> tuple[Any, ...]:
    """Return the fields that groups and buckets have in common, in their order, of rows of `_sums`."""
    if not rows:
        return NOTHING
    _, durations, *sums, costs = zip(*rows, strict=True)
    ascending = sorted(chain.from_iterable(durations))
    count, errors, *tokens, priced, unpriced = (sum(map(int, column)) for column in sums)
    cost_usd = total_usd(costs)
    return (
        count,
        errors,
        *(quantile(ascending, share) for share in (0.5, 0.95, 0.99)),
        *(min(INT64_MAX, each) for each in tokens),
        None if cost_usd is None else rounded_usd(cost_usd, priced),
        unpriced,
    )


def _listed(
    connection: Connection, of: Summaries, where: Filter, conditions: Sequence[ColumnElement[bool]], limits: ReadLimits
) -> tuple[Sequence[_Item] | None, bool]:
    """Return the items to count, or None for all that meet the conditions, and whether the list is complete."""
    condition = of.condition(connection, where, limits)
    if condition is None:
        return None, True
    if condition is False:
        return (), True
    c = of.table.c
    query = select(c.start_ns, c.id).where(*conditions)
    candidates = condition.candidates(connection, limits.counted_spans)
    if candidates is not None:
        query = query.where(candidates.condition)
        if candidates.certain:
            return [(row[0], row[1]) for row in connection.execute(query.order_by(c.start_ns))], True
    ranking = Ranking(c.start_ns, c.id, "desc", None)
    pace = Pace(_STEPS, limits.scan_s / 2)
    found, more = passing_ids(connection, query, ranking, limits.scan_rows, [condition.test], pace, condition.slow)
    return [(int(start_ns or 0), row_id) for start_ns, row_id in reversed(found)], more is None


def _ends(
    connection: Connection,
    of: Summaries,
    where: Filter,
    conditions: Sequence[ColumnElement[bool]],
    listed: Sequence[_Item] | None,
) -> tuple[int, int] | None:
    """Return when the first and the last item began; None if there are none, or if the filter says both."""
    if listed is not None:
        return (listed[0][0], listed[-1][0]) if listed else None
    if where.since_ns is not None and where.until_ns is not None:
        return None
    start_ns = of.table.c.start_ns
    # In two queries, so that each can use the index.
    first, last = (
        connection.execute(select(end(start_ns)).where(*conditions)).scalar() for end in (func.min, func.max)
    )
    return None if first is None or last is None else (first, last)


def _slice(first_ns: int, end_ns: int, listed: Sequence[_Item] | None) -> dict[str, int | str]:
    """Return the parameters of the query for one slice."""
    if listed is None:
        return {"first_ns": first_ns, "last_ns": end_ns - 1}
    begin, end = (bisect_left(listed, edge, key=lambda place: place[0]) for edge in (first_ns, end_ns))
    return {"row_ids": json_list([row_id for _, row_id in listed[begin:end]])}


def _sums(of: Summaries, key: ColumnElement[Any] | None) -> Select[*tuple[Any, ...]]:
    c = of.table.c
    # `total` adds floats, which are exact up to 2**53; `sum` fails if integers overflow.
    sums = select(
        literal(None) if key is None else key,
        func.json_group_array(c.duration_ms).filter(c.duration_ms.is_not(None)),
        func.count(),
        func.total(c.status == literal("error", literal_execute=True)),
        *(func.total(column) for column in (c.input_tokens, c.output_tokens, c.cached_tokens)),
        func.total(c.priced > 0),
        func.total(c.unpriced_calls),
        func.total(case((c.priced > 0, c.cost_usd))),
    )
    return sums if key is None else sums.group_by(key)


def _sums_of_many(of: Summaries, by: GroupBy, of_slice: Sequence[ColumnElement[bool]]) -> Select[*tuple[Any, ...]]:
    """Return the query for the sums of a slice's items, each in the group of every value that it has."""
    row_id = of.table.c.id
    if by == "label":
        labels = of.labels().subquery("known")
        ones = (
            select(labels.c.item, labels.c.key).select_from(labels.join(of.table, labels.c.item == row_id)).distinct()
        )
        # NOT IN runs the subquery once, NOT EXISTS would run it for every row.
        none = row_id.not_in(select(of.labels().subquery("others").c.item))
    else:
        column = _MANY[by]
        has_one = and_(of.owns, column.is_not(None), IS_NO_DUPLICATE)
        from_spans = of.table.join(of.spans, has_one)
        ones = select(row_id.label("item"), column.label("key")).select_from(from_spans).distinct()
        none = ~exists(select(column).select_from(of.spans).where(has_one).correlate(of.table))
    others = select(row_id, literal(None)).select_from(of.table).where(*of_slice, none)
    each = union_all(ones.where(*of_slice), others).subquery("each")
    return _sums(of, each.c.key).select_from(each.join(of.table, row_id == each.c.item))


def _mean_scores(
    connection: Connection, of: Summaries, conditions: Sequence[ColumnElement[bool]], listed: Sequence[_Item] | None
) -> dict[str | None, float | None]:
    labels = of.labels().subquery("known")
    row_id = of.table.c.id
    query = select(labels.c.key, func.avg(labels.c.score)).select_from(labels.join(of.table, labels.c.item == row_id))
    if listed is None:
        return {row[0]: row[1] for row in connection.execute(query.where(*conditions).group_by(labels.c.key))}
    its = {"row_ids": json_list([row_id for _, row_id in listed])}
    return {row[0]: row[1] for row in connection.execute(query.where(of.among).group_by(labels.c.key), its)}
