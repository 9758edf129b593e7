"""Monotonic counters: how many calls and errors of each kind were ever stored, without those of replays."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from inspector.model import KINDS, Kind
from inspector.store.values.rows import Row

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
    add_gains(counts, (gain for old, new in changes for gain in gains_of(old, new)))


class Gain(NamedTuple):
    """What a row adds to the counters of a kind, or with negative numbers subtracts from them."""

    kind: str
    calls: int
    errors: int


def gains_of(old: Row | None, new: Row) -> tuple[Gain, ...]:
    """Returns what a row adds to the counters of its own kind, and first of all that.

    The counters of the kind of the row that it replaces follow, if that is another.
    """
    calls, errors = _counted(new)
    if old is None:
        return (Gain(new.kind, calls, errors),)
    old_calls, old_errors = _counted(old)
    if old.kind == new.kind:
        return (Gain(new.kind, calls - old_calls, errors - old_errors),)
    return Gain(new.kind, calls, errors), Gain(old.kind, -old_calls, -old_errors)


def add_gains(counts: dict[str, int], gains: Iterable[Gain]) -> None:
    """Adds up by how much the calls of each kind change, and counts that.

    Args:
        counts: The counters, which are changed.
        gains: Of all rows that are written at once.
    """
    added: dict[str, tuple[int, int]] = {}
    for kind, calls, errors in gains:
        known = added.get(kind, (0, 0))
        added[kind] = known[0] + calls, known[1] + errors
    for kind, (calls, errors) in added.items():
        _grow(counts, _CALLS + kind, calls)
        _grow(counts, _ERRORS + kind, errors)


def _counted(row: Row) -> tuple[int, int]:
    if row.replay is not None or row.folded_into is not None:
        return 0, 0
    return 1, int(row.status == "error")


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
