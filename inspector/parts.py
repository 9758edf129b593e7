"""Texts that repeat in a spool file: each is written once, on its own line, and then referred to by its number.

A part is JSON, or the frame of a message whose long strings are parts themselves. If the text of an attribute has
parts, the value has its frame in the field ``inspectorFrame``, in place of OTLP's ``stringValue``.
"""

from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Raw

from inspector.frames import Frame, Refers, frame_of, frame_text

FIELD: Final = "inspectorFrame"
"""The field of an OTLP/JSON ``AnyValue`` with the frame of a text."""
LONG_CHARS: Final = 1024
"""A text up to this length takes less space in place."""

_BEGIN = b'{"part":'
_MISSING = b"null"
_MOST_BYTES = 64 << 20
"""The most bytes of one text, the same as of a line."""
_LEAST_BYTES = 64
"""How many bytes the shortest part counts as, because a short run of numbers can refer to any number of them."""
_CACHED_BYTES = 8 << 20
_MOST_DIGITS = 18


class _Part(msgspec.Struct, omit_defaults=True):
    part: int
    json: Raw = Raw()
    frame: Frame | None = None


_decode_part = msgspec.json.Decoder(_Part).decode
_decode_refers = msgspec.json.Decoder(Refers).decode
_Place = TypeVar("_Place")


class JoinedText(NamedTuple):
    """The text of an attribute, joined from its parts."""

    text: str
    is_whole: bool
    """Whether all parts were found; the missing ones are null."""


def part_line(number: int, body: bytes | Frame) -> bytes:
    """Return the line of a part with its newline: plain JSON, or a frame with earlier parts."""
    what = b'"frame":' + msgspec.json.encode(body) if isinstance(body, Frame) else b'"json":' + body
    return b"%b%d,%b}\n" % (_BEGIN, number, what)


class Parts(Generic[_Place]):
    """The parts of one spool file, as far as it was read."""

    def __init__(self, load: Callable[[_Place], bytes]) -> None:
        self._load = load
        self._places: dict[int, _Place] = {}
        self._bodies: dict[int, bytes] = {}
        self._cached_bytes = 0
        self.given_bytes = 0
        """How many bytes of text were joined so far: short lines may refer to long texts."""
        self.incomplete = 0
        """How many texts lacked a part, or could not be joined."""

    def note(self, line: bytes, place: _Place) -> bool:
        """Remember the place of a part; returns whether the line is one."""
        if not line.startswith(_BEGIN):
            return False
        digits = line[len(_BEGIN) : len(_BEGIN) + _MOST_DIGITS + 1].partition(b",")[0]
        if digits.isdigit():
            self._places[int(digits)] = place
            self._bodies.pop(int(digits), None)
        return True

    def text(self, frame: bytes | Raw) -> JoinedText | None:
        """Return the text of an attribute by its frame; None if it is not a frame, or the text exceeds 64 MiB."""
        try:
            text = self.whole(_decode_refers(frame))
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            text = None
        self.incomplete += text is None or not text.is_whole
        return text

    def whole(self, refers: Refers) -> JoinedText | None:
        """Return the text of a frame; None if it is larger than 64 MiB."""
        try:
            reading = _Reading(self)
            text = frame_text(frame_of(refers), reading.body).decode()
        except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
            return None
        self.given_bytes += len(text)
        return JoinedText(text, reading.is_whole)

    def _body(self, number: int, reading: "_Reading", *, within: bool) -> bytes:
        body = self._bodies.get(number)
        if body is not None:
            return body
        place = self._places.get(number)
        if place is None:
            reading.is_whole = False
            return _MISSING
        part = _decode_part(self._load(place))
        if part.frame is None:
            body = bytes(part.json)
        elif within:
            raise ValueError("a part within a part within a part")
        else:
            body = frame_text(part.frame, reading.inner)
        if self._cached_bytes > _CACHED_BYTES:
            self._bodies.clear()
            self._cached_bytes = 0
        self._bodies[number] = body
        self._cached_bytes += len(body)
        return body


class _Reading:
    """One text while it is joined."""

    def __init__(self, parts: Parts[_Place]) -> None:
        self._body = parts._body  # noqa: SLF001 - of this module  # pyright: ignore[reportPrivateUsage]
        self._bytes = 0
        self.is_whole = True

    def body(self, number: int) -> bytes:
        """Return a part.

        Raises:
            ValueError: All parts together are longer than a text may be.
        """
        return self._count(self._body(number, self, within=False))

    def inner(self, number: int) -> bytes:
        """Return a part of a part, which cannot have parts itself."""
        return self._count(self._body(number, self, within=True))

    def _count(self, body: bytes) -> bytes:
        self._bytes += max(_LEAST_BYTES, len(body))
        if self._bytes > _MOST_BYTES:
            raise ValueError("longer than a text may be")
        return body
