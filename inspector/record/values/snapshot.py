"""Private copies of the values of hooks, made in the agent's thread without running any of its code.

A hook may pass anything: models, arrays, generators, objects whose ``repr`` blocks. ``snapshot`` reads them statically:
instance dictionaries, slots, and the builtin methods of builtin types. So no property, ``__getattr__``, ``__iter__`` or
``__repr__`` of the application runs, no iterator is consumed, and ``Limits`` bound the work.
"""

# The values are of any type, and read through unbound methods of builtins, whose type arguments pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, TypeVar

import msgspec

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
from inspector.record.values.layouts import type_name
from inspector.record.values.plainness import UNENCODABLE, room_left
from inspector.record.values.shapes import convert
from instrument.signals import is_of_signal

DEFAULT_LIMITS = Limits()
_encode: Final = msgspec.json.Encoder().encode
_INFINITY = float("inf")
_SHORT_TEXT = 1024
"""Shorter texts and keys do not count towards the limit of characters; the number of entries bounds them."""
_SMALL_CHARS = 65_536
"""The most characters of a value that is copied in one step, entries included."""
_MOST_NAMED = 20
"""How many item types the name of a tuple key lists."""
_PART = 32
"""How many entries are subtracted from the budget at a time."""

_WHOLE = slice(_PART)
_ROOMY = 16_384
"""A dictionary with a larger table has, or once had, more than ``_PART`` entries."""

_Item = TypeVar("_Item")


def snapshot(value: Any, limits: Limits = DEFAULT_LIMITS) -> Plain:
    """Return a bounded private copy of any value, without running its code; never raises because of the value.

    The copy may contain secrets: redact it before it leaves the process. A text longer than ``limits.text_chars``
    becomes a ``Cut``, entries beyond ``limits.items`` an ``Omitted`` marker, and an object that contains itself
    ``{"$ref": "cycle"}``.
    """
    try:
        is_bare = limits is DEFAULT_LIMITS and (type(value) is dict or type(value) is list)
        out = _copied_at_once(value) if is_bare else None
        return _copied(value, limits) if out is None else out
    except Exception as error:  # the boundary to the agent: no value may raise in its thread
        if is_of_signal(error):
            raise
        return {"$type": type_name(type(value)), "$error": type_name(type(error))}


def _copied_at_once(value: Any) -> Any:
    """Return the copy of a small dictionary or list of JSON's own types, as most values are; None for all others."""
    try:
        if room_left(value, _SMALL_CHARS, DEFAULT_LIMITS.depth) < 0:
            return None
        copy = msgspec.to_builtins(value)
        # Only to raise: `to_builtins` does not copy texts, and one may have a lone surrogate.
        _encode(copy)
    except UNENCODABLE:
        return None
    return copy


_MOST_WITHOUT_ROOM: Final = 512
"""The budget of a first walk; if it is used up, a second walk starts in a large stack frame, which costs 20 µs."""


def _copied(value: Any, limits: Limits) -> Plain:
    most = limits.items + 1
    walk = _Walk(limits, min(most, _MOST_WITHOUT_ROOM))
    out = walk.copy(value, 0)
    # A walk with budget left has omitted nothing, so a larger budget would give the same copy.
    return out if walk.left > 0 or most <= _MOST_WITHOUT_ROOM else _with_room(_Walk(limits, most), value)


def _with_room(walk: "_Walk", value: Any) -> Plain:
    return walk.copy(value, 0)


_ROOM: Final = 8192
"""How many words of Python's stack to reserve, so that all frames of a walk are in one chunk of it.

CPython (3.11 and later, ``_PyThreadState_PushFrame``) stores frames in chunks of 2,048 words. Each call that crosses
the end of a chunk allocates one, and its return frees it: a walk across an end took eight times as long. A frame of
this size gets a chunk of 16,384 words, half of it for the frames of the walk: enough for more than 32 levels of any
values.
"""
_with_room.__code__ = _with_room.__code__.replace(co_stacksize=_ROOM)


class _Walk:
    """One copy in progress: the budget that is left, and the containers that are being copied."""

    __slots__ = ("chars", "depth", "left", "names", "path", "text_chars", "tuples")

    def __init__(self, limits: Limits, left: int) -> None:
        self.depth = limits.depth
        self.left = left
        """The budget. Entries are subtracted ``_PART`` at a time, before they are read. When nothing is left, those
        already subtracted become a marker each, and all others one marker."""
        self.chars = limits.all_chars
        self.names: dict[str, int] = {}
        """How many keys have got the same name so far."""
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
        """Copy pairs: the hot loop. It handles the plain types itself, since a call per value would double its cost."""
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
        # By identity, because ``hash`` of a class may run its own code.
        ids = tuple(map(id, kinds))
        name = self.tuples.get(ids)
        if name is None:
            self.left -= 4 * len(kinds)
            name = self.tuples[ids] = str(tuple(map(type_name, kinds)))
        return name

    def another(self, text: str, taken: dict[str, Plain]) -> str:
        """Return the text with the first free number after it, counting from the last one used for this text."""
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
        """Yield lists of items, and subtract them from the budget; stop when it is used up or the size changes."""
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
        """Return the text without lone surrogates; searching and replacing are subtracted from the budget."""
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
        except Exception as error:  # a released buffer, a torn object: its neighbours are still recorded
            if is_of_signal(error):
                raise
            return {"$type": type_name(kind), "$error": type_name(type(error))}
        finally:
            self.path.discard(ident)
