"""What may be written of captured texts: bounded, and without secrets."""

from typing import Final

from inspector.encoding import Encoded, encode
from inspector.plain import Plain, written
from inspector.redaction import FAILED, Redactor

_MOST_KEYS: Final = 4096


class Texts:
    """Makes the texts of one recorder's spans.

    Args:
        redactor: What removes secrets.
        max_bytes: How long the JSON text of one value may be.
        content: Whether prompts, answers, arguments and results are recorded at all.
        raw: Whether what a replay needs beside them is.
    """

    def __init__(self, redactor: Redactor, *, max_bytes: int, content: bool, raw: bool = False) -> None:
        self.redactor = redactor
        self.content = content
        self.raw = raw and content
        self._max_bytes = max_bytes
        self._keys: dict[str, str] = {}

    def without_content(self) -> "Texts":
        """Return the same for whoever is to get names, times and counts alone."""
        return Texts(self.redactor, max_bytes=self._max_bytes, content=False)

    def of(self, value: Plain) -> Encoded:
        """Return the JSON text of a value as it is."""
        return encode(value, max_bytes=self._max_bytes)

    def has_room_for(self, size: int) -> bool:
        """Tell whether the JSON text of a value may be so many bytes long."""
        return size <= self._max_bytes

    def without_secrets(self, key: str, value: Plain) -> Encoded:
        """Return the JSON text of a value; ``key`` names it for rules that look at the names of fields."""
        return self.of(self.redactor.redact_value(key, value)[0])

    def key(self, key: str) -> str:
        """Return the name of an attribute without secrets; names recur, so each is searched once."""
        found = self._keys.get(key)
        if found is None:
            if len(self._keys) >= _MOST_KEYS:
                self._keys.clear()
            plain, _ = self.redactor.redact_value("attributes", {key: None})
            found = self._keys[key] = next(iter(plain)) if isinstance(plain, dict) else FAILED
        return found

    def redacted(self, key: str, text: str) -> str:
        """Return a short text without its secrets, as it is written."""
        return written(self.redactor.redact_text(key, text))
