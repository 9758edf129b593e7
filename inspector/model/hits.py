"""Hits: the spans of a trace or a run that contain a text, and where in them it is."""

from dataclasses import dataclass
from typing import Literal

from msgspec import UNSET, UnsetType

HitIn = Literal["name", "error", "messages", "answer", "arguments", "result", "input", "output", "attributes", "events"]
"""The part of a span that contains the text."""


@dataclass(frozen=True, slots=True)
class HitPlace:
    """A place in a span that contains some of the words."""

    within: HitIn
    path: str
    """The path to it, such as ``.invoice.number`` or ``[2].content``; in attributes, it begins with the key."""
    text: str
    """The text around the first of the words, on one line."""
    marks: tuple[tuple[int, int], ...]
    """The start and end of each matching word in ``text``, in Unicode characters."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A span that contains the text."""

    span_id: str
    places: tuple[HitPlace, ...]
    """The places with the most matching words first; empty if the text is spelled differently there."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The spans of a trace or a run that contain a text, in the order they began."""

    items: tuple[Hit, ...]
    total: int
    """The number of matching spans, including those not in ``items``."""
    complete: bool
    """False if there were too many spans, or too little time, to search each; ``total`` is then an estimate."""
    notice: str | UnsetType = UNSET
    """The part of the query that was not understood; absent if all of it was."""
