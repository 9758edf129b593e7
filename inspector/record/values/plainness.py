"""Checks whether a value has JSON's own types only, so that an encoder can read it without running other code."""

# The values are of any type, which pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from collections.abc import Iterable
from typing import Any, Final

from inspector.plain import INT64_MAX, INT64_MIN, KEY_CHARS, gaps

_ENTRY_CHARS: Final = 24
"""How many characters an entry counts as: reading one takes as long as encoding this many."""
_ROOMY: Final = 16_384
"""A container with a larger table has, or once had, many entries."""

UNENCODABLE: Final = (UnicodeError, ValueError, TypeError, RuntimeError, RecursionError)
"""What reading such a value may still raise: for a lone surrogate, or if another thread changes it."""


def room_left(value: dict[Any, Any] | list[Any], room: int, levels: int) -> int:
    """Return how much of a budget of characters is left; negative if the value is too large or not plain JSON.

    Only exact types count, because subclasses could run code of the program.

    Raises:
        RuntimeError: Another thread changed the value at the same time.
    """
    room -= _ENTRY_CHARS * len(value)
    # Iterating also passes over the slots of removed entries.
    if room < 0 or levels < 0 or (value.__sizeof__() > _ROOMY and gaps(value.__sizeof__(), len(value))):
        return -1
    items: Iterable[Any] = value
    if type(value) is dict:
        before = room
        for key in value:
            if type(key) is not str:
                return -1
            room -= len(key)
        # One check for all texts; if they are long together, one of them may be too long.
        if before - room > KEY_CHARS:
            return -1
        items = value.values()
    for item in items:
        kind = type(item)
        if kind is str:
            room -= len(item)
        elif kind is dict or kind is list:
            room = room_left(item, room, levels - 1)
        # NaN is not between any two numbers.
        elif item is not None and not (
            (kind is int or kind is float or kind is bool) and INT64_MIN <= item <= INT64_MAX
        ):
            return -1
    return room
