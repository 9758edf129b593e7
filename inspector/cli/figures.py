"""Times, durations, sizes, tokens and costs: how a person writes them, in and out."""

import math
import re
from datetime import UTC, datetime

NS_A_SECOND = 1_000_000_000
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smhdw])", re.IGNORECASE | re.ASCII)
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*(?:([kmgt])i?)?b?", re.IGNORECASE | re.ASCII)
_SIZE_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_DURATIONS = (
    (0.9995, 0.001, 0, "µs"),
    (9.995, 1, 2, "ms"),
    (99.95, 1, 1, "ms"),
    (999.5, 1, 0, "ms"),
    (9_995, 1000, 2, "s"),
    (59_950, 1000, 1, "s"),
)
"""Below how many milliseconds a duration is written with which unit and how many decimals."""


def duration(milliseconds: float | None) -> str:
    """Write a duration with three significant digits and the unit that fits; nothing for one that is unknown."""
    if milliseconds is None or not math.isfinite(milliseconds):
        return ""
    for below_ms, unit_ms, decimals, unit in _DURATIONS:
        if abs(milliseconds) < below_ms:
            return f"{milliseconds / unit_ms:.{decimals}f} {unit}"
    return _long_duration(round(milliseconds / 1000))


def _long_duration(seconds: int) -> str:
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{sign}{days} d {hours} h"
    return f"{sign}{hours} h {minutes:02} min" if hours else f"{sign}{minutes} min {seconds:02} s"


def cost(dollars: float | None) -> str:
    """Write a cost as the pages do: four decimals below a dollar, cents above; nothing for one that is unknown."""
    if dollars is None or not math.isfinite(dollars):
        return ""
    if dollars < 0:
        return f"-{cost(-dollars)}"
    if 0 < dollars < 0.0001:
        return "<$0.0001"
    return "$0" if dollars == 0 else f"${dollars:,.{4 if dollars < 0.99995 else 2}f}"


def tokens(given: int | None, answered: int | None) -> str:
    """Write input and output tokens as ``1,234 → 56``; ``?`` stands for the one that is unknown."""
    if given is None and answered is None:
        return ""
    left = "?" if given is None else f"{given:,}"
    right = "?" if answered is None else f"{answered:,}"
    return f"{left} → {right}"


def size(count: int) -> str:
    """Write a number of bytes in the unit that fits."""
    value = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1000:
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:,.1f} TB"


def moment(nanoseconds: str | int | None, *, now: datetime | None = None) -> str:
    """Write local time with milliseconds, and the date when it is not today's.

    Args:
        nanoseconds: Since the Unix epoch, as a number or in decimal digits; those past the year 9999 stay so.
        now: What counts as today.
    """
    if nanoseconds is None:
        return ""
    count = int(nanoseconds)
    try:
        local = datetime.fromtimestamp(count // NS_A_SECOND, UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        return f"{count} ns"
    clock = f"{local:%H:%M:%S}.{count % NS_A_SECOND // 1_000_000:03}"
    today = (now or datetime.now(UTC)).astimezone().date()
    return clock if local.date() == today else f"{local:%Y-%m-%d} {clock}"


def parse_span_s(text: str) -> float | None:
    """Read ``90s``, ``15m``, ``2h``, ``7d`` or ``1w`` as seconds; None for anything else."""
    match = _SPAN.fullmatch(text.strip())
    return float(match[1]) * _UNIT_SECONDS[match[2].lower()] if match else None


def parse_size(text: str) -> int | None:
    """Read ``500MB``, ``1.5 GiB`` or a plain number as bytes, in powers of 1,024; None for anything else."""
    match = _SIZE.fullmatch(text.strip())
    return round(float(match[1]) * 1024 ** _SIZE_POWERS[(match[2] or "").lower()]) if match else None


def counted(number: int, noun: str) -> str:
    """Say how many of something there are."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
