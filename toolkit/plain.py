"""Values that other people shaped: a mapping or an object, with either kind of names."""

import json
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any, TypeVar, cast

from toolkit.errors import DefinitionInvalid

V = TypeVar("V")

_SCALARS = (int, bool, type(None))
_WORDS = (str, float)


def member(value: object, *names: str) -> Any:
    """Return the first of ``names`` that a mapping has as a key or an object as an attribute, and that is not None."""
    if type(value) is dict:
        known = cast("dict[str, Any]", value)
        for name in names:
            if (inner := known.get(name)) is not None:
                return inner
        return None
    for name in names:
        mapping = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None
        inner = getattr(cast("object", value), name, None) if mapping is None else mapping.get(name)
        if inner is not None:
            return inner
    return None


def texts_of(names: str | Iterable[str], what: str) -> tuple[str, ...]:
    """Return names or patterns of which there may be one or several; one text is one of them, not its letters."""
    is_one = isinstance(names, str) or not isinstance(cast("object", names), Iterable)
    listed = cast("tuple[object, ...]", (names,) if is_one else tuple(names))
    for each in listed:
        if not isinstance(each, str) or not each:
            raise DefinitionInvalid(f"{what}: expected text, or a list of texts, found {each!r}")
    return cast("tuple[str, ...]", listed)


def read_json(text: str | bytes | bytearray) -> Any:
    """Read JSON as it is defined: Python takes ``NaN`` and ``Infinity`` too, which fit within any bounds.

    Text that is no JSON is a ``ValueError``, and what is nested too deeply a ``RecursionError``.
    """
    return _DECODER.decode(text if isinstance(text, str) else text.decode(json.detect_encoding(text), "surrogatepass"))


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def sound(text: str) -> str:
    """Return ``text`` with ``?`` for lone surrogates, as odd file names have them: nothing can send those."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def own(value: V) -> V:
    """Return ``value`` with dictionaries and lists of its own, so that whoever changes it changes nobody else's."""
    if type(value) is dict:
        return cast("V", {key: own(each) for key, each in cast("dict[Any, Any]", value).items()})
    if type(value) is list:
        return cast("V", [own(each) for each in cast("list[Any]", value)])
    return value


def plain(value: object) -> Any:
    """Return a copy of ``value`` in what JSON knows.

    Dataclasses, NamedTuples and pydantic models become objects, sets arrays, members of an Enum their value (or their
    name, where the value is no JSON scalar), dates and durations ISO 8601, bytes base64, and what JSON has no word for
    becomes its text; of numbers, ``NaN`` and ``Infinity`` become null.
    """
    if type(value) in _SCALARS or type(value) in _WORDS:
        return _text(value) if type(value) in _WORDS else value
    if isinstance(value, Mapping):
        return _object(cast("Mapping[Any, Any]", value))
    if hasattr(value, "_asdict") and isinstance(value, tuple):
        return _object(cast("Any", value)._asdict())
    if isinstance(value, list | tuple | set | frozenset | deque):
        return [plain(each) for each in cast("list[Any]", value)]
    dump = getattr(value, "model_dump", None)
    if is_dataclass(value) and not isinstance(value, type):
        return _object({each.name: getattr(value, each.name) for each in fields(value)})
    return plain(dump(mode="json", by_alias=True)) if callable(dump) else _text(value)


def _object(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        sound(key) if type(key) is str else str(plain(key)): each if type(each) in _SCALARS else plain(each)
        for key, each in value.items()
    }


def _text(value: object) -> Any:
    if isinstance(value, Enum):
        inner = value.value
        return _text(inner) if type(inner) in _WORDS else inner if type(inner) in _SCALARS else value.name
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, str | int):
        return sound(value) if isinstance(value, str) else value
    # Slow to import, and rarely needed.
    from base64 import b64encode
    from datetime import date, time, timedelta

    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _duration(value, timedelta())
    return b64encode(value).decode() if isinstance(value, bytes | bytearray) else sound(str(value))


def _duration(value: Any, zero: Any) -> str:
    """Return a ``timedelta`` as ISO 8601 writes it, exactly: ``P1DT3.5S``."""
    sign, value = ("-", -value) if value < zero else ("", value)
    seconds = f"{value.seconds}.{value.microseconds:06}".rstrip("0").rstrip(".")
    return f"{sign}P{value.days}DT{seconds}S"
