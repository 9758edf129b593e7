"""Statistics over calls, traces and runs, computed by the database."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from inspector.model import Filter, GroupBy, Stats, StatsBucket, StatsGroup, StatsOf
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.filters import IS_CALL, IS_NO_DUPLICATE, Conditions, named, narrow_spans
from inspector.store.clickhouse.hours import KEYS, UNPRICED
from inspector.store.clickhouse.labels import KEY, of_runs, of_traces
from inspector.store.clickhouse.rollup_stats import read_rollup_stats, slice_of
from inspector.store.clickhouse.summary_filters import summary_filter
from inspector.store.limits import ReadLimits
from inspector.store.values.counting import MOST_GROUPS, rounded_usd
from inspector.store.values.rows import INT64_MAX
from inspector.store.values.slices import NOTHING, slices_of

_EXACT: Final = "1e-9"
"""Less than the share of one row: with it, `quantilesExact` returns the nearest rank."""
_QUANTILES: Final = ", ".join(f"{share} - {_EXACT}" for share in (0.5, 0.95, 0.99))
_TOKENS: Final = ("input_tokens", "output_tokens", "cached_tokens")
_MANY: Final = frozenset(("model", "tool", "error_type"))
"""Fields of which a trace or a run has several values: it is in the group of each value of its calls."""


def _columns(priced: str, unpriced: str) -> str:
    tokens = (f"toInt64(least(sum(toInt128(ifNull({name}, 0))), {INT64_MAX}))" for name in _TOKENS)
    return ", ".join(
        (
            "count()",
            "countIf(status = 'error')",
            f"quantilesExact({_QUANTILES})(duration_ms)",
            "count(duration_ms)",
            *tokens,
            f"sumKahanIf(ifNull(cost_usd, 0), {priced})",
            f"countIf({priced})",
            unpriced,
        )
    )


_OF_CALLS: Final = _columns("cost_usd IS NOT NULL", UNPRICED)
_OF_SUMMARIES: Final = _columns("priced > 0", "sum(unpriced_calls)")
_TABLES: Final[dict[StatsOf, tuple[str, str]]] = {
    "events": ("spans FINAL", _OF_CALLS),
    "traces": ("traces FINAL", _OF_SUMMARIES),
    "runs": ("runs", _OF_SUMMARIES),
}


def read_stats(
    database: Database, where: Filter, limits: ReadLimits, *, of: StatsOf, by: GroupBy | None, buckets: int
) -> Stats:
    """Return the statistics of a filter."""
    if of == "events" and (found := read_rollup_stats(database, where, limits, by=by, buckets=buckets)) is not None:
        return found
    conditions = _conditions(database, where, of)
    table, columns = _TABLES[of]
    if conditions is None:
        return Stats(StatsGroup(None, *NOTHING), (), (), complete=True)
    total = database.row(f"SELECT {columns} FROM {table} {conditions.where}", conditions.values)
    assert total is not None
    groups: Sequence[Sequence[Any]] = ()
    if by == "label":
        groups = _by_label(database, conditions, table, of, columns)
    elif by is not None and of != "events" and by in _MANY:
        groups = _of_many(database, conditions, table, of, by)
    elif by is not None:
        key = KEYS[by] if (of, by) != ("traces", "agent") else "ifNull(head_agent, agent)"
        groups = database.rows(
            f"SELECT {key} AS key, {columns} FROM {table} {conditions.where} GROUP BY key {_LARGEST}", conditions.values
        )
    return Stats(
        StatsGroup(None, *_values_of(total)),
        tuple(
            StatsGroup(row[0], *_values_of(row[1:11]), mean_score=row[11] if by == "label" else None) for row in groups
        ),
        _buckets(database, conditions, table, columns, where, buckets),
        complete=True,
    )


def _conditions(database: Database, where: Filter, of: StatsOf) -> Conditions | None:
    if of == "events":
        conditions = Conditions()
        calls = named(database, replace(where, duplicates=False))
        conditions.add(IS_CALL)
        return conditions if narrow_spans(conditions, calls) else None
    filtered = summary_filter(database, "trace_id" if of == "traces" else "run_id", where)
    if filtered is None:
        return None
    found = filtered.conditions()
    found.add(*(("calls > 0",) if of == "traces" else ()))
    return found


_LARGEST: Final = f"ORDER BY count() DESC, key IS NULL, key LIMIT {MOST_GROUPS}"


def _values_of(row: Sequence[Any]) -> tuple[Any, ...]:
    count, errors, quantiles, timed, *tokens, cost, priced, unpriced = row
    lengths = quantiles if timed else (None, None, None)
    return (count, errors, *lengths, *tokens, rounded_usd(cost, priced), unpriced)


def _of_many(
    database: Database, conditions: Conditions, table: str, of: StatsOf, by: GroupBy
) -> Sequence[Sequence[Any]]:
    """Return the groups by a field with several values per trace or run; those without one are in a group of None."""
    id_column = "trace_id" if of == "traces" else "run_id"
    key = KEYS[by]
    has = f"SELECT DISTINCT trace_id, {key} AS key FROM spans FINAL WHERE {IS_NO_DUPLICATE} AND {key} IS NOT NULL"
    if of == "runs":
        of_run = "SELECT trace_id, run_id FROM traces FINAL"
        has = f"SELECT DISTINCT run_id, key FROM ({has}) AS held INNER JOIN ({of_run}) AS its USING (trace_id)"
    return database.rows(
        f"SELECT key, {_OF_SUMMARIES} FROM (SELECT * FROM {table} {conditions.where}) AS summaries "
        f"LEFT JOIN ({has}) AS keys USING ({id_column}) GROUP BY key {_LARGEST}",
        conditions.values,
    )


def _by_label(
    database: Database, conditions: Conditions, table: str, of: StatsOf, columns: str
) -> Sequence[Sequence[Any]]:
    """Return the groups by label, each with its mean score; items without labels are in the group of None."""
    of_label = f"{KEY} AS key, score"
    own, its = {
        "events": ("trace_id, span_id", f"SELECT trace_id, span_id, {of_label} FROM labels FINAL"),
        "traces": ("trace_id", of_traces(of_label)),
        "runs": ("run_id", of_runs(of_label)),
    }[of]
    has = f"SELECT {own}, key, sum(score) AS total, count(score) AS scores FROM ({its}) GROUP BY {own}, key"
    return database.rows(
        f"SELECT key, {columns}, sum(total) / nullIf(sum(scores), 0) "
        f"FROM (SELECT * FROM {table} {conditions.where}) AS summaries "
        f"LEFT JOIN ({has}) AS labelled USING ({own}) GROUP BY key {_LARGEST}",
        conditions.values,
    )


def _buckets(
    database: Database, conditions: Conditions, table: str, columns: str, where: Filter, count: int
) -> tuple[StatsBucket, ...]:
    if count <= 0:
        return ()
    ends = database.row(
        f"SELECT min(start_ns), max(start_ns), count() FROM {table} {conditions.where}", conditions.values
    )
    first, last, rows = (0, 0, 0) if ends is None else ends
    slices = slices_of(where, (first, last) if rows else None, count)
    if slices is None:
        return ()
    found = database.rows(
        f"SELECT {slice_of('start_ns', slices)} AS slice, {columns} FROM {table} {conditions.where} GROUP BY slice",
        conditions.values,
    )
    return slices.buckets({row[0]: _values_of(row[1:]) for row in found})
