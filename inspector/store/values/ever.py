"""How many calls of each kind were ever stored, as numbers that only grow."""

from collections.abc import Iterable, Mapping
from typing import Final

from inspector.model import KINDS, Kind
from inspector.store.values.rows import Row
from inspector.store.values.sums import Sums

_CALLS: Final = "calls "
_ERRORS: Final = "errors "
_OWED: Final = "owed "
"""Before a counter's name: what it has too many."""


def count_calls(counts: dict[str, int], changes: Iterable[tuple[Row | None, Row]]) -> None:
    """Adds to the calls and errors ever stored what rows bring that are new or replace others.

    Where they take away more than they bring, as when a call turns out to be a duplicate, the next ones make up for it:
    who reads a counter takes a smaller value for a new beginning (https://prometheus.io/docs/concepts/metric_types/).

    Args:
        counts: The counters, which are changed.
        changes: The rows.
    """
    gained: dict[str, Sums] = {}
    for old, new in changes:
        gained.setdefault(new.kind, Sums()).count(new, 1)
        if old is not None:
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
