"""What retention stores as counters for later processes: its last removals, and whether the clock looks wrong."""

from collections.abc import Mapping
from typing import get_args

from inspector.store.model import Removed, Rule
from inspector.store.values.rows import clamp

HOUR_NS = 3600 * 10**9
"""Arrivals are known to the hour."""
_DOUBTED = "clock doubted"


def doubt(*, doubted: bool) -> dict[str, int]:
    """Return the counter that says whether the clock looks wrong."""
    return {_DOUBTED: int(doubted)}


def is_doubted(numbers: Mapping[str, int]) -> bool:
    """Tell whether the clock looked wrong when it was last checked."""
    return bool(numbers.get(_DOUBTED))


def noted(removed: Removed) -> dict[str, int]:
    """Return the counters of a removal, which replace those of the previous one by the same rule."""
    values = (clamp(removed.at_ns), removed.traces, removed.spans)
    return dict(zip(_names(removed.rule), values, strict=True))


def removals(numbers: Mapping[str, int]) -> tuple[Removed, ...]:
    """Return the last removal by each rule, the latest first."""
    known = ((rule, [numbers.get(name, 0) for name in _names(rule)]) for rule in get_args(Rule))
    found = [Removed(rule, *values) for rule, values in known if values[0]]
    return tuple(sorted(found, key=lambda removed: removed.at_ns, reverse=True))


def _names(rule: Rule) -> tuple[str, str, str]:
    return f"removed by {rule}: at", f"removed by {rule}: traces", f"removed by {rule}: spans"
