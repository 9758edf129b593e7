"""Names and values that are listed: ``{"name": "API_KEY", "value": "…"}``, ``["Authorization", "…"]``, in any text."""

import re
from collections.abc import Iterator
from typing import Final

from inspector.redaction.quoting import COLON, COMMA, MARK, QUOTE, SPACE, closing

NAME_FIELDS: Final = ("name", "key", "header", "field", "variable", "env", "k", "id", "label")
"""Fields that hold a name in such a list."""
VALUE_FIELDS: Final = ("value", "val", "default", "content", "data", "v")
"""Fields that hold its value."""

_NAME = "|".join(NAME_FIELDS)
_VALUE = "|".join(VALUE_FIELDS)
_IS: Final = rf"(?:{QUOTE})?{SPACE}(?:{COLON}|=){SPACE}"
_AND: Final = rf"(?:{QUOTE})?(?:{SPACE}{COMMA}{SPACE}|\s{{1,16}}|(?:\\{{1,40}}[nrt]|\s){{1,16}})"
_OTHER_FIELD: Final = (
    rf"(?:{QUOTE})?[\w.-]{{1,32}}{_IS}(?:{QUOTE}[^\"'\\&%]{{0,64}}{QUOTE}|[\w.+-]{{1,20}}){SPACE}{COMMA}{SPACE}"
)

_NAMED_AFTER = re.compile(rf"{_AND}(?:{_OTHER_FIELD}){{0,4}}(?:{QUOTE})?(?:{_VALUE}){_IS}", re.IGNORECASE)
_ALONE: Final = r"(?:(?<![\w-])|(?<=%2[27])|(?<=%252[27])|(?<=%25252[27])|(?<=u002[27]))"
_NAME_BEFORE = re.compile(rf"{_ALONE}(?:{_NAME}){_IS}[bB]?(?:{QUOTE})?\Z", re.IGNORECASE)
_VALUE_HEAD = re.compile(rf"(?:{_VALUE}){_IS}[bB]?(\\{{0,40}})({MARK})", re.IGNORECASE)
_VALUE_TAIL = re.compile(rf"{QUOTE}{SPACE}{COMMA}{SPACE}(?:{QUOTE})?\Z")
_OPENED = re.compile(rf"(?:[\[(]|%(?:25){{0,3}}5[Bb]){SPACE}[bBrRuU]{{0,2}}{QUOTE}\Z")
_NEXT = re.compile(rf"{QUOTE}{SPACE}{COMMA}{SPACE}(?=[bBrRuU]{{0,2}}{QUOTE})")
_CLOSED = re.compile(rf"{QUOTE}{SPACE}(?:[\])]|%(?:25){{0,3}}5[Dd]|\\?\Z)")
_IDENTIFIER = re.compile(r"[a-z]+(?:_[a-z]+)*\Z")

_BEFORE: Final = 64
"""Characters before a name in which the beginning of its pair is looked for."""
_FARTHEST: Final = 2048
"""Characters before a name in which a value is looked for that stands first."""


def value_after(text: str, start: int, end: int) -> int | None:
    """Where the value begins of which the name between two positions is told in a list; None where there is none."""
    before = text[max(0, start - _BEFORE) : start]
    if _NAME_BEFORE.search(before):
        match = _NAMED_AFTER.match(text, end)
        return match.end() if match else None
    if _OPENED.search(before) and (match := _NEXT.match(text, end)):
        return match.end()
    return None


def is_pair(text: str, start: int, first: int, last: int) -> bool:
    """Whether a list of two is a name and its value: not one of several names, as ``required`` of a schema has."""
    if not _OPENED.search(text[max(0, start - _BEFORE) : start]):
        return True
    if not _CLOSED.match(text, last):
        return False
    return not _IDENTIFIER.match(text[first:last]) or _is_nested(text, start)


def _is_nested(text: str, start: int) -> bool:
    before = text[max(0, start - _BEFORE) : start]
    opened = _OPENED.search(before)
    return opened is not None and before[: opened.start()].rstrip().endswith(("[", "(", ",", "5B", "2C", "+", "20"))


def value_before(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The value that stands before its name in an object: ``{"value": "…", "name": "API_KEY"}``."""
    least = max(0, start - _FARTHEST)
    named = _NAME_BEFORE.search(text[max(0, start - _BEFORE) : start])
    if not named:
        return
    border = max(0, start - _BEFORE) + named.start()
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
