"""Monotonic counters: how many calls and errors of each kind were ever stored, without those of replays."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from inspector.model import KINDS, Kind
from inspector.store.values.rows import Row

_CALLS: Final = "calls "
_ERRORS: Final = "errors "
_OWED: Final = "owed "
"""Prefix of a counter's name: by how much the counter is too high."""


def count_calls(counts: dict[str, int], changes: Iterable[tuple[Row | None, Row]]) -> None:
    """Count the calls and errors of new rows and of rows that replace others.

    If that would decrease a counter, as when a call turns out to be a duplicate, the difference is subtracted from
    later calls: to Prometheus a smaller value is a restart (https://prometheus.io/docs/concepts/metric_types/).
    """
    recount(counts, (("" if old is None else counted_as(old), counted_as(new)) for old, new in changes))


def counted_as(row: Row) -> str:
    """Return the kind that a row is counted under, followed by ``error`` if it is one; empty if it is not counted."""
    if row.replay is not None or row.folded_into is not None:
        return ""
    return f"{row.kind} error" if row.status == "error" else row.kind


def recount(counts: dict[str, int], changes: Iterable[tuple[str, str]]) -> None:
    """Count spans that were counted as one thing before, if at all, as another."""
    gained: Counter[str] = Counter()
    for (before, after), spans in Counter(changes).items():
        for name in _counters(after):
            gained[name] += spans
        for name in _counters(before):
            gained[name] -= spans
    for name, more in gained.items():
        _grow(counts, name, more)


def _counters(counted: str) -> tuple[str, ...]:
    kind, _, error = counted.partition(" ")
    if error:
        return _CALLS + kind, _ERRORS + kind
    return (_CALLS + kind,) if kind else ()


def _grow(counts: dict[str, int], name: str, more: int) -> None:
    owed = counts.get(_OWED + name, 0)
    grown = more - owed
    if grown > 0:
        counts[name] = counts.get(name, 0) + grown
    if owed or grown < 0:
        counts[_OWED + name] = max(0, -grown)


def calls_ever(counts: Mapping[str, int]) -> dict[Kind, tuple[int, int]]:
    """Return the calls and the errors ever stored, by kind."""
    return {kind: (counts.get(_CALLS + kind, 0), counts.get(_ERRORS + kind, 0)) for kind in KINDS}
