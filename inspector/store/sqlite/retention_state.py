"""State of retention that later processes need: its last removals, and whether the clock looks wrong."""

from typing import Final

from sqlalchemy import Connection

from inspector.store.model import Removed
from inspector.store.sqlite.counters import load_counters, save_counters
from inspector.store.values.removals import noted

_DOUBTED: Final = "clock doubted"


def save_removal(connection: Connection, removed: Removed) -> None:
    """Store a removal, which replaces the previous one by the same rule."""
    save_counters(connection, noted(removed))


def doubt_clock(connection: Connection, *, doubted: bool) -> None:
    """Store whether the clock looks wrong."""
    save_counters(connection, {_DOUBTED: int(doubted)})


def is_clock_doubted(connection: Connection) -> bool:
    """Tell whether the clock looked wrong when it was last checked."""
    return bool(load_counters(connection).get(_DOUBTED))
