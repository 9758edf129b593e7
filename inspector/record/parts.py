"""Which texts the spool file that is written has already, so that a history that is sent again costs its new text."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Raw

from inspector import semconv as sc
from inspector.frames import LEAST_BYTES, Refers, cut, cut_strings, frame_of, framed
from inspector.parts import LONG_CHARS, part_line

_MOST_KNOWN = 16_384
_MOST_BLOCKS = 256
_BLOCK = 64
"""Numbers that a conversation takes at once, so that its history is a few runs of them."""
_TEXTS = ("", b"")


class NewParts(NamedTuple):
    """Parts that the file does not have yet."""

    lines: bytes
    refers_back: bool
    """Whether others were named too, which it has."""


class WrittenParts:
    """The parts of the file that is being written, known by their hash."""

    def __init__(self) -> None:
        self._file = -1
        self._numbers: dict[bytes, int] = {}
        self._blocks: dict[tuple[str, bytes], tuple[int, int]] = {}
        self._last = 0
        self._lines: list[bytes] = []
        self._new: set[int] = set()
        self._refers_back = False
        self.framed_chars = 0
        """How long all texts are of which frames were given."""

    def begin(self, file: int) -> None:
        """Say which file the next lines go to: what another one has is written again."""
        if file != self._file or len(self._numbers) > _MOST_KNOWN:
            self._file = file
            self._forget()

    def take(self) -> "NewParts":
        """Return the parts that what was framed since the last call needs, to be written before it."""
        new = NewParts(b"".join(self._lines), self._refers_back)
        self._lines, self._refers_back = [], False
        self._new.clear()
        return new

    def refers(self, key: str, text: str) -> Refers | None:
        """Return the frame of an attribute's text; None where it has nothing that may repeat."""
        if len(text) <= LONG_CHARS:
            return None
        pieces = cut(text, is_prompt=key in sc.MESSAGE_KEYS) or cut_strings(text.encode(), LEAST_BYTES)
        if not pieces:
            return None
        self.framed_chars += len(text)
        return framed(pieces, lambda bodies: self._numbers_of(key, bodies))

    def _numbers_of(self, key: str, bodies: Sequence[bytes | Raw]) -> list[int]:
        hashes = [blake2b(body, digest_size=16).digest() for body in bodies]
        # Conversations begin alike and part with their first question.
        block = (key, b"".join(hashes[:2])) if len(hashes) > 1 else _TEXTS
        numbers: list[int] = []
        for address, body in zip(hashes, bodies, strict=True):
            number = self._numbers.get(address)
            if number is None:
                number = self._write(address, bytes(body), block)
            elif number not in self._new:
                self._refers_back = True
            numbers.append(number)
        return numbers

    def _write(self, address: bytes, body: bytes, block: tuple[str, bytes]) -> int:
        # A string is not cut into itself.
        pieces = [] if body.startswith(b'"') else cut_strings(body, LEAST_BYTES)
        whole = frame_of(framed(pieces, lambda strings: self._numbers_of("", strings))) if pieces else body
        number = self._numbers[address] = self._next(block)
        self._lines.append(part_line(number, whole))
        self._new.add(number)
        return number

    def _next(self, block: tuple[str, bytes]) -> int:
        number, end = self._blocks.pop(block, (0, 0))
        if number == end:
            number, end = self._last + 1, self._last + 1 + _BLOCK
            self._last += _BLOCK
        if len(self._blocks) >= _MOST_BLOCKS:
            del self._blocks[next(iter(self._blocks))]
        self._blocks[block] = number + 1, end
        return number

    def _forget(self) -> None:
        self._numbers.clear()
        self._blocks.clear()
