"""Monotonic counters: how many calls and errors of each kind were ever stored, without those of replays."""

from collections.abc import Iterable, Mapping
from typing import Final

from inspector.model import KINDS, Kind
from inspector.store.values.rows import Row
from inspector.store.values.sums import Sums

_CALLS: Final = "calls "
_ERRORS: Final = "errors "
_OWED: Final = "owed "
"""Prefix of a counter's name: by how much the counter is too high."""


def count_calls(counts: dict[str, int], changes: Iterable[tuple[Row | None, Row]]) -> None:
    """Counts the calls and errors of new rows and of rows that replace others.

    If that would decrease a counter, as when a call turns out to be a duplicate, the difference is subtracted from
    later calls: to Prometheus a smaller value is a restart (https://prometheus.io/docs/concepts/metric_types/).

    Args:
        counts: The counters, which are changed.
        changes: Each row with the one that it replaces.
    """
    gained: dict[str, Sums] = {}
    for old, new in changes:
        if new.replay is None:
            gained.setdefault(new.kind, Sums()).count(new, 1)
        if old is not None and old.replay is None:
            gained.setdefault(old.kind, Sums()).count(old, -1)
    for kind, sums in gained.items():
        _grow(counts, _CALLS + kind, sums.calls)
        _grow(counts, _ERRORS + kind, sums.errors)


def _grow(counts: dict[str, int], name: str, more: int) -> None:
    owed = counts.get(_OWED + name, 0)
    grown = more - owed
    if grown > 0:
        counts[name] = counts.get(name, 0) + grown
    if owed or grown < 0:
        counts[_OWED + name] = max(0, -grown)


def calls_ever(counts: Mapping[str, int]) -> dict[Kind, tuple[int, int]]:
    """Returns the calls and the errors ever stored, by kind."""
    return {kind: (counts.get(_CALLS + kind, 0), counts.get(_ERRORS + kind, 0)) for kind in KINDS}
