"""Rollups of calls by hour, without replays: summed when an hour is over, and again after something in it changed.

Before a write changes an hour, its version is stored for the hour. Rollups have the version at which they were summed,
and are valid until a later version is stored for their hour.
"""

from collections.abc import Iterable
from typing import Final

from inspector.model import GroupBy
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.filters import IS_CALL, NAMED_MODEL, NO_REPLAY
from inspector.store.clickhouse.tables import FIGURES
from inspector.store.values.retention import HOUR_NS
from inspector.store.values.sketch import GROWTH, NOTHING

_MINUTES: Final = 60
_OPEN_NS: Final = 600 * 10**9
"""How long after its end an hour is not summed yet, since spans arrive when they end."""
_MOST_KEYS: Final = 2000
"""A field with more values in an hour has no rollups for it: they would be nearly as many as the calls."""
_IS_UNPRICED: Final = (
    "kind = 'llm' AND cost_usd IS NULL AND (coalesce(input_tokens, output_tokens) IS NOT NULL OR status = 'ok')"
)
KEYS: Final[dict[GroupBy, str]] = {
    "kind": "kind",
    "model": NAMED_MODEL,
    "tool": "if(server IS NULL, tool, concat(server, '/', tool))",
    "agent": "agent",
    "service": "service",
    "status": "status",
    "error_type": "error_type",
    "name": "name",
}
"""The fields that calls can be grouped by, except for labels."""
UNPRICED: Final = f"countIf({_IS_UNPRICED})"
_BUCKET: Final = f"toInt32(if(duration_ms > 0, ceil(log(assumeNotNull(duration_ms)) / log({GROWTH!r})), {NOTHING}))"
SUMS: Final = (
    "count()",
    "countIf(status = 'error')",
    *(f"sum(toInt128(ifNull({name}, 0)))" for name in ("input_tokens", "output_tokens", "cached_tokens")),
    "countIf(cost_usd IS NOT NULL)",
    "sumKahan(ifNull(cost_usd, 0))",
    UNPRICED,
    f"sumMapIf([assumeNotNull({_BUCKET})], [toInt64(1)], duration_ms IS NOT NULL)",
)
"""The aggregates of calls, in the order of `SUMMED`."""
SUMMED: Final = (
    *("calls", "errors", "input_tokens", "output_tokens", "cached_tokens", "priced", "cost_usd", "unpriced_calls"),
    "durations",
)
"""The columns of rollups."""


class Hours:
    """Stores which hours change, and sums those that are over; used only by the process that writes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._changed: set[int] = set()

    def forget(self) -> None:
        """Forget which changes are stored, since another process may have summed hours meanwhile."""
        self._changed.clear()

    def change(self, slots: Iterable[int], version: int, token: str) -> None:
        """Store that something is about to change in the hours of some slots."""
        hours = {slot // _MINUTES for slot in slots} - self._changed
        rows = [(hour, version, 0) for hour in sorted(hours)]
        self._database.insert("hours", ("hour", "version", "removed"), rows, token=token)
        self._changed |= hours

    def over(self, now_ns: int) -> list[int]:
        """Return the hours that are over and have no valid rollups."""
        return [
            row[0]
            for row in self._database.rows(
                f"SELECT hour FROM (SELECT hour, version AS changed FROM hours FINAL WHERE hour < "
                f"{(now_ns - _OPEN_NS) // HOUR_NS}) AS hours LEFT JOIN (SELECT hour, version FROM figures FINAL "
                "WHERE by = '') AS figures USING (hour) WHERE ifNull(version, 0) <= changed ORDER BY hour"
            )
        ]

    def sum_up(self, hour: int, version: int) -> None:
        """Sum one hour; everything written so far has an earlier version."""
        slots = f"slot BETWEEN {hour * _MINUTES} AND {hour * _MINUTES + _MINUTES - 1}"
        calls = f"spans FINAL WHERE {slots} AND {IS_CALL} AND {NO_REPLAY}"
        counts = ", ".join(f"uniq({key})" for key in KEYS.values())
        count, *keys = self._database.row(f"SELECT count(), {counts} FROM {calls}")
        self._changed.discard(hour)
        if not count:
            self._database.command(f"INSERT INTO hours (hour, version, removed) VALUES ({hour}, {version}, 1)")
            return
        kept: list[GroupBy] = [by for by, keys_of in zip(KEYS, keys, strict=True) if keys_of <= _MOST_KEYS]
        pairs = ", ".join(["('', 'all')", *(f"('{by}', toNullable(toString({KEYS[by]})))" for by in kept)])
        self._database.command(
            f"INSERT INTO figures ({', '.join(FIGURES)}) SELECT pair.1 AS by, {hour}, isNotNull(pair.2) AS known, "
            f"ifNull(pair.2, '') AS key, {version}, {kept}, min(start_ns), max(start_ns), {', '.join(SUMS)} "
            f"FROM (SELECT * FROM {calls}) ARRAY JOIN [{pairs}] AS pair GROUP BY by, known, key"
        )
