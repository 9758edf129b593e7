"""The facts of one recorded call, each read on demand."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from inspector.encoding import encode
from inspector.frames import Refers
from inspector.parts import Parts
from inspector.plain import Plain
from inspector.reading.call_record import CallRecord, Section

MOST_BYTES = 4 << 20
"""Maximum length of the JSON text of a value read from another one."""
_decode = msgspec.json.decode
_NULL = "null"


class FactText(NamedTuple):
    """A value as JSON text."""

    json: str
    is_shortened: bool
    """Whether anything was left out of it."""


def text_of(value: Plain, *, of: FactText) -> FactText:
    """Return the JSON text of a value that was read from another one."""
    encoded = encode(value, max_bytes=MOST_BYTES)
    return FactText(encoded.text, encoded.truncated or of.is_shortened)


class Facts:
    """Captured values by name."""

    def __init__(self, record: CallRecord, section: Section, parts: Parts[Any] | None) -> None:
        self._raw: Mapping[str, Raw] = getattr(record, section) or {}
        self._framed: Mapping[str, Refers] = record.parts.get(section, {}) if record.parts else {}
        self._shortened = record.shortened.get(section, ()) if record.shortened else ()
        self._parts = parts
        self._texts: dict[str, FactText] = {}

    def __getitem__(self, fact: str) -> Plain:
        raw = self._raw.get(fact)
        value: Plain = _decode(self.text(fact).json if raw is None else raw)
        return value

    def get(self, fact: str) -> Plain:
        """Return a value; None if it is missing."""
        if fact in self._raw or fact in self._framed:
            return self[fact]
        return None

    def __contains__(self, fact: str) -> bool:
        """Tell whether a value is present, even if it is None."""
        return fact in self._raw or fact in self._framed

    def __iter__(self) -> Iterator[str]:
        yield from self._raw
        yield from self._framed

    def text(self, fact: str) -> FactText:
        """Return a value as JSON text: ``null`` if it is missing."""
        raw = self._raw.get(fact)
        if raw is not None:
            return FactText(bytes(raw).decode(), fact in self._shortened)
        known = self._texts.get(fact)
        if known is None:
            known = self._texts[fact] = self._put_together(fact)
        return known

    def _put_together(self, fact: str) -> FactText:
        frame = self._framed.get(fact)
        if frame is None:
            return FactText(_NULL, is_shortened=False)
        text = None if self._parts is None else self._parts.whole(frame)
        if text is None:
            return FactText(_NULL, is_shortened=True)
        return FactText(text.text, fact in self._shortened or not text.is_whole)
