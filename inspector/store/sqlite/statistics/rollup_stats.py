"""Statistics over many calls, from the rollups by minute, hour and day.

Whole minutes come from rollups. The minutes at both ends of a time range, and changes that rollups do not include yet,
come from the calls themselves. Counts, tokens and costs are exact; quantiles are within `sketch.ACCURACY`. Time slices
begin at whole minutes, hours or days, so that no rollup has to be divided.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from inspector.model import Filter, GroupBy, Stats, StatsBucket, StatsGroup
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.database.counters import load_counters
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.lists.filters import span_conditions
from inspector.store.sqlite.lists.reader import changed_after
from inspector.store.sqlite.sql.counted import REPLAYED
from inspector.store.sqlite.sql.parameters import is_among, json_list
from inspector.store.sqlite.statistics import rollups
from inspector.store.sqlite.tables import spans
from inspector.store.values.call_stats import Call, CallStats
from inspector.store.values.counting import largest
from inspector.store.values.rows import INT64_MAX, clean
from inspector.toolnames import served_name

_NS = 10**9
_FIELDS = ("service", "agent", "model", "tool", "error_type", "name")
"""The fields of a group as filters name them, without kind and status."""
_ASKED = frozenset((*_FIELDS, "kinds", "statuses", "since_ns", "until_ns", "duplicates", "replays"))
_LONG_NS = 4 * 3600 * _NS
"""In a range as long as this, groups are read apart from slices; in a shorter one, most rollups are of minutes."""
_DIVIDED = 2
"""A slice is at least so many times as long as the rollups that it is computed from."""
_c = spans.c
_MODEL = func.coalesce(_c.request_model, _c.model)
"""Written out, since SQLite cannot read a generated column from a covering index."""
_CALL = (
    *(_c.start_ns, _c.kind, _c.status, _c.service, _c.agent, _MODEL, _c.tool, _c.server),
    *(_c.error_type, _c.name, _c.duration_ms, _c.input_tokens, _c.output_tokens, _c.cached_tokens, _c.cost_usd),
)


_PLACES = {"kind": 1, "status": 2, "service": 3, "agent": 4, "model": 5, "error_type": 8, "name": 9}
"""The indexes of the fields to group by in a `Call`, except for the tool."""


@dataclass(slots=True)
class _Sums:
    """The statistics of one time slice, and those of all slices by group."""

    by: GroupBy | None
    groups: dict[str | None, CallStats]
    """Of all slices: nobody asks for the groups of one, and adding those up would take as long as everything else."""
    total: CallStats = field(default_factory=CallStats)

    def add(self, call: Call) -> None:
        self.total.add(call)
        if self.by:
            self._group(_key(call, self.by)).add(call)

    def include(self, key: str | None, of: CallStats) -> None:
        """Add a rollup of a group."""
        self.total.include(of)
        if self.by:
            self._group(key).include(of)

    def _group(self, key: str | None) -> CallStats:
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = CallStats()
        return group


def _key(call: Call, by: GroupBy) -> str | None:
    return served_name(call.tool, call.server) if by == "tool" else call[_PLACES[by]]  # pyright: ignore[reportReturnType] a text column


def read_rollup_stats(
    connection: Connection, where: Filter, limits: ReadLimits, *, by: GroupBy | None, buckets: int
) -> Stats | None:
    """Return the statistics of a filter; None if the calls must be read: they are few, or rollups cannot answer."""
    if by == "label" or any(getattr(where, name) != getattr(Filter(), name) for name in _OTHERS):
        return None
    view = rollups.BY_NAME if _asks(where, by, "name") else rollups.BY_FIELDS
    counts = load_counters(connection)
    followed = counts.get(rollups.FOLLOWED, 0)
    if rollups.has_too_many_groups(counts, view) or counts["seq"] - followed > limits.exact_calls + _MOST_BEHIND:
        return None
    if view == rollups.BY_NAME and any(_asks(where, by, name) for name in ("agent", "model", "tool", "error_type")):
        return None
    edges = _edges(connection, where, buckets)
    if edges is None or _calls_between(connection, edges[0], edges[-1]) <= limits.exact_calls:
        return None
    fresh = list(_not_included(connection, replace(where, replays=False), followed))
    whole = _edges(connection, where, 0) or edges
    # For a long time, there are far fewer rollups of hours and days, which groups need, than of slices.
    is_apart = by is not None and whole[-1] - whole[0] >= _LONG_NS
    slices, groups = _slices(connection, where, view, None if is_apart else by, edges, fresh)
    if is_apart:
        _, groups = _slices(connection, where, view, by, whole, fresh)
    total = CallStats()
    for each in slices:
        total.include(each)
    filled = ((key, of) for key, of in groups.items() if of.count)
    return Stats(
        StatsGroup(None, *total.values()),
        tuple(StatsGroup(key, *of.values()) for key, of in largest(filled, lambda of: of.count)),
        tuple(StatsBucket(str(edges[at]), *each.values()) for at, each in enumerate(slices)) if buckets else (),
        complete=True,
    )


_OTHERS = tuple(name for name in Filter.__dataclass_fields__ if name not in _ASKED)
_MOST_BEHIND = 20_000
"""With more changes that rollups do not include yet, it is faster to read all calls."""


def _asks(where: Filter, by: GroupBy | None, name: str) -> bool:
    return by == name or getattr(where, name) is not None


def _edges(connection: Connection, where: Filter, buckets: int) -> list[int] | None:
    """Return the starts of slices and the end of the last one; None if there are none, or if they are too short."""
    sql = "SELECT (SELECT min(start_ns) FROM spans), (SELECT max(start_ns) FROM spans)"
    ((least, most),) = driver(connection).execute(sql)
    if least is None:
        return None
    # Whole days if no slices are requested, so that no rollup has to be divided.
    step = rollups.LEVELS[0 if buckets else -1] * _NS
    first = least // step * step if where.since_ns is None else where.since_ns
    end = (most // step + 1) * step if where.until_ns is None else where.until_ns
    # Start times that do not fit into 64 bits are stored as the maximum.
    first, end = min(first, INT64_MAX), min(end, INT64_MAX + 1)
    if first >= end:
        return None
    if not buckets:
        return [first, end]
    width = (end - first) / buckets
    unit = max((seconds for seconds in rollups.LEVELS if width >= _DIVIDED * seconds * _NS), default=None)
    if unit is None:
        return None
    step = unit * _NS
    inner = [(first + (end - first) * at // buckets + step // 2) // step * step for at in range(1, buckets)]
    return [first, *inner, end]


def _calls_between(connection: Connection, first_ns: int, end_ns: int) -> int:
    """Return an upper estimate of the number of calls that began in a time range."""
    seconds = rollups.LEVELS[1] if end_ns - first_ns < 4 * rollups.LEVELS[2] * _NS else rollups.LEVELS[2]
    ((count,),) = driver(connection).execute(
        "SELECT total(count) FROM figures WHERE view = ? AND seconds = ? AND start_s BETWEEN ? AND ?",
        (rollups.BY_FIELDS, seconds, first_ns // _NS // seconds * seconds, end_ns // _NS),
    )
    return int(count)


def _slices(
    connection: Connection, where: Filter, view: int, by: GroupBy | None, edges: Sequence[int], fresh: Iterable[Call]
) -> tuple[list[CallStats], dict[str | None, CallStats]]:
    """Return the statistics of each time slice, and of all of them by group."""
    groups: dict[str | None, CallStats] = {}
    slices = [_Sums(by, groups) for _ in edges[1:]]
    for sums, (first, end) in zip(slices, pairwise(edges), strict=True):
        _add_up(connection, where, view, sums, first, end)
    for call in fresh:
        at = bisect_right(edges, call.start_ns) - 1
        if 0 <= at < len(slices) and _is_in_whole_minute(call.start_ns, edges[at], edges[at + 1]):
            slices[at].add(call)
    return [sums.total for sums in slices], groups


def _add_up(connection: Connection, where: Filter, view: int, sums: _Sums, first_ns: int, end_ns: int) -> None:
    """Add the calls of one time slice: rollups (and replays) for its whole minutes, calls for the rest."""
    begin, end = _whole_minutes(first_ns, end_ns)
    cut = [(first_ns, end_ns)] if begin >= end else [(first_ns, begin * _NS), (end * _NS, end_ns)]
    for seconds, from_s, until_s in _time_ranges(begin, end):
        for key, *values in _rollups(connection, where, view, sums.by, seconds, from_s, until_s):
            sums.include(key, rollups.stats_of(values))
    for from_ns, until_ns in cut:
        _add_calls(connection, where, (from_ns, until_ns), sums)
    if where.replays:
        _add_calls(connection, where, (begin * _NS, end * _NS), sums, _c.id.in_(REPLAYED))


def _add_calls(
    connection: Connection, where: Filter, between: tuple[int, int], sums: _Sums, *conditions: ColumnElement[bool]
) -> None:
    since_ns, until_ns = between
    if since_ns < until_ns:
        within = span_conditions(replace(where, since_ns=since_ns, until_ns=until_ns)).all
        for row in connection.execute(select(*_CALL).where(*within, *conditions)):
            sums.add(Call._make(row))


def _whole_minutes(first_ns: int, end_ns: int) -> tuple[int, int]:
    """Return the start and end of the whole minutes in a time range, in seconds."""
    return -(-first_ns // (60 * _NS)) * 60, end_ns // (60 * _NS) * 60


def _is_in_whole_minute(start_ns: int, first_ns: int, end_ns: int) -> bool:
    begin, end = _whole_minutes(first_ns, end_ns)
    return begin * _NS <= start_ns < end * _NS


def _not_included(connection: Connection, where: Filter, followed: int) -> Iterator[Call]:
    """Yield the calls of a filter that rollups do not include yet."""
    # In two queries, since with the filter SQLite would not choose the index of changes.
    row_ids = [
        row[0] for changed in changed_after(followed) for row in connection.execute(select(_c.id).where(changed))
    ]
    if row_ids:
        conditions = (is_among("spans.id", row_ids), *span_conditions(where).all)
        for row in connection.execute(select(*_CALL).where(*conditions)):
            yield Call._make(row)


def _time_ranges(begin: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Divide a range of whole minutes into days, hours and minutes; yield the length of each, its start and end."""
    left: list[tuple[int, int, int]] = []
    right: list[tuple[int, int, int]] = []
    for seconds, larger in zip(rollups.LEVELS, (*rollups.LEVELS[1:], None), strict=True):
        if begin >= end:
            break
        inner, outer = (begin, end) if larger is None else (-(-begin // larger) * larger, end // larger * larger)
        if larger is None or inner >= outer:
            left.append((seconds, begin, end))
            break
        left.append((seconds, begin, inner))
        right.append((seconds, outer, end))
        begin, end = inner, outer
    yield from (each for each in (*left, *right) if each[1] < each[2])


def _rollups(
    connection: Connection, where: Filter, view: int, by: GroupBy | None, seconds: int, from_s: int, until_s: int
) -> Iterator[Sequence[Any]]:
    key = f"figure_groups.{by}" if by else "NULL"
    if by == "tool":
        key = "CASE WHEN server IS NULL THEN tool ELSE server || '/' || tool END"
    conditions, values = _conditions(where)
    # A row of a group is looked up for each rollup, and often there is nothing to learn from it.
    groups = "JOIN figure_groups ON figure_groups.id = group_id" if by or conditions else ""
    sql = (
        f"SELECT {key}, count, errors, input_tokens, output_tokens, cached_tokens, priced, unpriced_calls, cost_usd, "
        f"durations FROM figures {groups} "
        f"WHERE figures.view = ? AND seconds = ? AND start_s >= ? AND start_s < ?{conditions}"
    )
    yield from driver(connection).execute(sql, (view, seconds, from_s, until_s, *values))


def _conditions(where: Filter) -> tuple[str, list[Any]]:
    found, values = "", list[Any]()
    for column, names in (("kind", where.kinds), ("status", where.statuses)):
        if names:
            found += f" AND figure_groups.{column} IN (SELECT value FROM json_each(?))"
            values.append(json_list(names))
    for name in _FIELDS:
        value = getattr(where, name)
        if value is not None:
            found += f" AND figure_groups.{name} = ?"
            values.append(clean(value))
    return found, values
