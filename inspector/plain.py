"""The plain data that recorded values are copied to: JSON's own types, and markers for what was left out."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, cast

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"
"""A private copy of a value: it shares only immutable texts and numbers with the program."""

EDGE_CHARS = 8192
"""How many characters to keep beyond what is written, on either side of a cut. They are dropped after redaction,
because part of a secret may be in them."""

KEY_CHARS = 9216
"""A longer key is replaced by its length. Keys are not cut, since nothing would drop their edges after redaction."""

BYTES_SHOWN = 3072
BYTES_KEPT = 4096
"""How many bytes a snapshot keeps; those beyond ``BYTES_SHOWN`` are dropped after redaction, like the edges of a
text."""

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
INT64 = range(INT64_MIN, INT64_MAX + 1)
"""The integers of 64 bits."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a value a snapshot copies."""

    depth: int = 32
    items: int = 10_000
    """Entries of all containers together. An entry takes about a quarter of a microsecond; slower values, such as
    objects, bytes, unusual keys and text that is not ASCII, count as several."""
    text_chars: int = 262_144
    """Longer texts keep their beginning and their end."""
    all_chars: int = 2_097_152
    """Characters of all texts together, except short ones; further texts are replaced by their length."""


class Cut(str):  # noqa: SLOT000 - a str cannot have slots that hold anything
    """Text without its middle, usable as a plain ``str``.

    The encoder recognizes the type and drops the edges of both parts (``EDGE_CHARS``) when it writes them. So if the
    cut goes through a secret, no part of the secret is written.
    """

    missing: int
    """How many characters between ``head`` and ``tail`` were left out."""
    edge: int
    """How many characters on either side are dropped when it is written, at least one."""
    _head_chars: int
    _tail_chars: int

    def __new__(cls, head: str, tail: str, missing: int, edge: int = EDGE_CHARS) -> Self:
        """Join both parts around a marker with the number of missing characters."""
        cut = super().__new__(cls, head + more(missing, "character") + tail)
        cut.missing, cut.edge = missing, edge
        # Not the parts themselves, because then each text in the queue would be in memory twice.
        cut._head_chars, cut._tail_chars = len(head), len(tail)
        return cut

    @property
    def head(self) -> str:
        """The text before the cut."""
        return str.__getitem__(self, slice(self._head_chars))

    @property
    def tail(self) -> str:
        """The text after the cut."""
        return str.__getitem__(self, slice(str.__len__(self) - self._tail_chars, None))

    def trimmed(self) -> str:
        """Return the text as it is written: without the edges, in which part of a secret may be."""
        head, tail = self.head[: -self.edge], self.tail[self.edge :]
        edges = self._head_chars - len(head) + self._tail_chars - len(tail)
        marker = more(self.missing + edges, "character")
        return head + marker + tail if tail else head + marker.removesuffix(" …")


def beginning(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters unchanged, and a ``Cut`` of a longer one."""
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
    """Return a text after a prefix of our own; a ``Cut`` stays one."""
    if type(text) is Cut:
        return Cut(lead + text.head, text.tail, text.missing, text.edge)
    return lead + text


def written(text: str) -> str:
    """Return a text without secrets as it is written: a ``Cut`` without its edges."""
    return text.trimmed() if type(text) is Cut else text


class Omitted(str):
    """A marker for entries that were left out, usable as a plain ``str``."""

    __slots__ = ()


def fields_of(value: Any) -> dict[str, Any]:
    """Return an object of JSON; an empty one for any other value."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def scalars(fields: "dict[str, Plain]", names: Iterable[str]) -> "dict[str, Plain]":
    """Return those of the named fields that are texts or numbers."""
    return {name: value for name in names if isinstance(value := fields.get(name), str | int | float)}


def weigh(plain: "dict[str, Any] | list[Any] | tuple[Any, ...]") -> int:
    """Return the approximate bytes of a dictionary or list of plain values: its texts, and eight for each entry."""
    weight = 0
    waiting: list[Any] = [plain]
    # One loop with exact types: this runs for each recorded call, and recursion would be much slower where it crosses
    # the end of a chunk of Python's stack.
    for part in waiting:
        weight += 8 * len(part)
        kind = type(part)  # pyright: ignore[reportUnknownVariableType] - of anything
        items: Iterable[Any] = part.values() if kind is dict else part
        for item in items:
            kind = type(item)  # pyright: ignore[reportUnknownVariableType]
            if kind is str:
                weight += len(item)
            elif kind is Cut:
                # Because of the marker, each character takes two bytes.
                weight += str.__sizeof__(item)
            elif kind is dict or kind is list or kind is tuple:
                waiting.append(item)
    return weight


def more(count: int, noun: str) -> str:
    """Return the marker for ``count`` omitted things, for example ``… [12,345 more characters] …``."""
    return f"… [{count:,} more {noun}{'' if count == 1 else 's'}] …"


def no_room_for(count: int) -> Omitted:
    """Return the marker for a text of ``count`` characters that exceeds the limit."""
    return Omitted(more(count, "character"))


def fitting_key(key: str) -> str:
    """Return the recorded name of a field or attribute: well-formed, or its length if above ``KEY_CHARS``."""
    return well_formed(key) if len(key) <= KEY_CHARS else str.__str__(no_room_for(len(key)))


def omitted(count: int) -> Omitted:
    """Return the marker entry for ``count`` omitted items of a container."""
    return Omitted(f"… [{count:,} more item{'' if count == 1 else 's'}]")


MOST_SURROGATES = 100
"""How many lone surrogates of a text are replaced one by one, which takes a fifth of a microsecond for each."""


def well_formed(text: str) -> str:
    """Return the text with every lone surrogate replaced by U+FFFD, because UTF-8 and SQLite cannot store one.

    With more than ``MOST_SURROGATES``, each becomes a question mark instead, which takes the same time for any number.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _without_surrogates(text)
    return text


def _without_surrogates(text: str) -> str:
    # Each takes three bytes in UTF-8.
    count = (len(text.encode("utf-8", "surrogatepass")) - len(text.encode("utf-8", "ignore"))) // 3
    if count > MOST_SURROGATES:
        return text.encode("utf-8", "replace").decode()
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_ENTRY_BYTES = 160
"""The most bytes of a dictionary or set per entry, unless many entries were removed."""


def gaps(size_bytes: int, entries: int) -> int:
    """Return the cost of iterating over the slots of removed entries, in entries."""
    return max(0, size_bytes - _ENTRY_BYTES * entries - 4096) >> 12


def integer(value: int) -> Plain:
    """Return an ``int`` in a form that JSON readers can store: as text beyond 64 bits, as its size beyond 1,024."""
    if INT64_MIN <= value <= INT64_MAX:
        return value
    if (bits := value.bit_length()) > 1024:
        return {"$type": "int", "bits": bits}
    return int.__repr__(value)


def number(value: float) -> Plain:
    """Return a ``float``; values that JSON does not have become ``"NaN"``, ``"Infinity"`` or ``"-Infinity"``."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
