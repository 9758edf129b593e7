"""JSON texts of captured values: redacted, bounded, made once a value."""

from typing import Final

import msgspec

from inspector.encoding import encode
from inspector.parts import LONG_CHARS
from inspector.plain import Plain, written
from inspector.record.spans import RecordedSpan, Text
from inspector.redaction import FAILED, Redactor

_MOST_KEYS: Final = 4096
_quote = msgspec.json.encode


class Texts:
    """Makes the texts of one recorder's spans.

    Nearly no text holds a secret, and looking for one costs as much for a short text as for a long one. So texts are
    made as they are and looked through together, once a record; only where something looks like a secret are they made
    again, ``strict``, each value redacted.

    Args:
        redactor: What removes secrets.
        max_bytes: How long the text of one value may be.
        content: Whether prompts, answers, arguments and results are recorded at all.
        strict: Whether every value is redacted at once.
    """

    def __init__(self, redactor: Redactor, *, max_bytes: int, content: bool, strict: bool = False) -> None:
        self.redactor = redactor
        self.content = content
        self.strict = strict
        self._max_bytes = max_bytes
        self._fresh: list[str] = []
        self._cut = False
        self._keys: dict[str, str] = {}

    def without_content(self) -> "Texts":
        """Return the same, strict, for whoever is to get names, times and counts alone."""
        return Texts(self.redactor, max_bytes=self._max_bytes, content=False, strict=True)

    def stricter(self) -> "Texts":
        """Return the same, strict."""
        return Texts(self.redactor, max_bytes=self._max_bytes, content=self.content, strict=True)

    def of(self, span: RecordedSpan, fact: str, value: Plain) -> Text:
        """Return the text of a value; ``fact`` names it, for its second use and for rules that look at field names."""
        texts = span.texts
        if texts is None:
            texts = span.texts = {}
        made = texts.get(fact)
        if made is None:
            made = texts[fact] = self.once(fact, value)
        return made

    def once(self, fact: str, value: Plain) -> Text:
        """Return the text of a value that may be another one the next time."""
        if self.strict:
            value, _ = self.redactor.redact_value(fact, value)
        made = encode(value, max_bytes=self._max_bytes)
        if not self.strict:
            self._fresh.append(made.text)
            self._cut |= made.truncated
        quoted = _quote(made.text) if len(made.text) <= LONG_CHARS else b""
        return Text(made.text, quoted, made.truncated, value)

    def clean(self, short: list[str]) -> bool:
        """Tell whether the texts made since the last look, and some short ones, hold nothing like a secret."""
        fresh, self._fresh = self._fresh, []
        cut, self._cut = self._cut, False
        if self.strict:
            return True
        fresh += short
        # What was shortened is redacted from the whole: a cut may run through a secret.
        return not cut and (not fresh or self.redactor.clean("\n".join(fresh)))

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
