"""Statistics over many calls: from rollups for whole hours, from the calls for the rest."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.model import Filter, GroupBy, Stats, StatsBucket, StatsGroup
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import IS_CALL, NO_REPLAY
from inspector.store.clickhouse.hours import KEYS, SUMMED, SUMS
from inspector.store.clickhouse.slots import reached
from inspector.store.limits import ReadLimits
from inspector.store.values.call_stats import CallStats
from inspector.store.values.counting import largest
from inspector.store.values.rows import INT64_MAX, clamp
from inspector.store.values.slices import Slices, slices_of

_ASKED: Final = frozenset(("since_ns", "until_ns", "duplicates", "replays"))
_HOURS: Final = (
    "SELECT hour, ifNull(version, 0) > changed, calls, first_ns, last_ns, kept "
    "FROM (SELECT hour, version AS changed FROM hours FINAL) AS hours "
    "LEFT JOIN (SELECT hour, version, calls, first_ns, last_ns, kept FROM figures FINAL WHERE by = '') AS figures "
    "USING (hour) ORDER BY hour"
)
_REPLAYED: Final = "SELECT DISTINCT intDiv(slot, 60) FROM spans WHERE replay = 1"
_ADDED: Final = ", ".join(
    "sumMap(durations.1, durations.2)" if name == "durations" else f"sum({name})" for name in SUMMED
)


@dataclass(frozen=True, slots=True)
class _Hour:
    """The state of an hour's rollups."""

    hour: int
    is_summed: bool
    calls: int
    first_ns: int
    last_ns: int
    kept: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls that began in a time range."""

    database: Database
    since_ns: int | None
    until_ns: int | None
    hours: Sequence[_Hour]
    replayed: Sequence[int]
    """The hours in which requested replays began; rollups leave replays out."""

    def summed(self, by: GroupBy | None) -> list[_Hour]:
        """Return the hours in the time range that have current rollups by a field."""
        return [
            hour for hour in self.hours if hour.is_summed and self._are_in(hour) and (by is None or by in hour.kept)
        ]

    def stats(self, by: GroupBy | None) -> dict[str | None, CallStats]:
        """Return the statistics of each group, or of all calls under None."""
        if by is None:
            return _added(self._read("NULL", "NULL", self.summed(by), ""))
        return _added(self._read("if(known, key, NULL)", KEYS[by], self.summed(by), by))

    def slices(self, slices: Slices) -> dict[int, CallStats]:
        """Return the statistics of time slices; for an hour in two slices, its calls are read."""
        hours = [hour for hour in self.summed(None) if slices.at(hour.first_ns) == slices.at(hour.last_ns)]
        return _added(self._read(slice_of("first_ns", slices), slice_of("start_ns", slices), hours, ""))

    def ends(self) -> tuple[int, int] | None:
        """Return when the first and the last call began; None if there are none."""
        summed = self.summed(None)
        times = [(hour.first_ns, hour.last_ns) for hour in summed]
        sql = f"SELECT min(start_ns), max(start_ns), count() FROM spans FINAL WHERE {self._others(summed)}"
        times += [(first, last) for first, last, count in self.database.rows(sql) if count]
        return (min(first for first, _ in times), max(last for _, last in times)) if times else None

    def _are_in(self, hour: _Hour) -> bool:
        is_before = self.since_ns is not None and hour.first_ns < self.since_ns
        return not is_before and (self.until_ns is None or hour.last_ns < self.until_ns)

    def _are_out(self, hour: _Hour) -> bool:
        is_before = self.since_ns is not None and hour.last_ns < self.since_ns
        return is_before or (self.until_ns is not None and hour.first_ns >= self.until_ns)

    def _others(self, summed: Sequence[_Hour]) -> str:
        """Return the condition for the calls outside of these hours."""
        known = {hour.hour for hour in summed}
        slots = reached(
            (hour.hour * 60, hour.hour * 60 + 59)
            for hour in self.hours
            if hour.hour not in known and not (hour.is_summed and self._are_out(hour))
        )
        since = "" if self.since_ns is None else f" AND start_ns >= {clamp(self.since_ns)}"
        until = "" if self.until_ns is None or self.until_ns > INT64_MAX else f" AND start_ns < {clamp(self.until_ns)}"
        return f"{IS_CALL} AND {self._with_replays(slots)}{since}{until}"

    def _with_replays(self, slots: str) -> str:
        """Return the condition for the calls of some slots, and for all requested replays."""
        calls = f"{NO_REPLAY} AND {slots}"
        if not self.replayed:
            return calls
        return f"({calls} OR replay = 1 AND {reached((hour * 60, hour * 60 + 59) for hour in self.replayed)})"

    def _read(self, key: str, own: str, summed: Sequence[_Hour], by: str) -> Iterator[Sequence[Any]]:
        """Yield keys with their statistics; ``key`` is the expression for rollups, ``own`` the one for calls."""
        values = Values()
        hours = f"hour IN {values.integers([hour.hour for hour in summed])}"
        # If an hour was summed again, keys that it no longer has remain with the previous version.
        current = f"SELECT hour, version FROM figures FINAL WHERE by = '' AND {hours}"
        yield from self.database.rows(
            f"SELECT {key} AS own, {_ADDED} FROM figures FINAL WHERE by = '{by}' AND {hours} "
            f"AND (hour, version) IN ({current}) GROUP BY own",
            values,
        )
        yield from self.database.rows(
            f"SELECT {own} AS own, {', '.join(SUMS)} FROM spans FINAL WHERE {self._others(summed)} GROUP BY own"
        )


def read_rollup_stats(
    database: Database, where: Filter, limits: ReadLimits, *, by: GroupBy | None, buckets: int
) -> Stats | None:
    """Return the statistics of a filter; None if the calls must be read: they are few, or rollups cannot answer."""
    if by == "label" or any(row.field not in _ASKED for row in where.rows()):
        return None
    hours = [_Hour(hour, bool(is_summed), *rest) for hour, is_summed, *rest in database.rows(_HOURS)]
    replayed = [row[0] for row in database.rows(_REPLAYED)] if where.replays else []
    calls = _Calls(database, where.since_ns, where.until_ns, hours, replayed)
    if sum(hour.calls for hour in calls.summed(by)) <= limits.exact_calls:
        return None
    groups = calls.stats(by)
    total = CallStats()
    for each in groups.values():
        total.include(each)
    ranked = largest(groups.items(), lambda each: each.count) if by else ()
    return Stats(
        StatsGroup(None, *total.values()),
        tuple(StatsGroup(key, *each.values()) for key, each in ranked),
        _slices(calls, where, buckets),
        complete=True,
    )


def _slices(calls: _Calls, where: Filter, count: int) -> tuple[StatsBucket, ...]:
    slices = slices_of(where, calls.ends(), count) if count > 0 else None
    if slices is None:
        return ()
    return slices.buckets({at: stats.values() for at, stats in calls.slices(slices).items()})


def slice_of(column: str, slices: Slices) -> str:
    """Return the SQL expression for the slice of the time in a column."""
    past = f"(toInt128({column}) - toInt128({slices.first})) * {slices.count}"
    return f"toInt64(least({slices.count - 1}, intDiv({past}, toInt128({slices.width}))))"


def _added(rows: Iterable[Sequence[Any]]) -> dict[Any, CallStats]:
    added: dict[Any, CallStats] = {}
    for key, calls, errors, sent, received, cached, priced, cost_usd, unpriced, durations in rows:
        buckets = dict(zip(*durations, strict=True))
        stats = CallStats(calls, errors, sent, received, cached, priced, unpriced, cost_usd, buckets)
        added.setdefault(key, CallStats()).include(stats)
    return added
