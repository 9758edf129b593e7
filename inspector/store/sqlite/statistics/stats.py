"""Statistics from the calls themselves, for few calls or if rollups cannot answer; exact over the calls scanned."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Select, func, select

from inspector.model import Filter, GroupBy, Stats, StatsBucket, StatsGroup
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.lists.filters import named
from inspector.store.sqlite.lists.labels import keys_by_span
from inspector.store.sqlite.lists.reader import event_conditions
from inspector.store.sqlite.sql.counted import COUNTED, IS_CALL, SERVED_TOOL
from inspector.store.sqlite.sql.listing import Ranking, Test, page_rows, slowly
from inspector.store.sqlite.statistics.rollup_stats import read_rollup_stats
from inspector.store.sqlite.tables import spans
from inspector.store.values.counting import is_unpriced, largest, quantile, total_usd
from inspector.store.values.cursor import Position
from inspector.store.values.rows import INT64_MAX
from inspector.store.values.slices import slices_of

_STEP = 20_000
_c = spans.c
_GROUPED = {
    "kind": _c.kind,
    # Written out, since SQLite cannot read a generated column from a covering index.
    "model": func.coalesce(_c.request_model, _c.model),
    "tool": SERVED_TOOL,
    "agent": _c.agent,
    "service": _c.service,
    "status": _c.status,
    "error_type": _c.error_type,
    "name": _c.name,
}


def read_call_stats(
    connection: Connection, where: Filter, limits: ReadLimits, *, by: GroupBy | None, buckets: int
) -> Stats:
    """Return the statistics of a filter."""
    of_calls = replace(where, duplicates=False)
    of_rollups = read_rollup_stats(connection, named(connection, of_calls), limits, by=by, buckets=buckets)
    if of_rollups is not None:
        return of_rollups
    found = event_conditions(connection, of_calls, limits)
    rows: list[Sequence[Any]] = []
    complete = True
    if found is not None:
        conditions, slow = found
        query = select(_c.start_ns, _c.kind if by is None else _GROUPED.get(by, _c.kind), *COUNTED, _c.id)
        query = query.where(IS_CALL, *conditions)
        rows, complete = _newest(connection, query, limits, slow)
    total = StatsGroup(None, *_stats_of(rows))
    return Stats(total, _groups(connection, rows, by), _buckets(rows, where, buckets), complete)


def _newest(
    connection: Connection, query: Select[*tuple[Any, ...]], limits: ReadLimits, slow: Test | None
) -> tuple[list[Sequence[Any]], bool]:
    until = time.monotonic() + limits.scan_s
    rows: list[Sequence[Any]] = []
    after: Position | None = None
    while True:
        page = page_rows(connection, query, Ranking(_c.start_ns, _c.id, "desc", after), _STEP)
        passed, tested = slowly(connection, page, slow, most=_STEP, until=until)
        rows += passed
        if len(rows) > limits.scan_rows or tested < len(page):
            return rows[: limits.scan_rows], False
        if len(page) < _STEP:
            return rows, True
        if time.monotonic() > until:
            return rows, False
        after = (page[-1][0], page[-1][-1])


def _stats_of(rows: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    # Column by column: a loop over the rows takes several times as long.
    durations = sorted([row[3] for row in rows if row[3] is not None])
    costs = [row[7] for row in rows if row[7] is not None]
    return (
        len(rows),
        sum(row[2] == "error" for row in rows),
        *(quantile(durations, share) for share in (0.5, 0.95, 0.99)),
        *(min(INT64_MAX, sum([row[at] or 0 for row in rows])) for at in (4, 5, 6)),
        total_usd(costs),
        sum(row[7] is None and row[8] == "llm" and is_unpriced(row[2], row[4], row[5]) for row in rows),
    )


def _groups(connection: Connection, rows: Sequence[Sequence[Any]], by: GroupBy | None) -> tuple[StatsGroup, ...]:
    if by is None:
        return ()
    by_key: dict[str | None, list[Sequence[Any]]] = {}
    scores: dict[str | None, list[float]] = {}
    if by == "label":
        known = keys_by_span(connection)
        for row in rows:
            its = known.get(row[-1], ())
            for key in {key for key, _ in its} or (None,):
                by_key.setdefault(key, []).append(row)
            for key, score in its:
                scores.setdefault(key, []).extend(() if score is None else (score,))
    else:
        for row in rows:
            by_key.setdefault(row[1], []).append(row)
    groups = tuple(StatsGroup(key, *_stats_of(members)) for key, members in largest(by_key.items(), len))
    return groups if by != "label" else tuple(replace(each, mean_score=_mean(scores.get(each.key))) for each in groups)


def _mean(scores: Sequence[float] | None) -> float | None:
    return sum(scores) / len(scores) if scores else None


def _buckets(rows: Sequence[Sequence[Any]], where: Filter, count: int) -> tuple[StatsBucket, ...]:
    starts = [row[0] for row in rows]
    slices = slices_of(where, (min(starts), max(starts)) if starts else None, count)
    if slices is None:
        return ()
    by_slice: dict[int, list[Sequence[Any]]] = {}
    for row in rows:
        by_slice.setdefault(slices.at(row[0]), []).append(row)
    return slices.buckets({at: _stats_of(its) for at, its in by_slice.items()})
