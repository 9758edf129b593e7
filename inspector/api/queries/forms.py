"""The syntax of values in a query: strict parsing, and what to tell a client that gets it wrong."""

import calendar
import math
import re
from typing import Any, Final

MOST_TIME_NS = 2**64 - 1

_INTEGER = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,40}))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)


def integer(text: object) -> object:
    """Parse decimal digits as an integer. Python itself also accepts spaces, underscores and other scripts.

    Raises:
        ValueError: It is anything else.
    """
    if not isinstance(text, str):
        return text
    if not _INTEGER.fullmatch(text):
        raise ValueError("not an integer")
    return int(text)


def number(text: object) -> object:
    """Parse a number in JSON's syntax, so never NaN or an infinity.

    Raises:
        ValueError: It is anything else.
    """
    if not isinstance(text, str):
        return text
    if not _NUMBER.fullmatch(text) or not math.isfinite(value := float(text)):
        raise ValueError("not a number")
    return value


def boolean(text: object) -> object:
    """Parse ``true`` or ``false``.

    Raises:
        ValueError: It is anything else.
    """
    if not isinstance(text, str):
        return text
    if text not in ("true", "false"):
        raise ValueError("not a boolean")
    return text == "true"


def unix_ns(text: object) -> object:
    """Parse RFC 3339 or nanoseconds, as nanoseconds since the Unix epoch, to the last digit.

    A date before the epoch counts as the epoch, and one beyond 64 bits as their end: nothing recorded lies outside. A
    leap second counts as the second after it, as in POSIX time.

    Raises:
        ValueError: It is neither.
    """
    if not isinstance(text, str):
        return text
    if text.isascii() and text.isdecimal() and len(text) <= 20:
        return min(int(text), MOST_TIME_NS)
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        raise ValueError("not a time")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    offset_minutes = int(match[9] or 0) * 60 + int(match[10] or 0)
    if not _on_calendar(year, month, day) or hour > 23 or minute > 59 or second > 60:
        raise ValueError("not a time")
    if int(match[9] or 0) > 23 or int(match[10] or 0) > 59:
        raise ValueError("not an offset")
    sign = -1 if match[8] == "-" else 1
    # The year 0000 is RFC 3339 but not Python's; it lies before the epoch either way.
    seconds = calendar.timegm((max(year, 1), month, day, hour, minute, second)) - sign * offset_minutes * 60
    fraction_ns = int((match[7] or "").ljust(9, "0")[:9])
    return min(max(seconds * 10**9 + fraction_ns, 0), MOST_TIME_NS)


def _on_calendar(year: int, month: int, day: int) -> bool:
    # The proleptic calendar repeats: the year 0000, which Python lacks, is as long as 2000.
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year or 2000, month)[1]


def describe(schema: dict[str, Any]) -> str:
    """Describe in a few words what a parameter with this JSON schema takes."""
    if "anyOf" in schema:
        return " or ".join(describe(option) for option in schema["anyOf"] if option.get("type") != "null")
    if "enum" in schema:
        return "one of: " + ", ".join(schema["enum"])
    match schema.get("type"):
        case "array":
            return describe(schema["items"])
        case "boolean":
            return "true or false"
        case "integer" | "number" as kind:
            article = "an integer" if kind == "integer" else "a number"
            return f"{article} from {int(schema['minimum'])} to {int(schema['maximum'])}"
        case _:
            return _describe_text(schema)


_DIGITS: Final = {
    "^[0-9a-f]{16}$": "16 lowercase hexadecimal digits",
    "^[0-9a-f]{32}$": "32 lowercase hexadecimal digits",
    "^[0-9]{1,18}$": "1 to 18 decimal digits",
}
_CHARACTERS: Final = {
    r"^[^\u0000]*$": "characters, none of them NUL",
    "^[A-Za-z0-9_-]+$": "letters, digits, '-' and '_'",
}
"""Patterns of parameters, in words; each pattern is in one of the two tables."""


def _describe_text(schema: dict[str, Any]) -> str:
    if "description" in schema:
        return str(schema["description"])
    pattern = schema["pattern"]
    if pattern in _DIGITS:
        return _DIGITS[pattern]
    return f"{schema.get('minLength', 0)} to {schema['maxLength']} {_CHARACTERS[pattern]}"
