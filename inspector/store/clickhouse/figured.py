"""Statistics over many calls: of whole hours from what they were summed up to, of the others from the calls."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.model import Filter, GroupBy, Stats, StatsBucket, StatsGroup
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import IS_CALL, NO_REPLAY
from inspector.store.clickhouse.hours import KEYS, SUMMED, SUMS
from inspector.store.clickhouse.slices import Slices, slices_of
from inspector.store.clickhouse.slots import reached
from inspector.store.limits import ReadLimits
from inspector.store.values.figures import Figures
from inspector.store.values.rows import INT64_MAX, clamp

MOST_GROUPS: Final = 1000
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
    """What is kept of an hour."""

    hour: int
    is_summed: bool
    calls: int
    first_ns: int
    last_ns: int
    kept: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls that began in a stretch of time."""

    database: Database
    since_ns: int | None
    until_ns: int | None
    hours: Sequence[_Hour]
    replayed: Sequence[int]
    """The hours in which replays that are asked for began; what is summed up has none of them."""

    def summed(self, by: GroupBy | None) -> list[_Hour]:
        """Returns the hours of which all calls are among them, and summed up by something."""
        return [
            hour for hour in self.hours if hour.is_summed and self._are_in(hour) and (by is None or by in hour.kept)
        ]

    def figures(self, by: GroupBy | None) -> dict[str | None, Figures]:
        """Returns the figures of all, or of each group."""
        if by is None:
            return _added(self._read("NULL", "NULL", self.summed(by), ""))
        return _added(self._read("if(known, key, NULL)", KEYS[by], self.summed(by), by))

    def slices(self, slices: Slices) -> dict[int, Figures]:
        """Returns the figures of slices of time; an hour that lies in two is made of its calls."""
        whole = [hour for hour in self.summed(None) if slices.at(hour.first_ns) == slices.at(hour.last_ns)]
        return _added(self._read(slices.of("first_ns"), slices.of("start_ns"), whole, ""))

    def ends(self) -> tuple[int, int] | None:
        """Returns when the first and the last of them began."""
        summed = self.summed(None)
        found = [(hour.first_ns, hour.last_ns) for hour in summed]
        sql = f"SELECT min(start_ns), max(start_ns), count() FROM spans FINAL WHERE {self._others(summed)}"
        found += [(first, last) for first, last, count in self.database.rows(sql) if count]
        return (min(first for first, _ in found), max(last for _, last in found)) if found else None

    def _are_in(self, hour: _Hour) -> bool:
        is_before = self.since_ns is not None and hour.first_ns < self.since_ns
        return not is_before and (self.until_ns is None or hour.last_ns < self.until_ns)

    def _are_out(self, hour: _Hour) -> bool:
        is_before = self.since_ns is not None and hour.last_ns < self.since_ns
        return is_before or (self.until_ns is not None and hour.first_ns >= self.until_ns)

    def _others(self, summed: Sequence[_Hour]) -> str:
        """Returns the condition of the calls that are not of those hours."""
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
        """Returns the condition of the calls of some slots, and with them that of all replays that are asked for."""
        calls = f"{NO_REPLAY} AND {slots}"
        if not self.replayed:
            return calls
        return f"({calls} OR replay = 1 AND {reached((hour * 60, hour * 60 + 59) for hour in self.replayed)})"

    def _read(self, key: str, own: str, summed: Sequence[_Hour], by: str) -> Iterator[Sequence[Any]]:
        """Yields keys with what they add up to: ``key`` is that of hours, ``own`` that of calls."""
        values = Values()
        hours = f"hour IN {values.wholes([hour.hour for hour in summed])}"
        # Where an hour was summed up again, a key that it has no longer is of the version before.
        current = f"SELECT hour, version FROM figures FINAL WHERE by = '' AND {hours}"
        yield from self.database.rows(
            f"SELECT {key} AS own, {_ADDED} FROM figures FINAL WHERE by = '{by}' AND {hours} "
            f"AND (hour, version) IN ({current}) GROUP BY own",
            values,
        )
        yield from self.database.rows(
            f"SELECT {own} AS own, {', '.join(SUMS)} FROM spans FINAL WHERE {self._others(summed)} GROUP BY own"
        )


def read_figured(
    database: Database, where: Filter, limits: ReadLimits, *, by: GroupBy | None, buckets: int
) -> Stats | None:
    """Returns the figures of a filter; None where they are made of the calls, as they are where these are few.

    Args:
        database: Where they are.
        where: The filter.
        limits: How many calls are few.
        by: What to group by.
        buckets: How many slices of time are wanted.
    """
    if by == "label" or any(row.field not in _ASKED for row in where.rows()):
        return None
    hours = [_Hour(hour, bool(is_summed), *rest) for hour, is_summed, *rest in database.rows(_HOURS)]
    replayed = [row[0] for row in database.rows(_REPLAYED)] if where.replays else []
    calls = _Calls(database, where.since_ns, where.until_ns, hours, replayed)
    if sum(hour.calls for hour in calls.summed(by)) <= limits.exact_calls:
        return None
    groups = calls.figures(by)
    total = Figures()
    for each in groups.values():
        total.include(each)
    largest = sorted(groups.items(), key=lambda group: (-group[1].count, group[0] is None, group[0] or ""))
    return Stats(
        StatsGroup(None, *total.values()),
        tuple(StatsGroup(key, *each.values()) for key, each in largest[:MOST_GROUPS]) if by else (),
        _slices(calls, where, buckets),
        complete=True,
    )


def _slices(calls: _Calls, where: Filter, count: int) -> tuple[StatsBucket, ...]:
    slices = slices_of(where, calls.ends(), count) if count > 0 else None
    if slices is None:
        return ()
    return slices.buckets({at: figures.values() for at, figures in calls.slices(slices).items()})


def _added(rows: Iterable[Sequence[Any]]) -> dict[Any, Figures]:
    added: dict[Any, Figures] = {}
    for key, calls, errors, given, gave, cached, priced, cost_usd, unpriced, durations in rows:
        lengths = dict(zip(*durations, strict=True))
        one = Figures(calls, errors, given, gave, cached, priced, unpriced, cost_usd, lengths)
        added.setdefault(key, Figures()).include(one)
    return added
