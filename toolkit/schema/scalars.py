"""The hints whose JSON is one word: text, numbers, dates and the like."""

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path, PosixPath, PurePath, PurePosixPath
from typing import Any, LiteralString
from uuid import UUID

from toolkit.schema.shape import Read, Shape, Unfit, found, one_of

_DURATION = re.compile(
    r"(?P<sign>-?)P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?"
)
_DECIMAL = r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$"


def _integer(value: Any) -> int:
    if type(value) is int:
        return value
    # JSON Schema counts 1.0 among the integers.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise Unfit(f"expected an integer, found {found(value)}")


def _from_text(parse: Callable[[str], Any], expected: str) -> Read:
    def read(value: Any) -> Any:
        if isinstance(value, str):
            try:
                return parse(value)
            except (ValueError, OverflowError, InvalidOperation, binascii.Error):
                pass
        raise Unfit(f"expected {expected}, found {found(value)}")

    return read


def _text(parse: Callable[[str], Any], expected: str, **more: str) -> Shape:
    return Shape({"type": "string", **more}, _from_text(parse, expected))


def _decimal(value: Any) -> Decimal:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return _from_text(_finite, "a decimal number as in '12.50'")(value)


def _finite(text: str) -> Decimal:
    value = Decimal(text)
    if not value.is_finite():
        raise ValueError(text)
    return value


def _duration(text: str) -> timedelta:
    parts = _DURATION.fullmatch(text)
    if parts is None:
        raise ValueError(text)
    amounts = {name: float(amount) for name, amount in parts.groupdict().items() if name != "sign" and amount}
    if not amounts:
        raise ValueError(text)
    return timedelta(**amounts) * (-1 if parts["sign"] else 1)


STRING = Shape({"type": "string"}, one_of(str, "a string"), same=True)
INTEGER = Shape({"type": "integer"}, _integer)
NUMBER = Shape({"type": "number"}, one_of((int, float), "a number", but=bool), same=True)
BOOLEAN = Shape({"type": "boolean"}, one_of(bool, "true or false"), same=True)
NULL = Shape({"type": "null"}, one_of(type(None), "null"), same=True)
ANYTHING = Shape({}, lambda value: value, same=True)

SCALARS: dict[Any, Shape] = {
    str: STRING,
    LiteralString: STRING,
    int: INTEGER,
    float: NUMBER,
    bool: BOOLEAN,
    None: NULL,
    type(None): NULL,
    Any: ANYTHING,
    object: ANYTHING,
    datetime: _text(datetime.fromisoformat, "a date and time as in '2026-01-31T12:00:00Z'", format="date-time"),
    date: _text(date.fromisoformat, "a date as in '2026-01-31'", format="date"),
    time: _text(time.fromisoformat, "a time as in '12:00:00'", format="time"),
    timedelta: _text(_duration, "a duration as in 'PT1H30M'", format="duration"),
    UUID: _text(UUID, "a UUID", format="uuid"),
    Decimal: Shape({"type": ["string", "number"], "pattern": _DECIMAL}, _decimal),
    bytes: _text(lambda text: base64.b64decode(text, validate=True), "base64", contentEncoding="base64"),
} | {kind: _text(kind, "a path", format="path") for kind in (Path, PurePath, PosixPath, PurePosixPath)}
