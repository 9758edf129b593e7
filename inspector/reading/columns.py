"""The text of a stream as columns, because its events are nearly identical and differ in a word.

The text around the strings and numbers of events with one shape is stored once, and their values are stored column by
column. A column of strings joined together is often a text of its own: the answer, which is recorded anyway.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

EVENT_END: Final = "\n\n"
Letters: TypeAlias = Literal["utf8", "ascii"]
"""How JSON escapes letters outside ASCII."""
_PLACE: Final = "\0"
_DELETE: Final = "\x7f"
"""The only letter of ASCII that is written in two ways."""
_VALUE: Final = re.compile(r'("[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|[0-9]++)')
_LEAST_CHARS: Final = 256
"""The minimum length of a text that is stored separately."""
_decode_text = msgspec.json.Decoder(str).decode
_encode = msgspec.json.Encoder().encode


class JoinedColumn(Struct, array_like=True):
    """Strings that are the pieces of one text."""

    text: int
    """The index of that text."""
    letters: Letters
    sizes: list[int]
    """The length of each string in JSON."""


class Shape(Struct, array_like=True):
    """The text that several events have in common."""

    around: str
    """Their text, with a NUL for each value."""
    columns: list[str | JoinedColumn]
    """For each NUL, the values of all events, a line each; or one value if all are equal."""


class Columns(Struct, array_like=True):
    """The text of a stream."""

    order: list[int]
    """The index of each event's shape."""
    shapes: list[Shape]


class SplitStream(NamedTuple):
    """The text of a stream as columns, with the texts from its columns."""

    columns: Columns
    texts: list[str]
    """Texts that are stored separately."""
    joined: list[str]
    """The joined strings of each column, however short."""


class Unquoted(NamedTuple):
    """The text of a string of JSON."""

    text: str
    letters: Letters | None
    """How it is escaped; None if it has nothing to escape."""


def columns_of(text: str) -> SplitStream | None:
    """Return a text as columns; None for one that could not be restored exactly."""
    if _PLACE in text:
        return None
    events: dict[str, list[list[str]]] = {}
    order: list[int] = []
    places: dict[str, int] = {}
    for event in text.split(EVENT_END):
        pieces = _VALUE.split(event)
        around = _PLACE.join(pieces[::2])
        order.append(places.setdefault(around, len(places)))
        events.setdefault(around, []).append(pieces[1::2])
    texts: list[str] = []
    joined: list[str] = []
    shapes = [
        Shape(around, [_column(values, texts, joined) for values in zip(*found, strict=True)])
        for around, found in events.items()
    ]
    return SplitStream(Columns(order, shapes), texts, joined)


def text_of(columns: Columns, texts: Sequence[str]) -> str:
    """Return the text that `columns_of` split.

    Raises:
        ValueError: These columns are not from `columns_of`.
    """
    counts = [columns.order.count(at) for at in range(len(columns.shapes))]
    try:
        shapes = [_events(shape, count, texts) for shape, count in zip(columns.shapes, counts, strict=True)]
        return EVENT_END.join(next(shapes[at]) for at in columns.order)
    except (StopIteration, IndexError, RuntimeError) as error:
        raise ValueError("no columns of a stream") from error


def quoted(text: str, letters: Letters) -> str:
    """Return a text as a string of JSON."""
    return json.dumps(text) if letters == "ascii" else _encode(text).decode()


def unquoted(string: str, wanted: Letters | None = None) -> Unquoted | None:
    """Return the text of a JSON string; None if `quoted` would not write that string."""
    try:
        text = _decode_text(string)
    except (msgspec.MsgspecError, UnicodeError):
        return None
    if text.isascii() and _DELETE not in text:
        return Unquoted(text, None) if quoted(text, "utf8") == string else None
    ways: tuple[Letters, ...] = ("utf8", "ascii")
    found: list[Letters] = [letters for letters in ways if quoted(text, letters) == string]
    if len(found) == len(ways):
        return Unquoted(text, None)
    return Unquoted(text, found[0]) if found and wanted in (None, found[0]) else None


def _column(values: Sequence[str], texts: list[str], joined: list[str]) -> str | JoinedColumn:
    if values.count(values[0]) == len(values) > 1:
        return values[0]
    if all(value.startswith('"') for value in values):
        together = f'"{"".join(value[1:-1] for value in values)}"'
        joined.append(together)
        # A text of one repeated letter is padding.
        is_text = len(together) > _LEAST_CHARS and together.count(together[1]) < len(together) - 2
        found = unquoted(together) if is_text else None
        if found is not None:
            texts.append(found.text)
            return JoinedColumn(len(texts) - 1, found.letters or "utf8", [len(value) - 2 for value in values])
    return "\n".join(values)


def _events(shape: Shape, count: int, texts: Sequence[str]) -> Iterator[str]:
    around = shape.around.split(_PLACE)
    columns = [_values(column, count, texts) for column in shape.columns]
    if len(columns) != len(around) - 1 or any(len(column) != count for column in columns):
        raise ValueError("no columns of a stream")
    rows = zip(*columns, strict=True) if columns else [()] * count
    return ("".join(chain.from_iterable(zip(around, (*row, ""), strict=True))) for row in rows)


def _values(column: str | JoinedColumn, count: int, texts: Sequence[str]) -> Sequence[str]:
    if isinstance(column, str):
        return column.split("\n") if "\n" in column else [column] * count
    inside = quoted(texts[column.text], column.letters)[1:-1]
    values: list[str] = []
    begin = 0
    for size in column.sizes:
        values.append(f'"{inside[begin : begin + size]}"')
        begin += size
    return values
