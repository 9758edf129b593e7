"""Values that other people shaped: a mapping or an object, with either kind of names."""

from collections import deque
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

_SCALARS = (str, int, float, bool)


def member(value: object, *names: str) -> Any:
    """Return the first of ``names`` that a mapping has as a key or an object as an attribute, and that is not None."""
    for name in names:
        mapping = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None
        found = getattr(cast("object", value), name, None) if mapping is None else mapping.get(name)
        if found is not None:
            return found
    return None


def plain(value: object) -> Any:
    """Return a copy of ``value`` in what JSON knows.

    Dataclasses, NamedTuples and pydantic models become objects, sets arrays, members of an Enum their value (or their
    name, where the value is no JSON scalar), dates and durations ISO 8601, bytes base64, and what JSON has no word for
    becomes its text.
    """
    if value is None or type(value) in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return _object(cast("Mapping[Any, Any]", value))
    if hasattr(value, "_asdict") and isinstance(value, tuple):
        return plain(cast("Any", value)._asdict())
    if isinstance(value, list | tuple | set | frozenset | deque):
        return [plain(each) for each in cast("list[Any]", value)]
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", by_alias=True) if callable(dump) else _text(value)


def _object(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        key if type(key) is str else _key(key): each if type(each) in _SCALARS else plain(each)
        for key, each in value.items()
    }


def _key(key: object) -> str:
    return key if type(key) is str else str(plain(key))


def _text(value: object) -> Any:
    if isinstance(value, Enum):
        return value.value if type(value.value) in _SCALARS or value.value is None else value.name
    if isinstance(value, str | int | float):
        return value
    # Slow to import, and rarely needed.
    from base64 import b64encode
    from datetime import date, time, timedelta

    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _duration(value, timedelta())
    return b64encode(value).decode() if isinstance(value, bytes | bytearray) else str(value)


def _duration(value: Any, zero: Any) -> str:
    """Return a ``timedelta`` as ISO 8601 writes it, exactly: ``P1DT3.5S``."""
    sign, value = ("-", -value) if value < zero else ("", value)
    seconds = f"{value.seconds}.{value.microseconds:06}".rstrip("0").rstrip(".")
    return f"{sign}P{value.days}DT{seconds}S"
