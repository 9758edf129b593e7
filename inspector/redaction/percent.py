"""Text encoded for a URL, as it reads once its escapes are undone, with where each of its letters came from."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

_TELLING: Final = re.compile(r"%(?:25){0,3}(?:2[027]|0[AaDd]|3[AaDd]|5[BbCc])")
"""An escape of what JSON, headers and commands cannot do without; addresses with others alone need no second look."""
_PLACEHOLDER: Final = re.compile(r"\[redacted:[\w ]{1,64}#[0-9a-f]{4}\]")
_RUN: Final = re.compile(rf"(?:{_PLACEHOLDER.pattern}|\S)+")
"""What no space ends, the placeholder of a secret that went earlier aside."""
_BLANKS: Final = " \n\t\r"
_ESCAPE: Final = re.compile(r"%(?:25){0,3}([0-7][0-9A-Fa-f])")


class Undone(NamedTuple):
    """A part of a text without the escapes of URLs, however often it was encoded, and with spaces for plus signs."""

    plain: str
    starts: tuple[int, ...]
    """Where in ``plain`` each piece begins: what stands between two escapes, and what an escape stands for."""
    sources: tuple[int, ...]
    """Where each of these begins in the text."""

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text the letters of ``plain`` between two positions are."""
        last = self._at(end - 1)
        inside = bisect_right(self.starts, end - 1) == bisect_right(self.starts, end)
        return self._at(start), last + 1 if inside else self.sources[bisect_right(self.starts, end) - 1]

    def _at(self, position: int) -> int:
        piece = bisect_right(self.starts, position) - 1
        return self.sources[piece] + position - self.starts[piece]


def undone(text: str) -> Iterator[Undone]:
    """Every part of a text, up to the next space, in which such escapes are."""
    position = 0
    while telling := _TELLING.search(text, position):
        run = _RUN.match(text, telling.start())
        start, position = _run_start(text, position, telling.start()), run.end() if run else telling.end()
        yield _undo(text, start, position)


def _run_start(text: str, least: int, position: int) -> int:
    """Where what no space ends began, not before ``least``."""
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
