"""Private copies of whatever an agent passes to a hook, taken in the agent's thread without running any of its code.

A hook may carry anything: models, arrays, generators, objects whose ``repr`` blocks. ``snapshot`` reads them statically
(instance dictionaries, slots, the builtin methods of builtin types), so that no property, ``__getattr__``, ``__iter__``
or ``__repr__`` of the application runs, nothing is consumed, and the work is bounded by ``Limits``.
"""

# The values are of any type, and read through unbound methods of builtins, whose type arguments pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, TypeVar

import msgspec

from inspector.encoding import Encoded, encode, write_mark
from inspector.plain import (
    INT64_MAX,
    INT64_MIN,
    KEY_CHARS,
    MOST_SURROGATES,
    Cut,
    Limits,
    Plain,
    fitting_key,
    gaps,
    integer,
    no_room_for,
    number,
    omitted,
    well_formed,
)
from inspector.record.failures import Frame, error_text, format_traceback, frames
from inspector.record.layouts import type_name
from inspector.record.plainness import UNENCODABLE, room_left
from inspector.record.reading import read, read_live
from inspector.record.shapes import convert

__all__ = [
    "Cut",
    "Encoded",
    "Frame",
    "Limits",
    "Plain",
    "encode",
    "error_text",
    "format_traceback",
    "frames",
    "read",
    "read_live",
    "snapshot",
    "write_mark",
]

DEFAULT_LIMITS = Limits()
_encode: Final = msgspec.json.Encoder().encode
_INFINITY = float("inf")
_SHORT_TEXT = 1024
"""Texts and keys up to here are bounded by the number of entries alone."""
_SMALL_CHARS = 65_536
"""Characters of a value that is copied at once, entries included."""
_MOST_NAMED = 20
"""Types that the name of a tuple shows."""
_PART = 32
"""Entries that are paid for together."""

_WHOLE = slice(_PART)
_ROOMY = 16_384
"""Bytes of a dictionary that has, or had, more entries than one part."""

_Item = TypeVar("_Item")


def snapshot(value: Any, limits: Limits = DEFAULT_LIMITS) -> Plain:
    """A bounded private copy of any value; never raises for what the value is, never runs its code.

    Secrets may be in it still: redact it before it leaves the process. A text longer than ``limits.text_chars`` becomes
    a ``Cut``, entries past ``limits.items`` an ``Omitted`` marker, an object on its own path ``{"$ref": "cycle"}``.
    """
    try:
        is_bare = limits is DEFAULT_LIMITS and (type(value) is dict or type(value) is list)
        out = _copied_at_once(value) if is_bare else None
        return _copied(value, limits) if out is None else out
    except Exception as error:  # noqa: BLE001 -- the border to the agent: a value must never cost it an exception
        return {"$type": type_name(type(value)), "$error": type_name(type(error))}


def _copied_at_once(value: Any) -> Any:
    """The copy of what most values are, a small dictionary or list of JSON's own types; None for anything else."""
    try:
        if room_left(value, _SMALL_CHARS, DEFAULT_LIMITS.depth) < 0:
            return None
        copy = msgspec.to_builtins(value)
        # For what it raises: texts are shared, and may have half a surrogate pair.
        _encode(copy)
    except UNENCODABLE:
        return None
    return copy


_MOST_WITHOUT_ROOM: Final = 512
"""How much may be done of a walk before it begins anew with room of its own, which takes 20 microseconds to make."""


def _copied(value: Any, limits: Limits) -> Plain:
    most = limits.items + 1
    walk = _Walk(limits, min(most, _MOST_WITHOUT_ROOM))
    out = walk.copy(value, 0)
    # Where something was left nothing was left out, and with more to spend it would have come to the same.
    return out if walk.left > 0 or most <= _MOST_WITHOUT_ROOM else _with_room(_Walk(limits, most), value)


def _with_room(walk: "_Walk", value: Any) -> Plain:
    return walk.copy(value, 0)


_ROOM: Final = 8192
"""Words of Python's stack that are skipped, so that the frames of a whole walk lie in one piece of it.

CPython (3.11 and later, ``_PyThreadState_PushFrame``) has frames in pieces of 2,048 words. It asks the system for a
piece, and gives it back, each time that a call crosses its end: where that lay within a walk, all took eight times as
long. A frame of this size gets a piece of 16,384 words, half of it for what is called from there: more than 32 levels
of anything take.
"""
_with_room.__code__ = _with_room.__code__.replace(co_stacksize=_ROOM)


class _Walk:
    """One copy in progress: the work it may still be, and the containers being copied."""

    __slots__ = ("chars", "depth", "left", "names", "path", "text_chars", "tuples")

    def __init__(self, limits: Limits, left: int) -> None:
        self.depth = limits.depth
        self.left = left
        """What may still be done. Entries are paid for ``_PART`` at a time, before they are looked at; those that were
        paid for when nothing is left become markers, and the rest is one."""
        self.chars = limits.all_chars
        self.names: dict[str, int] = {}
        """How many keys that are no texts are shown alike."""
        self.tuples: dict[tuple[int, ...], str] = {}
        self.path: set[int] = set()
        self.text_chars = limits.text_chars

    def copy(self, value: Any, depth: int) -> Plain:  # noqa: PLR0911 -- one line for each plain type
        kind = type(value)
        if kind is str:
            return self.text(value)
        if kind is dict:
            return self.mapping(value, depth)
        if kind is list or kind is tuple:
            return self.sequence(value, depth)
        if value is None or kind is bool:
            return value
        if kind is int:
            return self.number(value)
        if kind is float:
            return number(value)
        return self.other(value, depth)

    def mapping(self, value: dict[Any, Any], depth: int) -> Plain:
        ident = id(value)
        if ident in self.path:
            return {"$ref": "cycle"}
        size = dict.__len__(value)
        if depth >= self.depth or self.left <= 0:
            return {"$type": "dict", "$size": size}
        self.path.add(ident)
        out = self.entries(value, size, depth + 1)
        self.path.discard(ident)
        return out

    def entries(self, value: dict[Any, Any], size: int, depth: int) -> dict[str, Plain]:
        self.left -= 1
        if size > _PART or dict.__sizeof__(value) > _ROOMY:
            return self.many_entries(value, size, depth)
        self.left -= size
        try:
            return self.pairs(dict.items(value), depth, {})
        except RuntimeError:  # another thread resized it meanwhile
            return self.pairs(list(islice(dict.items(value), _PART)), depth, {})

    def many_entries(self, value: dict[Any, Any], size: int, depth: int) -> dict[str, Plain]:
        out: dict[str, Plain] = {}
        self.left -= gaps(dict.__sizeof__(value), size)
        for part in self.parts(iter(dict.items(value))):
            self.pairs(part, depth, out)
        if size > len(out):
            out["$more"] = omitted(size - len(out))
        return out

    def pairs(self, items: Iterable[tuple[Any, Any]], depth: int, out: dict[str, Plain]) -> dict[str, Plain]:
        """The hot loop: the plain types are told apart here, since a call for each would double its cost."""
        short = min(_SHORT_TEXT, self.text_chars)
        for key, value in items:
            kind = type(value)
            if kind is str:
                item = value if len(value) <= short and value.isascii() else self.text(value)
            elif kind is int:
                item = value if INT64_MIN <= value <= INT64_MAX else self.number(value)
            elif kind is bool or value is None:
                item = value
            elif kind is float:
                item = value if -_INFINITY < value < _INFINITY else number(value)
            else:
                item = self.copy(value, depth)
            if type(key) is str and len(key) <= _SHORT_TEXT and key.isascii():
                out[key] = item
            else:
                out[self.key(key, out)] = item
        return out

    def key(self, key: Any, taken: dict[str, Plain]) -> str:
        self.left -= 4
        if issubclass(type(key), str):
            text = self.text_key(key)
            return text if text not in taken else self.another(text, taken)
        if type(key) is int and INT64_MIN <= key <= INT64_MAX:
            text = str(key)
            return text if text not in taken else self.another(text, taken)
        plain = None if type(key) is tuple else self.copy(key, self.depth)
        if isinstance(plain, bool) or key is None:
            text = {True: "true", False: "false", None: "null"}[plain]  # pyright: ignore[reportArgumentType]
        elif isinstance(plain, (str, int, float)):
            text = fitting_key(str(plain))
        elif type(key) is tuple:
            text = self.tuple_name(key)
        else:
            text = f"<{type_name(type(key))}>"
        return text if text not in taken else self.another(text, taken)

    def text_key(self, key: str) -> str:
        size = str.__len__(key)
        if size > _SHORT_TEXT:
            self.chars -= min(size, KEY_CHARS)
        has_room = self.left > 0 if size <= _SHORT_TEXT else self.chars >= 0 and size <= KEY_CHARS
        return self.sound(str.__str__(key)) if has_room else str.__str__(no_room_for(size))

    def tuple_name(self, key: tuple[Any, ...]) -> str:
        kinds = tuple(map(type, key[:_MOST_NAMED]))
        # By identity: how a class is hashed may be its own code.
        known = tuple(map(id, kinds))
        name = self.tuples.get(known)
        if name is None:
            self.left -= 4 * len(kinds)
            name = self.tuples[known] = str(tuple(map(type_name, kinds)))
        return name

    def another(self, text: str, taken: dict[str, Plain]) -> str:
        """The text with the first number behind it that is free, looked for from the last one of this text on."""
        self.left -= 2
        count = self.names.get(text, 1) + 1
        while (name := f"{text} ({count})") in taken:
            count += 1
        self.names[text] = count
        return name

    def sequence(self, value: list[Any] | tuple[Any, ...], depth: int) -> Plain:
        ident = id(value)
        if ident in self.path:
            return {"$ref": "cycle"}
        is_tuple = isinstance(value, tuple)
        size = tuple.__len__(value) if is_tuple else list.__len__(value)
        if depth >= self.depth or self.left <= 0:
            return {"$type": "list", "$size": size}
        self.path.add(ident)
        self.left -= 1
        if size > _PART:
            out = self.some(tuple.__iter__(value) if is_tuple else list.__iter__(value), size, depth + 1)
        else:
            self.left -= size
            # The slice is a private copy: another thread may change the list while its items are copied.
            items = tuple.__getitem__(value, _WHOLE) if is_tuple else list.__getitem__(value, _WHOLE)
            copy, depth = self.copy, depth + 1
            out = [copy(item, depth) for item in items]
        self.path.discard(ident)
        return out

    def some(self, items: Iterator[Any], size: int, depth: int) -> list[Plain]:
        copy = self.copy
        out: list[Plain] = []
        for part in self.parts(items):
            out += [copy(item, depth) for item in part]
        if size > len(out):
            out.append(omitted(size - len(out)))
        return out

    def parts(self, items: Iterator[_Item]) -> Iterator[list[_Item]]:
        """The items in private lists, paid for, until nothing is left or another thread changed what holds them."""
        while self.left > 0:
            try:
                part = list(islice(items, min(_PART, self.left)))
            except RuntimeError:
                return
            self.left -= len(part)
            if not part:
                return
            yield part

    def number(self, value: int) -> Plain:
        if not INT64_MIN <= value <= INT64_MAX:
            self.left -= 8
        return integer(value)

    def text(self, value: str) -> str:
        size = str.__len__(value)
        if size > _SHORT_TEXT:
            self.chars -= min(size, self.text_chars)
            if self.chars < 0:
                self.left -= 2
                return no_room_for(size)
        if size > self.text_chars:
            return self.cut(value, size)
        if str.isascii(value):
            return str.__str__(value)
        return self.sound(str.__str__(value)) if self.left > 0 else no_room_for(size)

    def cut(self, value: str, size: int) -> Cut:
        half = self.text_chars // 2
        self.left -= self.text_chars >> 10
        head, tail = str.__getitem__(value, slice(half)), str.__getitem__(value, slice(size - half, None))
        return Cut(self.sound(head), self.sound(tail), size - 2 * half)

    def sound(self, text: str) -> str:
        """The text without lone surrogates, paid for by what it takes to look for them, and to replace them."""
        if text.isascii():
            return text
        self.left -= 1 + (len(text) >> 8)
        out = well_formed(text)
        if out is not text:
            self.left -= min(len(text), MOST_SURROGATES)
        return out

    def other(self, value: Any, depth: int) -> Plain:
        kind = type(value)
        ident = id(value)
        if ident in self.path:
            return {"$ref": "cycle"}
        if depth > self.depth or self.left <= 0:
            return {"$type": type_name(kind)}
        self.left -= 10
        self.path.add(ident)
        try:
            return convert(value, self, depth)
        except Exception as error:  # noqa: BLE001 -- a released buffer, a torn object: its neighbours are still recorded
            return {"$type": type_name(kind), "$error": type_name(type(error))}
        finally:
            self.path.discard(ident)
