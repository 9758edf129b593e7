"""Encodes plain values as JSON, which is shortened if it is too long, and always valid."""

from collections.abc import Iterator

import msgspec

from inspector.plain import Cut, Omitted, Plain, more, omitted, well_formed

_SHORTEST_TEXT = 48
_LONGEST_LISTS = (1000, 300, 100, 30, 10, 3, 1)


class Encoded(msgspec.Struct, frozen=True, gc=False):
    """The JSON text of a value."""

    text: str
    truncated: bool
    """Whether anything was left out, here or in the snapshot."""


def write_mark(value: object) -> str:
    """Return the text of a snapshot's marker: an ``enc_hook`` for encoders of plain values.

    Raises:
        TypeError: The value is not part of a plain value.
    """
    if isinstance(value, Cut):
        return value.trimmed()
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"{type(value).__qualname__} is not part of a plain value")


class _Marks:
    """Writes markers, and remembers whether there were any."""

    seen = False

    def write(self, value: object) -> str:
        self.seen = True
        return write_mark(value)


_encode = msgspec.json.Encoder().encode


def encode(plain: Plain, *, max_bytes: int) -> Encoded:
    """Return the JSON text of a plain value in at most ``max_bytes`` bytes of UTF-8.

    If it is too long, the longest texts are shortened first, all to the same length, then the ends of the longest lists
    and objects. Markers have the number of missing characters or items.
    """
    try:
        raw, cut = _encode(plain), False
    except (TypeError, UnicodeEncodeError):
        marks = _Marks()
        raw = msgspec.json.Encoder(enc_hook=marks.write).encode(_well_formed(plain))
        cut = marks.seen
    if len(raw) <= max_bytes:
        return Encoded(raw.decode(), cut)
    return Encoded(_shorten(raw, max_bytes).decode(), truncated=True)


def _shorten(raw: bytes, max_bytes: int) -> bytes:
    whole: Plain = msgspec.json.decode(raw)
    budget = max_bytes
    for _ in range(6):
        level = _level(whole, len(raw), budget)
        if level is None:
            break
        shorter = _encode(_shorter(whole, level, None))
        if len(shorter) <= max_bytes:
            return shorter
        # Escapes and non-ASCII letters take several bytes, so reduce the budget by the factor by which it was exceeded.
        budget = budget * max_bytes // len(shorter) - 64
    for items in _LONGEST_LISTS:
        shorter = _encode(_shorter(whole, _SHORTEST_TEXT, items))
        if len(shorter) <= max_bytes:
            return shorter
    for last_resort in (_encode(more(len(raw), "byte")), b"null"):
        if len(last_resort) <= max_bytes:
            return last_resort
    return b"0"


def _level(plain: Plain, size: int, budget: int) -> int | None:
    """Return the length of texts that reduces a value of ``size`` bytes to ``budget``; None if that is not enough."""
    lengths = sorted((length for length in _lengths(plain) if length > _SHORTEST_TEXT), reverse=True)
    excess = size - budget
    marker = len(more(10**9, "character").encode())
    gained = 0
    for count, length in enumerate(lengths, start=1):
        below = lengths[count] if count < len(lengths) else _SHORTEST_TEXT
        step = (length - below) * count
        if gained + step >= excess + marker * count:
            return max(_SHORTEST_TEXT, length - -(-(excess + marker * count - gained) // count))
        gained += step
    return _SHORTEST_TEXT if gained else None


def _lengths(plain: Plain) -> Iterator[int]:
    waiting: list[Plain] = [plain]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield _size(item)
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _size(text: str) -> int:
    return len(_encode(text)) - 2


def _shorter(plain: Plain, level: int, items: int | None) -> Plain:
    if isinstance(plain, str):
        return _shorter_text(plain, level)
    if isinstance(plain, list):
        kept = [_shorter(item, level, items) for item in plain[:items]]
        return kept if items is None or len(plain) <= items else [*kept, _rest(plain[items:])]
    if isinstance(plain, dict):
        pairs = list(plain.items())[:items]
        out: dict[str, Plain] = {_shorter_text(key, level): _shorter(item, level, items) for key, item in pairs}
        if items is not None and len(plain) > items:
            out["$more"] = _rest(list(plain.values())[items:])
        return out
    return plain


def _rest(dropped: list[Plain]) -> str:
    return str.__str__(omitted(len(dropped)))


def _shorter_text(text: str, level: int) -> str:
    """Return the beginning and the end of a text that would take more than ``level`` bytes of JSON."""
    if len(text) * 6 <= level or (size := _size(text)) <= level:
        return text
    kept = max(1, len(text) * level // size)
    tail = kept // 4
    return text[: kept - tail] + more(len(text) - kept, "character") + text[len(text) - tail :]


def _well_formed(plain: Plain) -> Plain:
    if isinstance(plain, str):
        return plain if isinstance(plain, Cut | Omitted) else well_formed(plain)
    if isinstance(plain, dict):
        return {well_formed(key): _well_formed(item) for key, item in plain.items()}
    if isinstance(plain, list):
        return [_well_formed(item) for item in plain]
    return plain
