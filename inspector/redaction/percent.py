"""URL-encoded text, decoded, with the original position of each letter."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

_MARK: Final = re.compile(r"%(?:25){0,3}(?:2[027]|0[AaDd]|3[AaDd]|5[BbCc])")
"""An escape of a character that JSON, headers and commands need; addresses with only other escapes are skipped."""
_PLACEHOLDER: Final = re.compile(r"\[redacted:[\w ]{1,64}#[0-9a-f]{4}\]")
_RUN: Final = re.compile(rf"(?:{_PLACEHOLDER.pattern}|\S)+")
"""A run without spaces, apart from the placeholder of a secret that was removed before."""
_BLANKS: Final = " \n\t\r"
_ESCAPE: Final = re.compile(r"%(?:25){0,3}([0-7][0-9A-Fa-f])")


class Undone(NamedTuple):
    """A part of a text with URL encoding undone, however often applied, and spaces for plus signs."""

    plain: str
    starts: tuple[int, ...]
    """The start in ``plain`` of each piece: the text between two escapes, or a decoded escape."""
    sources: tuple[int, ...]
    """The start of each piece in the text."""

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return the positions in the text for two positions in ``plain``."""
        last = self._at(end - 1)
        inside = bisect_right(self.starts, end - 1) == bisect_right(self.starts, end)
        return self._at(start), last + 1 if inside else self.sources[bisect_right(self.starts, end) - 1]

    def _at(self, position: int) -> int:
        piece = bisect_right(self.starts, position) - 1
        return self.sources[piece] + position - self.starts[piece]


def undone(text: str) -> Iterator[Undone]:
    """Yield every part of a text, up to the next space, that contains such escapes."""
    position = 0
    while mark := _MARK.search(text, position):
        run = _RUN.match(text, mark.start())
        start, position = _run_start(text, position, mark.start()), run.end() if run else mark.end()
        yield _undo(text, start, position)


def _run_start(text: str, least: int, position: int) -> int:
    """Return the start of the run without spaces, not before ``least``."""
    while (blank := max(text.rfind(each, least, position) for each in _BLANKS)) >= 0:
        opened = text.rfind("[redacted:", least, blank)
        placeholder = _PLACEHOLDER.match(text, opened) if opened >= 0 else None
        if not placeholder or placeholder.end() <= blank:
            return blank + 1
        position = opened
    return least


def _undo(text: str, position: int, end: int) -> Undone:
    pieces: list[str] = []
    starts: list[int] = []
    sources: list[int] = []
    length = 0
    for escape in _ESCAPE.finditer(text, position, end):
        for piece, source in (
            (text[position : escape.start()].replace("+", " "), position),
            (chr(int(escape[1], 16)), escape.start()),
        ):
            pieces.append(piece)
            starts.append(length)
            sources.append(source)
            length += len(piece)
        position = escape.end()
    pieces.append(text[position:end].replace("+", " "))
    return Undone("".join(pieces), (*starts, length), (*sources, position))
