"""Keeps track of the texts in the current spool file, so that a history that is sent again only costs its new text."""

from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller
from typing import NamedTuple, TypeAlias, cast

import msgspec
from msgspec import Raw

from inspector.frames import (
    LEAST_BYTES,
    Elements,
    Piece,
    Quoted,
    Refers,
    cut_messages,
    cut_strings,
    cut_value,
    frame_of,
    framed,
)
from inspector.parts import LONG_CHARS, part_line
from inspector.plain import Plain
from inspector.record.lines.messages import Messages, missing

_MOST_KNOWN = 16_384
_MOST_BLOCKS = 256
_BLOCK = 64
"""How many numbers a conversation reserves at a time, so that its history consists of a few runs of numbers."""
_TEXTS = ("", b"")
_SOME_TEXT = b'"..."'
_TEXT_MEMBERS = tuple(
    b'"%b":%b' % (name, space)
    for name in (b"content", b"text", b"thinking", b"reasoning_content", b"arguments", b"output", b"refusal")
    for space in (b"", b" ")
)
"""Members whose names never make their text a secret, so a text that was searched elsewhere is clean here too."""
_is_object = methodcaller("startswith", b"{")
_decode_string = msgspec.json.Decoder(str).decode

Clean: TypeAlias = Callable[[Sequence[bytes]], Sequence[bytes]]
"""Removes the secrets of messages."""


class NewParts(NamedTuple):
    """Parts that the file does not have yet."""

    lines: bytes
    refers_back: bool
    """Whether the frames also refer to parts that the file already has."""


class WrittenParts:
    """The parts in the current spool file, by their hash."""

    def __init__(self) -> None:
        self._file = -1
        self._numbers: dict[bytes, int] = {}
        self._redacted: set[bytes] = set()
        """Parts that had secrets; the file has them without."""
        self._blocks: dict[tuple[str, bytes], tuple[int, int]] = {}
        self._last = 0
        self._lines: list[bytes] = []
        self._new: set[int] = set()
        self._refers_back = False
        self._messages = Messages()
        self.framed_chars = 0
        """The total size of all texts that were framed."""

    def begin(self, file: int) -> None:
        """Set the file of the next lines; parts of other files are written again."""
        if file != self._file or len(self._numbers) > _MOST_KNOWN:
            self._file = file
            self._forget()

    def take(self) -> "NewParts":
        """Return the new parts of everything framed since the last call; they must be written before it."""
        new = NewParts(b"".join(self._lines), self._refers_back)
        self._lines, self._refers_back = [], False
        self._new.clear()
        return new

    def refers(self, key: str, pieces: Sequence[Piece]) -> Refers | None:
        """Return the frame of a text without secrets; None if nothing in it could repeat."""
        return self.framed(key, pieces, _unchanged) if pieces else None

    def has(self, string: bytes) -> bool:
        """Tell whether the file has a JSON string unchanged, which means that it was searched for secrets."""
        (address,) = self._messages.addresses((string,))
        return address in self._numbers and address not in self._redacted

    def unsearched(self, pieces: Sequence[Piece]) -> bytes:
        """Return JSON that was cut at its strings, with a placeholder for each message text that the file has."""
        texts: list[bytes] = []
        before = b""
        for piece in pieces:
            if isinstance(piece, bytes):
                before = piece
                texts.append(piece)
            elif isinstance(piece, Elements):
                (string,) = map(bytes, piece.bodies)
                texts.append(_SOME_TEXT if before.endswith(_TEXT_MEMBERS) and self.has(string) else string)
        return b"".join(texts)

    def pieces(self, text: str, *, is_prompt: bool) -> list[Piece]:
        """Return a text cut into its messages and the text around them; empty if it has no messages or is short."""
        return cut_messages(text, is_prompt=is_prompt) if len(text) > LONG_CHARS else []

    def strings(self, text: str) -> list[Piece]:
        """Return JSON text cut into its long strings and the text around them; empty if it is short."""
        return cut_strings(text.encode(), LEAST_BYTES) if len(text) > LONG_CHARS else []

    def quotations(self, text: str) -> list[Piece]:
        """Return any text cut like JSON; empty if what stands between its quotation marks is not a string of JSON."""
        pieces = self.strings(text)
        return pieces if all(_is_string(bytes(body)) for body in _bodies(pieces)) else []

    def pieces_of(self, prompt: Plain) -> list[Piece]:
        """Return the JSON of a prompt cut into messages; empty if it has none, or has other types than JSON."""
        if not isinstance(prompt, dict | list):
            return []
        try:
            return cut_value(prompt, self._messages.bodies)
        # A lone surrogate, or a marker of something left out.
        except (msgspec.MsgspecError, TypeError, UnicodeError, RecursionError):
            return []

    def framed(self, key: str, pieces: Sequence[Piece], clean: Clean) -> Refers:
        """Return the frame of a text that was cut."""
        self.framed_chars += size_of(pieces)
        return framed(pieces, lambda bodies: self._numbers_of(key, bodies, clean))

    def _numbers_of(self, key: str, bodies: Sequence[bytes | Raw], clean: Clean) -> list[int]:
        hashes = self._messages.addresses(bodies)
        known = self._numbers
        found = list(map(known.get, hashes))
        self._refers_back = self._refers_back or not self._new.issuperset(filter(None, found))
        if None not in found:
            return cast("list[int]", found)
        new = {hashes[at]: bytes(bodies[at]) for at in missing(found)}
        # Conversations may share their beginning, but differ in their first question.
        block = (key, b"".join(hashes[:2])) if len(hashes) > 1 else _TEXTS
        for address, body in zip(new, clean(list(new.values())), strict=True):
            # An earlier message may have contained it as a string.
            if address not in known:
                self._write(address, body, block)
                if body != new[address]:
                    self._redacted.add(address)
        return list(map(known.__getitem__, hashes))

    def _write(self, address: bytes, body: bytes, block: tuple[str, bytes]) -> None:
        # A string cannot be cut any further.
        pieces = [] if body.startswith(b'"') else cut_strings(body, LEAST_BYTES)
        whole = frame_of(framed(pieces, self._numbers_of_strings)) if pieces else body
        number = self._numbers[address] = self._next(block)
        self._lines.append(part_line(number, whole))
        self._new.add(number)

    def _numbers_of_strings(self, strings: Sequence[bytes | Raw]) -> list[int]:
        return self._numbers_of("", strings, _unchanged)

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
        self._redacted.clear()
        self._blocks.clear()


def _bodies(pieces: Sequence[Piece]) -> Iterator[bytes | Raw]:
    for piece in pieces:
        if isinstance(piece, Elements):
            yield from piece.bodies


def _is_string(body: bytes) -> bool:
    try:
        _decode_string(body)
    except (msgspec.MsgspecError, UnicodeError):
        return False
    return True


def _unchanged(bodies: Sequence[bytes]) -> Sequence[bytes]:
    return bodies


def size_of(pieces: Sequence[Piece]) -> int:
    """Return how many bytes a text has, without the separators of its messages."""
    return sum(map(_size, pieces))


def _size(piece: Piece) -> int:
    if isinstance(piece, bytes):
        return len(piece)
    if isinstance(piece, Quoted):
        return sum(map(_size, piece.pieces))
    return sum(map(len, piece.bodies))


def around(pieces: Sequence[Piece]) -> bytes | None:
    """Return a text with placeholders for its messages, to be searched for secrets.

    None if it has no messages, or if the text beside one could make it a secret, as in a command that is a list of
    words: then the text must be searched as a whole.
    """
    found = [_around(piece) for piece in pieces]
    return b"".join(piece for piece in found if piece is not None) if found and None not in found else None


def _around(piece: Piece) -> bytes | None:
    if isinstance(piece, bytes):
        return piece
    if isinstance(piece, Quoted):
        return around(piece.pieces)
    if len(piece.bodies) > 1 and not all(map(_is_object, map(bytes, piece.bodies))):
        return None
    return _SOME_TEXT
