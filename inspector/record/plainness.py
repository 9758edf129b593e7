"""Whether a value is made of JSON's own types alone, so that an encoder may read it without running anybody's code."""

# The values are of any type, which pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from collections.abc import Iterable
from typing import Any, Final

from inspector.plain import INT64_MAX, INT64_MIN, KEY_CHARS, gaps

_ENTRY_CHARS: Final = 24
"""What an entry counts for: looking at one takes as long as encoding so many."""
_ROOMY: Final = 16_384
"""Bytes of what has, or had, many entries."""

UNENCODABLE: Final = (UnicodeError, ValueError, TypeError, RuntimeError, RecursionError)
"""What reading such a value may raise all the same: half a surrogate pair, or another thread that changes it."""


def room_left(value: dict[Any, Any] | list[Any], room: int, levels: int) -> int:
    """Return what is left of so many characters and entries; less than 0 where it is too much, or not plain JSON.

    Exact types alone: code of the program's own classes would run.

    Raises:
        RuntimeError: Another thread changed it meanwhile.
    """
    room -= _ENTRY_CHARS * len(value)
    # The places of entries that were taken out are walked over too.
    if room < 0 or levels < 0 or (value.__sizeof__() > _ROOMY and gaps(value.__sizeof__(), len(value))):
        return -1
    items: Iterable[Any] = value
    if type(value) is dict:
        before = room
        for key in value:
            if type(key) is not str:
                return -1
            room -= len(key)
        # All together, since that is asked once: one of them may be too long.
        if before - room > KEY_CHARS:
            return -1
        items = value.values()
    for item in items:
        kind = type(item)
        if kind is str:
            room -= len(item)
        elif kind is dict or kind is list:
            room = room_left(item, room, levels - 1)
        # Not a number is not between any two.
        elif item is not None and not (
            (kind is int or kind is float or kind is bool) and INT64_MIN <= item <= INT64_MAX
        ):
            return -1
    return room
