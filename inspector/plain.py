"""What a recorded value consists of: JSON's own types, and text that stands for more than it shows."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"
"""A private copy of a value: nothing in it is shared with the program but immutable text and numbers."""

EDGE_CHARS = 8192
"""Text kept on either side of a cut until secrets are redacted, then dropped: what is left of a secret lies in it."""

KEY_CHARS = 9216
"""Of a longer key its length alone is kept: keys are not cut, since nothing trims them once they are redacted."""

BYTES_SHOWN = 3072
BYTES_KEPT = 4096
"""Bytes in a snapshot; those past ``BYTES_SHOWN`` are dropped after redaction, like the edges of a cut text."""

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a value a snapshot takes, whatever the value holds."""

    depth: int = 32
    items: int = 10_000
    """Entries of all containers together, each about a quarter of a microsecond of work; whatever takes longer, such as
    objects, bytes, odd keys and text that is not ASCII, counts for as many."""
    text_chars: int = 262_144
    """A longer text keeps its beginning and its end."""
    all_chars: int = 2_097_152
    """Characters of all texts together, short ones aside; of those that come later, their length alone is kept."""


class Cut(str):  # noqa: SLOT000 - a str cannot have slots that hold anything
    """Text whose middle was left out; a plain ``str`` for whoever does not care.

    The encoder knows it by its type and drops the edges of both parts (``EDGE_CHARS``) when it writes them, which is
    why a secret that lies across the cut never survives in part.
    """

    missing: int
    """Characters left out between ``head`` and ``tail``."""
    edge: int
    """Characters on either side that are dropped when it is written, at least one."""
    _head_chars: int
    _tail_chars: int

    def __new__(cls, head: str, tail: str, missing: int, edge: int = EDGE_CHARS) -> Self:
        """Joins both parts around a marker that says how much is missing."""
        cut = super().__new__(cls, head + more(missing, "character") + tail)
        cut.missing, cut.edge = missing, edge
        # Not the parts themselves: many wait to be written, and each would be held twice.
        cut._head_chars, cut._tail_chars = len(head), len(tail)
        return cut

    @property
    def head(self) -> str:
        """What stands before the cut."""
        return str.__getitem__(self, slice(self._head_chars))

    @property
    def tail(self) -> str:
        """What stands behind the cut."""
        return str.__getitem__(self, slice(str.__len__(self) - self._tail_chars, None))

    def trimmed(self) -> str:
        """The text as it is written: without the edges that may hold part of a secret."""
        head, tail = self.head[: -self.edge], self.tail[self.edge :]
        edges = self._head_chars - len(head) + self._tail_chars - len(tail)
        marker = more(self.missing + edges, "character")
        return head + marker + tail if tail else head + marker.removesuffix(" …")


def beginning(text: str, most: int) -> str:
    """The text where it has at most ``most`` characters, else a ``Cut`` of which as many are written."""
    if type(text) is Cut:
        if len(text.head) <= most + EDGE_CHARS:
            return text
        beyond, text = text.missing + len(text.tail), text.head
    else:
        beyond = 0
    size = str.__len__(text)
    if size <= most:
        return well_formed(str.__str__(text))
    kept = min(size, most + EDGE_CHARS)
    return Cut(well_formed(str.__getitem__(text, slice(kept))), "", beyond + size - kept, kept - most)


def behind(lead: str, text: str) -> str:
    """The text behind a lead of our own; a ``Cut`` stays one."""
    if type(text) is Cut:
        return Cut(lead + text.head, text.tail, text.missing, text.edge)
    return lead + text


def written(text: str) -> str:
    """A text as it is written, once it is known to hold no secret: a ``Cut`` without its edges."""
    return text.trimmed() if type(text) is Cut else text


class Omitted(str):
    """A marker in place of entries that were left out; a plain ``str`` for whoever does not care."""

    __slots__ = ()


def weigh(plain: "dict[str, Any] | list[Any] | tuple[Any, ...]") -> int:
    """About how many bytes a dictionary or list of plain values holds on to: its texts, and eight for each entry."""
    weight = 0
    waiting: list[Any] = [plain]
    # One loop, and exact types that are told apart here: this runs for each recorded call, and a call for each part
    # takes far longer where it crosses the end of a piece of Python's stack.
    for part in waiting:
        weight += 8 * len(part)
        kind = type(part)  # pyright: ignore[reportUnknownVariableType] - of anything
        items: Iterable[Any] = part.values() if kind is dict else part
        for item in items:
            kind = type(item)  # pyright: ignore[reportUnknownVariableType]
            if kind is str:
                weight += len(item)
            elif kind is Cut:
                # The marker's letters make each character two bytes.
                weight += str.__sizeof__(item)
            elif kind is dict or kind is list or kind is tuple:
                waiting.append(item)
    return weight


def more(count: int, noun: str) -> str:
    """The marker for ``count`` things left out, for example ``… [12,345 more characters] …``."""
    return f"… [{count:,} more {noun}{'' if count == 1 else 's'}] …"


def no_room_for(count: int) -> Omitted:
    """The marker in place of a text of ``count`` characters for which there is no room."""
    return Omitted(more(count, "character"))


def fitting_key(key: str) -> str:
    """The name of a field or attribute as it is kept: well-formed, or what says how long it is (``KEY_CHARS``)."""
    return well_formed(key) if len(key) <= KEY_CHARS else str.__str__(no_room_for(len(key)))


def omitted(count: int) -> Omitted:
    """The marker entry for ``count`` items that were left out of a container."""
    return Omitted(f"… [{count:,} more item{'' if count == 1 else 's'}]")


MOST_SURROGATES = 100
"""Lone surrogates in a text that are replaced one by one, which takes a fifth of a microsecond for each."""


def well_formed(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD, since neither UTF-8 nor SQLite can hold one.

    Where there are more than ``MOST_SURROGATES`` each becomes a question mark, which takes no longer for many.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _without_surrogates(text)
    return text


def _without_surrogates(text: str) -> str:
    # Each takes three bytes of UTF-8.
    count = (len(text.encode("utf-8", "surrogatepass")) - len(text.encode("utf-8", "ignore"))) // 3
    if count > MOST_SURROGATES:
        return text.encode("utf-8", "replace").decode()
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_ENTRY_BYTES = 160
"""How much a dictionary or set takes up for an entry at most, unless many were taken out of it."""


def gaps(size_bytes: int, entries: int) -> int:
    """What it takes to walk over the places that entries were taken out of, in entries."""
    return max(0, size_bytes - _ENTRY_BYTES * entries - 4096) >> 12


def integer(value: int) -> Plain:
    """An exact ``int`` as JSON readers can hold it: text beyond 64 bits, its size alone beyond 1,024."""
    if INT64_MIN <= value <= INT64_MAX:
        return value
    if (bits := value.bit_length()) > 1024:
        return {"$type": "int", "bits": bits}
    return int.__repr__(value)


def number(value: float) -> Plain:
    """An exact ``float``; what JSON cannot spell becomes ``"NaN"``, ``"Infinity"`` or ``"-Infinity"``."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
