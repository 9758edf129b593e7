"""Points and stretches of time as a person writes them: ``2 days ago``, ``yesterday 14:30``, ``monday..today``."""

import re
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches

from inspector.cli.output.figures import NS_A_SECOND, parse_span_s

FORMS = "15m or '2 days ago', yesterday, 'monday 9:30', 14:30, 2026-11-22, 2026-11-22T10:30, unix nanoseconds"
"""The accepted forms, for help and error messages."""

_NANOSECONDS = re.compile(r"\d{12,20}", re.ASCII)
_NUMBER = re.compile(r"\d{1,11}", re.ASCII)
_AGO = re.compile(r"(\d{1,9}(?:\.\d{1,9})?|an?)\s*([a-z]+)(?:\s+ago)?", re.IGNORECASE | re.ASCII)
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?", re.ASCII)
_UNITS: dict[str, str] = {
    **dict.fromkeys(("second", "seconds", "sec", "secs"), "s"),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), "m"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), "h"),
    **dict.fromkeys(("day", "days"), "d"),
    **dict.fromkeys(("week", "weeks"), "w"),
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS_AGO = {"today": 0, "yesterday": 1}
_WORDS: tuple[str, ...] = ("now", *_DAYS_AGO, *_WEEKDAYS, *_UNITS, "ago")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_moment_ns(text: str, *, now_ns: int) -> int | None:
    """Read a point in time as nanoseconds since the Unix epoch; None for text that names none.

    Args:
        text: How long ago (``15m``, ``2 days ago``), ``now``, a day (``today``, ``yesterday``, the last ``monday``),
            which a time of day may follow, a time of day (today's), a date or RFC 3339 time (local unless it says so),
            or nanoseconds. A day stands for its first moment.
        now_ns: What the time ago is counted from.
    """
    text = text.strip()
    ago_s = _ago_s(text)
    if ago_s is not None:
        return max(0, now_ns - round(ago_s * NS_A_SECOND))
    if text.lower() == "now":
        return now_ns
    if _NANOSECONDS.fullmatch(text):
        count = int(text)
        return count if count < 1 << 64 else None
    try:
        local = _named(text.lower(), datetime.fromtimestamp(now_ns // NS_A_SECOND, UTC).astimezone())
        return _since_epoch_ns((local or datetime.fromisoformat(text)).astimezone(UTC))
    except (ValueError, OverflowError, OSError):
        return None


def parse_stretch_ns(text: str, *, now_ns: int) -> tuple[int, int | None] | None:
    """Read ``FROM..TO``, ``FROM..``, ``..TO`` or ``FROM`` alone as two points in time; None where one of them is none.

    Without a beginning, it is the epoch.
    """
    begin, dots, end = text.partition("..")
    is_open = bool(dots and end.strip() and not begin.strip())
    since_ns = 0 if is_open else parse_moment_ns(begin, now_ns=now_ns)
    until_ns = parse_moment_ns(end, now_ns=now_ns) if end.strip() else None
    if since_ns is None or (dots and end.strip() and until_ns is None):
        return None
    return since_ns, until_ns


def refusal(text: str) -> str:
    """Say that a text is not a time, what may have been meant, and which forms are accepted."""
    parts = [part for part in text.split("..") if part.strip()]
    wrong = next((part for part in parts if parse_moment_ns(part, now_ns=1 << 60) is None), text).strip()
    if _NUMBER.fullmatch(wrong):
        seconds = len(wrong) == len("1795000000")
        meant = f"{wrong}000000000, in nanoseconds" if seconds else f"{wrong}m, {wrong}h or {wrong}d"
        return f"{wrong!r} needs a unit; write {meant}"
    for match in re.finditer(r"[a-z]+", wrong.lower()):
        word = match[0]
        near = get_close_matches(word, _WORDS, n=1)
        if near and near[0] != word:
            return f"{wrong!r} is not a time; did you mean {wrong.lower().replace(word, near[0])!r}? Write {FORMS}"
    return f"{wrong!r} is not a time; write {FORMS}"


def _ago_s(text: str) -> float | None:
    short = parse_span_s(re.sub(r"\s+ago$", "", text, flags=re.IGNORECASE))
    match = _AGO.fullmatch(text)
    if short is not None or match is None or match[2].lower() not in _UNITS:
        return short
    number = "1" if match[1].lower() in ("a", "an") else match[1]
    return parse_span_s(number + _UNITS[match[2].lower()])


def _named(text: str, now: datetime) -> datetime | None:
    """Parse a day by its name and a time of day, either of which may be missing; None for other text."""
    day, _, clock = text.partition(" ")
    if _CLOCK.fullmatch(text):
        day, clock = "today", text
    on = _day(day, now.date())
    if on is None or (clock and not _CLOCK.fullmatch(clock.strip())):
        return None
    hours, minutes, seconds = [*map(int, clock.split(":") if clock else ()), 0, 0, 0][:3]
    return datetime.combine(on, time(hours, minutes, seconds))


def _day(name: str, today: date) -> date | None:
    if name in _DAYS_AGO:
        return today - timedelta(days=_DAYS_AGO[name])
    if name in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(name)) % 7 or 7)
    return None


def _since_epoch_ns(moment: datetime) -> int | None:
    since_epoch = moment - _EPOCH
    count = (since_epoch.days * 86_400 + since_epoch.seconds) * NS_A_SECOND + since_epoch.microseconds * 1000
    return count if count >= 0 else None
