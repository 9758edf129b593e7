"""What retention notes for the next process and for whoever asks: its last removals, and whether it doubts a clock."""

from typing import Final

from sqlalchemy import Connection

from inspector.store.nouns import Removed
from inspector.store.sqlite.counters import load_counters, save_counters
from inspector.store.values.removals import noted

_DOUBTED: Final = "clock doubted"


def save_removal(connection: Connection, removed: Removed) -> None:
    """Keeps a removal in the place of the last one by its rule."""
    save_counters(connection, noted(removed))


def doubt_clock(connection: Connection, *, doubted: bool) -> None:
    """Keeps whether the clock is doubted."""
    save_counters(connection, {_DOUBTED: int(doubted)})


def is_clock_doubted(connection: Connection) -> bool:
    """Tells whether the clock was doubted when it was last looked at."""
    return bool(load_counters(connection).get(_DOUBTED))
