"""What a text is found in, inside of one trace."""

from dataclasses import dataclass
from typing import Literal

from msgspec import UNSET, UnsetType

HitIn = Literal["name", "error", "messages", "answer", "arguments", "result", "input", "output", "attributes"]
"""What of a span holds the text."""


@dataclass(frozen=True, slots=True)
class HitPlace:
    """A place of a span that holds some of the words."""

    within: HitIn
    path: str
    """The way to it, such as ``.invoice.number`` or ``[2].content``; of attributes begins with the key."""
    text: str
    """The part around the first of the words, on one line."""
    marks: tuple[tuple[int, int], ...]
    """Where in ``text`` words begin and end, in Unicode characters."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A span that holds a text."""

    span_id: str
    places: tuple[HitPlace, ...]
    """Those that hold the most of the words first; none where the text is spelled otherwise there."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The spans of a trace that hold a text, in the order they began."""

    items: tuple[Hit, ...]
    total: int
    """How many there are, with those that are not in ``items``."""
    complete: bool
    """False where the time was over, or there were too many to look into each: ``total`` is then an estimate."""
    notice: str | UnsetType = UNSET
    """What of the searched text was not understood; absent where all of it was."""
