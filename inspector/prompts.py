"""The latest long prompts, so that of the next one, which repeats one of them, only new messages have to be read."""

from typing import Final, Generic, TypeVar

import msgspec
from msgspec import Raw

T = TypeVar("T")
_LEAST = 16_384
"""A shorter prompt is read at once."""
_MOST = 16 << 20
"""The most characters of all that is kept."""
_KEPT = 8
_ARRAY: Final = msgspec.json.Decoder(list[Raw])


class Prompts(Generic[T]):
    """What was read of the latest long prompts, each a JSON array."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, T]] = []
        """The latest last, each without the bracket at its end."""

    def before(self, text: str) -> tuple[T, str] | None:
        """Return what was read of the longest beginning of a prompt, and the array of the messages after it."""
        if len(text) < _LEAST:
            return None
        found: tuple[str, T] | None = None
        for beginning, read in self._kept:
            if (found is None or len(beginning) > len(found[0])) and text.startswith(",", len(beginning)):
                found = (beginning, read) if text.startswith(beginning) else found
        return None if found is None else (found[1], f"[{text[len(found[0]) + 1 :]}")

    def keep(self, text: str, read: T) -> None:
        """Keep what was read of a whole prompt."""
        if not _LEAST <= len(text) <= _MOST or not text.endswith("]"):
            return
        beginning = text[:-1]
        # What it continues is needed no more, unless a conversation branches there.
        self._kept = [each for each in self._kept if not beginning.startswith(each[0])]
        self._kept.append((beginning, read))
        while len(self._kept) > _KEPT or sum(len(each[0]) for each in self._kept) > _MOST:
            del self._kept[0]

    def forget(self) -> None:
        """Forget all of them."""
        self._kept.clear()


def bodies_of(text: str) -> list[Raw] | None:
    """Return the messages of an array without spaces between them; None for any other text."""
    try:
        raw = text.encode()
        bodies = _ARRAY.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return bodies if bodies and raw == b"[" + b",".join(bodies) + b"]" else None
