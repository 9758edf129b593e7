"""Quotation marks of text nested in text: escaped once for each level, or encoded for a URL or for HTML."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

compiled = cache(re.compile)
"""Compiles a pattern on first use: one with quotation marks takes a millisecond, and most are rare."""

MARK: Final = r"[\"'`]|&quot;|&\#(?:3[49]|[xX]2[27]);|%(?:25){0,3}2[27]|(?<=\\)u002[27]"
"""One quotation mark, without the backslashes before it."""
QUOTE: Final = rf"\\{{0,40}}(?:{MARK})"
SPACE: Final = r"(?:\s|\\{1,40}[nrt]|%(?:25){0,3}(?:20|0[AaDd9])|\+){0,200}+"
"""What may separate two parts of JSON, also in a URL: a line break and the indentation of the next part."""
COLON: Final = r"(?::|%(?:25){0,3}3[Aa])"
COMMA: Final = r"(?:,|%(?:25){0,3}2[Cc])"

_BRACKETS: Final = r"(?:[\[(]|%(?:25){0,3}5[Bb]|\s|\\{1,40}[nrt]|%(?:25){0,3}(?:20|0[AaDd9])|\+){0,200}+"
OPENING: Final = re.compile(rf"{_BRACKETS}[bBrRuUfF]{{0,2}}(\\{{0,40}})({MARK})")
_GOES_ON: Final = r"\s*(?:\Z|[}\]):;&<>\"'`\\%]|,(?:[\s\"'`\[{\\]|\Z))"
"""What may follow a closed value."""
NEXT_ITEM: Final = re.compile(rf"{SPACE}{COMMA}{SPACE}[bBrRuU]{{0,2}}(\\{{0,40}})({MARK})")


def anchored(text: str, searched: str, anchor: str, *patterns: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield what one of some patterns matches where an anchor is, and goes on behind it.

    Args:
        text: What is matched.
        searched: Where the anchor is looked for: the text, or the text in lower case, of the same length.
        anchor: What a match begins with; its end may begin it again.
        patterns: They match from the anchor on; the first that does counts.
    """
    position = searched.find(anchor)
    while position >= 0:
        end = position + 1
        for pattern in patterns:
            if match := pattern.match(text, position):
                yield match
                end = match.end()
                break
        position = searched.find(anchor, end)


def closing(text: str, position: int, quote: str, depth: int) -> int:
    """Find the end of a quoted value: a quote with as many backslashes as the opening one, or fewer.

    JSON in a string doubles its backslashes with every level: at a level whose quotes have ``depth`` of them, one of
    the value itself is ``2 * (depth + 1)`` of them, so the remainder tells a closing quote from an escaped one.
    The ``repr`` of JSON doubles the backslashes and leaves the quotes: there an escaped quote looks like one behind a
    backslash of the value, and what follows it tells.
    """
    start, end = position, text.find(quote, position)
    while end >= 0:
        run = end
        while run > start and text[run - 1] == "\\":
            run -= 1
        slashes = end - run
        of_value, rest = divmod(slashes - depth, 2 * (depth + 1))
        closes = rest == 0 and (of_value <= 0 or compiled(_GOES_ON).match(text, end + len(quote)))
        if slashes < depth or closes:
            return max(start, end - min(slashes, depth))
        position = end + 1
        end = text.find(quote, position)
    return len(text)
