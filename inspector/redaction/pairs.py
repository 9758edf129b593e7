"""Names and values in lists, in any text: ``{"name": "API_KEY", "value": "…"}``, ``["Authorization", "…"]``."""

import re
from collections.abc import Iterator
from typing import Final

from inspector.redaction.names import label_of
from inspector.redaction.quoting import COLON, COMMA, MARK, QUOTE, SPACE, closing, compiled

NAME_FIELDS: Final = ("name", "key", "header", "field", "variable", "env", "k", "id", "label")
"""Fields for a name in such a list."""
VALUE_FIELDS: Final = ("value", "val", "default", "content", "data", "v")
"""Fields for its value."""

_NAME = "|".join(NAME_FIELDS)
_VALUE = "|".join(VALUE_FIELDS)
_IS: Final = rf"(?:{QUOTE})?{SPACE}(?:{COLON}|=){SPACE}"
_AND: Final = rf"(?:{QUOTE})?(?:{SPACE}{COMMA}{SPACE}|(?:\\{{1,40}}[nrt]|\s){{1,200}}+)"
_OTHER_FIELD: Final = (
    rf"(?:{QUOTE})?[\w.-]{{1,32}}{_IS}(?:{QUOTE}[^\"'\\&%]{{0,64}}{QUOTE}|[\w.+-]{{1,20}}){SPACE}{COMMA}{SPACE}"
)

_NAMED_AFTER = re.compile(rf"{_AND}(?:{_OTHER_FIELD}){{0,4}}(?:{QUOTE})?(?:{_VALUE}){_IS}", re.IGNORECASE)
_ALONE: Final = r"(?:(?<![\w-])|(?<=%2[27])|(?<=%252[27])|(?<=%25252[27])|(?<=u002[27]))"
_PATH: Final = r"(?:(?<=\\u002[27])|(?<![\w.:/-])(?!(?<=\\)u002[27]))[\w.:/-]{0,64}[/:]\Z"
_NAME_BEFORE = re.compile(rf"{_ALONE}(?:{_NAME}){_IS}[bB]?(?:{QUOTE})?\Z", re.IGNORECASE)
_VALUE_HEAD = re.compile(rf"(?:{_VALUE}){_IS}[bB]?(\\{{0,40}})({MARK})", re.IGNORECASE)
_VALUE_TAIL = re.compile(rf"{QUOTE}{SPACE}{COMMA}{SPACE}(?:{QUOTE})?\Z")
_OPENED = re.compile(rf"(?:[\[(]|%(?:25){{0,3}}5[Bb]){SPACE}[bBrRuU]{{0,2}}{QUOTE}\Z")
_NEXT = re.compile(rf"{QUOTE}{SPACE}{COMMA}{SPACE}(?=[bBrRuU]{{0,2}}{QUOTE})")
_LISTED: Final = rf"{COMMA}{SPACE}[bBrRuU]{{0,2}}{QUOTE}\Z"
_CLOSED = re.compile(rf"{QUOTE}{SPACE}(?:[\])]|%(?:25){{0,3}}5[Dd]|\\?\Z)")
_HEADER_VALUE: Final = (
    r"(?:(?=[^0-9]{0,128}[0-9])[^,]{8,4096}|(?=[^A-Z]{0,128}[A-Z])(?=[^a-z]{0,128}[a-z])\w{16,4096})\Z"
)
_HEADER: Final = r"[A-Za-z][A-Za-z-]{3,40}\Z"
_IDENTIFIER = re.compile(r"[a-z]+(?:_[a-z]+)*\Z")

_IS_SIGNS: Final = (":", "=", "3A", "3a")
"""Everything that ``_IS`` matches contains one of these, URL-encoded or not."""
_QUOTE_ENDS: Final = frozenset("\"'`;27")
"""Possible last characters of a quotation mark as in ``MARK``."""
_NEAR: Final = 64
"""How many characters before a name to search for its field."""
_BEFORE: Final = 256
"""How many characters before a name to search for the start of its pair."""
_FARTHEST: Final = 2048
"""How many characters before a name to search for a value that comes first."""


def value_after(text: str, start: int, end: int) -> int | None:
    """Find the start of the value whose listed name is between two positions; None if there is none."""
    if _named(text, start) is not None:
        match = _NAMED_AFTER.match(text, end)
        return match.end() if match else None
    if text[start - 1 : start] not in _QUOTE_ENDS:
        return None
    before = text[max(0, start - _BEFORE) : start]
    listed = _OPENED.search(before) or (is_header(text[start:end]) and compiled(_LISTED).search(before))
    match = _NEXT.match(text, end) if listed else None
    return match.end() if match else None


def _named(text: str, start: int) -> int | None:
    """Find the start of the field with this name as its value, perhaps at the end of a path; None without one."""
    near = text[max(0, start - _NEAR) : start]
    # A tenth of the search, and rarely true.
    if not any(sign in near for sign in _IS_SIGNS):
        return None
    if near.endswith(("/", ":")) and (path := compiled(_PATH).search(near)):
        start -= len(path[0])
        near = text[max(0, start - _NEAR) : start]
    field = _NAME_BEFORE.search(near)
    return start - len(near) + field.start() if field else None


def is_header(name: str) -> bool:
    """Whether a name is an HTTP header, which some programs list flat: name, value, name, value."""
    return compiled(_HEADER).match(name) is not None and ("-" in name or label_of(name) in ("authorization", "cookie"))


def is_header_value(value: str) -> bool:
    """Whether a text can be the secret after a header's name in such a list, and not the next name."""
    return compiled(_HEADER_VALUE).match(value) is not None


def is_pair(text: str, name: tuple[int, int], value: tuple[int, int]) -> bool:
    """Whether a list is a name and its value, and not several names, as in ``required`` of a schema."""
    before = text[max(0, name[0] - _BEFORE) : name[0]]
    opened = _OPENED.search(before) is not None
    if not opened and not compiled(_LISTED).search(before):
        return True
    shown = text[slice(*value)]
    if not opened or not _CLOSED.match(text, value[1]):
        return is_header(text[slice(*name)]) and is_header_value(shown)
    return not _IDENTIFIER.match(shown) or _is_nested(text, name[0])


def _is_nested(text: str, start: int) -> bool:
    before = text[max(0, start - _BEFORE) : start]
    opened = _OPENED.search(before)
    return opened is not None and before[: opened.start()].rstrip().endswith(("[", "(", ",", "5B", "2C", "+", "20"))


def value_before(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Find a value that precedes its name in an object: ``{"value": "…", "name": "API_KEY"}``."""
    least = max(0, start - _FARTHEST)
    border = _named(text, start)
    if not border:
        return
    tail = _VALUE_TAIL.search(text[max(0, border - _BEFORE) : border])
    if not tail:
        return
    last = max(0, border - _BEFORE) + tail.start()
    for field in VALUE_FIELDS[:2]:
        at = text.rfind(field, least, last)
        head = _VALUE_HEAD.match(text, at, last) if at >= 0 else None
        if head and closing(text, head.end(), head[2], len(head[1])) == last:
            yield head.end(), last
            return
