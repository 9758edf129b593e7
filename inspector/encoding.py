"""JSON of plain values, shortened if it is too long, and still valid."""

from collections.abc import Iterator

import msgspec

from inspector.plain import Cut, Omitted, Plain, more, omitted, well_formed

_SHORTEST_TEXT = 48
_LONGEST_LISTS = (1000, 300, 100, 30, 10, 3, 1)


class Encoded(msgspec.Struct, frozen=True, gc=False):
    """The JSON text of a value."""

    text: str
    truncated: bool
    """Whether anything was left out of it, here or when the snapshot was taken."""


def write_mark(value: object) -> str:
    """What a snapshot left where it cut, as exact text: an ``enc_hook`` for encoders that write plain values.

    Raises:
        TypeError: The value is not part of a plain value.
    """
    if isinstance(value, Cut):
        return value.trimmed()
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"{type(value).__qualname__} is not part of a plain value")


class _Marks:
    """Writes marks, and remembers that there were any."""

    seen = False

    def write(self, value: object) -> str:
        self.seen = True
        return write_mark(value)


_encode = msgspec.json.Encoder().encode


def encode(plain: Plain, *, max_bytes: int) -> Encoded:
    """The JSON text of a plain value in at most ``max_bytes`` bytes of UTF-8.

    What is too long gets shorter where it hurts least: first the longest texts, all to one common length, then the ends
    of the longest lists and objects. A marker says how much is missing.
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
        # Escapes and non-ASCII letters take more bytes than characters: aim lower by as much as it came out too long.
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
    """The common length that brings a value of ``size`` bytes down to ``budget``; None when shortening texts cannot."""
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
    """The beginning and the end of a text that would take more than ``level`` bytes of JSON."""
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
