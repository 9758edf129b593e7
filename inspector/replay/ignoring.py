"""Parts of requests that are not compared because two runs never agree on them, such as the time in a prompt."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import msgspec
from msgspec.structs import replace

from inspector.tape.request_parts import RequestParts, hashed_parts
from inspector.tape.tape import Tape

_IGNORED: Final = "[ignored]"


class Ignoring:
    """Removes what matches a regular expression from the texts of requests, and counts it.

    Raises:
        re.error: One is invalid.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = [re.compile(pattern) for pattern in patterns]
        self.counts: Counter[str] = Counter({each.pattern: 0 for each in self._patterns})
        """How often each pattern matched."""

    def in_request(self, request: RequestParts) -> RequestParts:
        """Return a request without the matches."""
        return hashed_parts(
            (label, self._value(_read(request.texts[digest]))) for label, digest in request.parts.items()
        )

    def in_tape(self, tape: Tape) -> Tape:
        """Return a tape whose requests are without the matches."""
        kept = [self.in_request(RequestParts(call.parts, tape.texts)) for call in tape.calls]
        calls = (replace(call, parts=dict(each.parts)) for call, each in zip(tape.calls, kept, strict=True))
        return replace(tape, calls=tuple(calls), texts={key: text for each in kept for key, text in each.texts.items()})

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._value(each) for each in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {key: self._value(each) for key, each in cast("Mapping[str, Any]", value).items()}
        return value

    def _text(self, text: str) -> str:
        for pattern in self._patterns:
            text, count = pattern.subn(_IGNORED, text)
            self.counts[pattern.pattern] += count
        return text


def _read(text: str) -> Any:
    return msgspec.json.decode(text)
