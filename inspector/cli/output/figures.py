"""Times, durations, sizes, tokens and costs: how a person writes them, in and out.

``web/src/lib/format.ts`` keeps the same rules; ``tests/figures.json`` holds both to them.
"""

import math
import re
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal

NS_A_SECOND = 1_000_000_000
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smhdw])", re.IGNORECASE | re.ASCII)
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*(?:([kmgt])(i?))?b?", re.IGNORECASE | re.ASCII)
_SIZE_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZES = (("kB", 10**3), ("MB", 10**6), ("GB", 10**9))
_MINUS = "\u2212"
UNKNOWN = "\u2013"
"""Shown in place of an unknown figure."""
_MINUTE_MS = 60_000
_DAYS_FROM = 48 * 60
"""From this many minutes on, a duration is written in days."""


def duration(milliseconds: float | None) -> str:
    """Format a duration as the pages do: ``3.20 ms``, ``840 ms``, ``1.93 s``, ``2 m 05 s``, ``3 h 20 m``, ``5 d``.

    Empty if unknown; negative if two clocks disagree.
    """
    if milliseconds is None or not math.isfinite(milliseconds):
        return ""
    if milliseconds < 0:
        return f"{_MINUS}{duration(-milliseconds)}"
    return _short_duration(milliseconds) or _long_duration(milliseconds)


def _short_duration(ms: float) -> str:
    """Format less than a minute with three significant digits and a suitable unit."""
    if ms == 0:
        return "0 ms"
    if ms < 0.001:
        return "<1 µs"
    if ms < 0.9995:
        return f"{_fixed(ms * 1000, 0)} µs"
    if ms < 999.5:
        return f"{_fixed(ms, 2 if ms < 10 else 1 if ms < 100 else 0)} ms"
    return f"{_fixed(ms / 1000, 2 if ms < 9_995 else 1)} s" if ms < 59_950 else ""


def _long_duration(ms: float) -> str:
    seconds = int(_fixed(ms / 1000, 0))
    if seconds < 3600:
        return f"{seconds // 60} m {seconds % 60:02} s"
    minutes = int(_fixed(ms / _MINUTE_MS, 0))
    if minutes < _DAYS_FROM:
        return f"{minutes // 60} h {minutes % 60:02} m"
    return f"{int(_fixed(minutes / 1440, 0)):,} d"


def _fixed(value: float, digits: int) -> str:
    """Round like JavaScript's ``toFixed``, halves away from zero, so that the pages show the same digits."""
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


def cost(dollars: float | None) -> str:
    """Format a cost as the pages do: four decimals below a dollar, cents above; empty if unknown."""
    if dollars is None or not math.isfinite(dollars):
        return ""
    if dollars < 0:
        return f"{_MINUS}{cost(-dollars)}"
    if 0 < dollars < 0.0001:
        return "<$0.0001"
    if dollars == 0:
        return "$0"
    return f"${_fixed(dollars, 4)}" if dollars < 0.99995 else f"${Decimal(_fixed(dollars, 2)):,}"


def tokens(sent: int | None, answered: int | None) -> str:
    """Format input and output tokens as ``1,234 → 56``, with a dash for an unknown one."""
    if sent is None and answered is None:
        return ""
    left = UNKNOWN if sent is None else f"{sent:,}"
    right = UNKNOWN if answered is None else f"{answered:,}"
    return f"{left} → {right}"


def size(count: int) -> str:
    """Format a number of bytes as the pages do: ``812 B``, ``3.4 kB``, ``21 MB``."""
    if count < 1000:
        return f"{count} B"
    unit, one = next(((unit, one) for unit, one in _SIZES if count < one * 999.5), _SIZES[-1])
    return f"{_fixed(count / one, 1 if count < one * 9.95 else 0)} {unit}"


def moment(nanoseconds: str | int | None, *, now: datetime | None = None, brief: bool = False) -> str:
    """Format local time with milliseconds, and the date if it is not today.

    Args:
        nanoseconds: Since the Unix epoch, as a number or in decimal digits; left as it is after the year 9999.
        now: What counts as today.
        brief: Whether space is scarce: without milliseconds, and without the year if it is this one.
    """
    if nanoseconds is None:
        return ""
    count = int(nanoseconds)
    try:
        local = datetime.fromtimestamp(count // NS_A_SECOND, UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        return f"{count} ns"
    clock = f"{local:%H:%M:%S}" if brief else f"{local:%H:%M:%S}.{count % NS_A_SECOND // 1_000_000:03}"
    today = (now or datetime.now(UTC)).astimezone().date()
    if local.date() == today:
        return clock
    return f"{local:%m-%d} {clock}" if brief and local.year == today.year else f"{local:%Y-%m-%d} {clock}"


def parse_span_s(text: str) -> float | None:
    """Parse ``90s``, ``15m``, ``2h``, ``7d`` or ``1w`` as seconds; None for anything else."""
    match = _SPAN.fullmatch(text.strip())
    return float(match[1]) * _UNIT_SECONDS[match[2].lower()] if match else None


def parse_size(text: str) -> int | None:
    """Parse ``500MB``, ``1.5 GiB`` or a plain number as bytes: MB in powers of 1,000, MiB of 1,024; else None."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    return round(float(match[1]) * (1024 if match[3] else 1000) ** _SIZE_POWERS[(match[2] or "").lower()])


def counted(number: int, noun: str) -> str:
    """Format a count with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
