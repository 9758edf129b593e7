"""Encodes captured values as text: bounded, and without secrets."""

from typing import Final

from inspector.encoding import Encoded, encode
from inspector.plain import Plain, written
from inspector.redaction import FAILED, Redactor

_MOST_KEYS: Final = 4096


class Texts:
    """Encodes the values of one recorder's spans; with ``raw``, also what a replay needs."""

    def __init__(self, redactor: Redactor, *, max_bytes: int, content: bool, raw: bool = False) -> None:
        self.redactor = redactor
        self.content = content
        self.raw = raw and content
        self._max_bytes = max_bytes
        self._keys: dict[str, str] = {}

    def without_content(self) -> "Texts":
        """Return the same without content, for receivers of names, times and counts only."""
        return Texts(self.redactor, max_bytes=self._max_bytes, content=False)

    def of(self, value: Plain) -> Encoded:
        """Return the JSON text of a value without redaction."""
        return encode(value, max_bytes=self._max_bytes)

    def has_room_for(self, size: int) -> bool:
        """Tell whether the JSON text of a value may have this many bytes."""
        return size <= self._max_bytes

    def without_secrets(self, key: str, value: Plain) -> Encoded:
        """Return the redacted JSON text of a value; rules for field names see it as the field ``key``."""
        return self.of(self.redactor.redact_value(key, value)[0])

    def key(self, key: str) -> str:
        """Return the name of an attribute without secrets; each name is searched once."""
        cached = self._keys.get(key)
        if cached is None:
            if len(self._keys) >= _MOST_KEYS:
                self._keys.clear()
            plain, _ = self.redactor.redact_value("attributes", {key: None})
            cached = self._keys[key] = next(iter(plain)) if isinstance(plain, dict) else FAILED
        return cached

    def redacted(self, key: str, text: str) -> str:
        """Return a short text without secrets, as it is written."""
        return written(self.redactor.redact_text(key, text))
