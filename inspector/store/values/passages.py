"""The texts in a JSON value, and the passage of a text that has what is searched for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

_DEEPEST = 60
"""Levels of nested lists and maps that are taken apart."""
_AFTER = 160
"""Characters of a passage from its first match on."""
_SPACE = re.compile(r"\s+")
_MORE = "…"


def leaves(path: str, value: Any, deepest: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    """Yield every text, number, truth value and null in a JSON value, with its path."""
    inner: Iterable[tuple[str, Any]] | None = None
    if isinstance(value, dict) and deepest:
        inner = ((f".{key}", item) for key, item in cast("dict[str, Any]", value).items())
    elif isinstance(value, list) and deepest:
        inner = ((f"[{at}]", item) for at, item in enumerate(cast("list[Any]", value)))
    if inner is None:
        yield path, value
        return
    for step, item in inner:
        yield from leaves(path + step, item, deepest - 1)


def passage(text: str, terms: Sequence[re.Pattern[str]], *, before: int) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text around the first match on one line, and the start and end of each match in it."""
    first = min((match.start() for term in terms if (match := term.search(text))), default=None)
    if first is None:
        return "", ()
    begin, end = max(0, first - before), first + _AFTER
    shown = _SPACE.sub(" ", text[begin:end]).strip()
    around = f"{_MORE if begin else ''}{shown}{_MORE if end < len(text) else ''}"
    return around, tuple(_marks(around, terms))


def _marks(text: str, terms: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    end = 0
    for begin, until in sorted(found.span() for term in terms for found in term.finditer(text)):
        if begin >= end:
            yield begin, until
            end = until
