"""What retention notes for the next process and for whoever asks: its last removals, and whether it doubts a clock."""

from collections.abc import Mapping
from typing import Final, get_args

from sqlalchemy import Connection

from inspector.store.nouns import Removed, Rule
from inspector.store.sqlite.counters import load_counters, save_counters
from inspector.store.values.rows import clamp

_DOUBTED: Final = "clock doubted"


def save_removal(connection: Connection, removed: Removed) -> None:
    """Keeps a removal in the place of the last one by its rule."""
    values = (clamp(removed.at_ns), removed.traces, removed.spans)
    save_counters(connection, dict(zip(_names(removed.rule), values, strict=True)))


def removals(counts: Mapping[str, int]) -> tuple[Removed, ...]:
    """Returns the last removal by each rule, the latest first.

    Args:
        counts: All numbers that are kept.
    """
    known = ((rule, [counts.get(name, 0) for name in _names(rule)]) for rule in get_args(Rule))
    found = [Removed(rule, *values) for rule, values in known if values[0]]
    return tuple(sorted(found, key=lambda removed: removed.at_ns, reverse=True))


def doubt_clock(connection: Connection, *, doubted: bool) -> None:
    """Keeps whether the clock is doubted."""
    save_counters(connection, {_DOUBTED: int(doubted)})


def is_clock_doubted(connection: Connection) -> bool:
    """Tells whether the clock was doubted when it was last looked at."""
    return bool(load_counters(connection).get(_DOUBTED))


def _names(rule: Rule) -> tuple[str, str, str]:
    return f"removed by {rule}: at", f"removed by {rule}: traces", f"removed by {rule}: spans"
