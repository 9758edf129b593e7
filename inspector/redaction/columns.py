"""Table columns with the name of a secret as their header: CSV below ``name,password``, as in exports."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from inspector.redaction.names import Label, label_of
from inspector.redaction.plausible import keeps
from inspector.redaction.quoting import compiled

_BREAK: Final = r"\r?\n|(?:\\{1,40}r)?(?P<slashes>\\{1,40})n"
_SEPARATOR: Final = r"(?P<separator>[,;|\t]|\\{1,40}t)"
_AFTER: Final = rf"(?:\\{{0,40}}[\"'])? ?(?:{_SEPARATOR}|\r?\n|\\{{1,40}}[rn])"
_BEFORE: Final = rf"{_SEPARATOR} ?(?:\\{{0,40}}[\"'])?\Z"
_HEAD: Final = r"(?:\\{0,40}[\"'])?[A-Za-z_][\w .#/:-]{0,63}(?:\\{0,40}[\"'])?\Z"
_RULE: Final = r"[\s|:-]*-[\s|:-]*\Z"
_QUOTE: Final = r"(\\{0,40})\""
_DIGITS_IN_IT: Final = r"(?=[^0-9]*[0-9])[\w+/=.~-]{12,}\Z"
"""Many tables have words below ``token``; a real token has digits and no spaces."""
_AROUND: Final = " \t\"'\\"
_MAY_FOLLOW: Final = ",;\t|\r\n\\\"' "
_MOST_ROWS: Final = 1_000
_LONGEST_LINE: Final = 2_048


class _Table(NamedTuple):
    """The start of a table's rows, and their format."""

    start: int
    separator: str
    cells: int
    column: int
    """The index of the column."""
    slashes: int
    """The number of backslashes before the ``n`` of its line breaks; 0 for real line breaks."""


def in_column(text: str, start: int, end: int, label: Label) -> Iterator[tuple[int, int]]:
    """Find the values below the name between two positions, if it heads a column."""
    table = _table_at(text, start, end) if text[end : end + 1] in _MAY_FOLLOW else None
    if table is None:
        return
    for first, last in islice(_rows(text, table), _MOST_ROWS):
        row = text[first:last]
        cells = row.split(table.separator)
        if table.separator == "|" and compiled(_RULE).match(row):
            continue
        value = cells[table.column].strip(_AROUND) if len(cells) == table.cells else ""
        if len(cells) != table.cells or label_of(value):
            return
        if value and not keeps(label, value) and (label != "token" or compiled(_DIGITS_IN_IT).match(value)):
            before = sum(map(len, cells[: table.column])) + table.column * len(table.separator)
            begin = text.index(value, first + before)
            yield begin, begin + len(value)


def _table_at(text: str, start: int, end: int) -> _Table | None:
    beside = compiled(_AFTER).match(text, end)
    if beside and not beside["separator"]:
        beside = compiled(_BEFORE).search(text[max(0, start - 48) : start])
    line_end = _next_break(text, end) if beside else None
    if not beside or line_end is None:
        return None
    slashes = len(line_end["slashes"] or "")
    line_start = _line_start(text, start, slashes)
    separator = beside["separator"]
    head = text[line_start : line_end.start()]
    cells, column = head.split(separator), head.count(separator, 0, start - line_start)
    if not _is_header(cells, separator) or cells[column].strip(_AROUND) != text[start:end]:
        return None
    return _Table(line_end.end(), separator, len(cells), column, slashes)


def _line_start(text: str, start: int, slashes: int) -> int:
    least = max(0, start - _LONGEST_LINE)
    before = text[least:start]
    # From the end, since a line is short: a break ends with one of the two, however often it is escaped.
    begin = max(before.rfind("\n") + 1, before.rfind("\\n") + 2 if "\\n" in before else 0)
    # The table begins inside a string, after its quotation mark.
    quotes = (found for found in compiled(_QUOTE).finditer(before, begin) if len(found[1]) < slashes)
    return least + max((found.end() for found in quotes), default=begin)


def _next_break(text: str, position: int) -> re.Match[str] | None:
    end = position + _LONGEST_LINE
    # Ten times as fast as the pattern, and most names of secrets are not headers.
    if text.find("\n", position, end) < 0 and text.find("\\n", position, end) < 0:
        return None
    return compiled(_BREAK).search(text, position, end)


def _is_header(cells: list[str], separator: str) -> bool:
    if separator == "|":
        return len(cells) > 1 and all(not each.strip() or compiled(_HEAD).match(each.strip()) for each in cells)
    # A sentence has spaces after its commas; text before the table ends up in the first cell.
    return len(cells) > 1 and bool(compiled(_HEAD).search(cells[0])) and all(map(compiled(_HEAD).match, cells[1:]))


def _rows(text: str, table: _Table) -> Iterator[tuple[int, int]]:
    """Return the lines after the header; inside a string they end with it."""
    position = table.start
    while position < len(text):
        found = _next_break(text, position)
        end = found.start() if found else min(len(text), position + _LONGEST_LINE)
        quotes = compiled(_QUOTE).finditer(text, position, end) if table.slashes else ()
        # At a level where breaks have so many backslashes, quotes of the string around have fewer, inner ones more.
        closing = next((quote.start() for quote in quotes if len(quote[1]) < table.slashes), None)
        yield position, end if closing is None else closing
        if closing is not None or not found:
            return
        position = found.end()
