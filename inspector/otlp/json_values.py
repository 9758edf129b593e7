"""Reads ids, times and values as OTLP/JSON writes them.

https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
"""

import re

from inspector.model import AttributeValue
from inspector.otlp import shapes
from inspector.otlp.decoded import Rejected
from inspector.otlp.limits import MAX_ATTRIBUTES, MAX_DEPTH, MAX_ITEMS, MAX_KEY, TOO_DEEP, double_value
from inspector.plain import INT64

_MAX_TIME_NS = 2**64 - 1


_hex32 = re.compile("[0-9a-f]{32}").fullmatch
_hex16 = re.compile("[0-9a-f]{16}").fullmatch
ZEROS = frozenset(("0" * 16, "0" * 32))
"""Ids that are none."""


def trace_id_of(text: str) -> str:
    """Return the id in lower case; the protocol forbids other lengths, zeros only, and base64 (24 characters)."""
    text = text if _hex32(text) else text.lower()
    if text in ZEROS or not _hex32(text):
        raise Rejected("trace_id")
    return text


def span_id_of(text: str, field: str) -> str:
    """Return the id in lower case, which may be zeros only."""
    text = text if _hex16(text) else text.lower()
    if not _hex16(text):
        raise Rejected(field)
    return text


def time_of(value: float | str | None, field: str) -> int:
    """Return the nanoseconds, which senders write as a text or as a number; 0 if there are none."""
    if value is None:
        return 0
    if isinstance(value, str):
        if not value:
            return 0
        if len(value) > 20 or not (value.isascii() and value.isdigit()):
            raise Rejected(field)
        time_ns = int(value)
    elif isinstance(value, float):
        if not value.is_integer():
            raise Rejected(field)
        time_ns = int(value)
    else:
        time_ns = value
    if not 0 <= time_ns <= _MAX_TIME_NS:
        raise Rejected(field)
    return time_ns


def attributes_of(pairs: tuple[shapes.KeyValue, ...] | None, depth: int = 0) -> dict[str, AttributeValue]:
    """Return attributes, or a map, by their keys."""
    out: dict[str, AttributeValue] = {}
    for pair in (pairs or ())[:MAX_ATTRIBUTES]:
        value = pair.value
        key = pair.key if len(pair.key) <= MAX_KEY else pair.key[:MAX_KEY]
        if value is None:
            out[key] = None
        else:
            text = value.string_value
            out[key] = text if text is not None else value_of(value, depth)
    return out


def value_of(value: shapes.AnyValue, depth: int = 0) -> AttributeValue:
    """Return a value; ``depth`` is how many lists and maps it is in."""
    if value.string_value is not None:
        return value.string_value
    if value.int_value is not None:
        return _int(value.int_value)
    if value.bool_value is not None:
        return value.bool_value
    if value.double_value is not None:
        return double_value(value.double_value)
    if value.bytes_value is not None:
        return value.bytes_value
    return _container(value, depth + 1)


def _container(value: shapes.AnyValue, depth: int) -> AttributeValue:
    if value.array_value is None and value.kvlist_value is None:
        return None
    if depth > MAX_DEPTH:
        return TOO_DEEP
    if value.array_value is not None:
        return [value_of(item, depth) for item in (value.array_value.values or ())[:MAX_ITEMS]]
    return attributes_of(value.kvlist_value.values, depth) if value.kvlist_value else None


def _int(value: int | str) -> int | str:
    """Return the 64-bit integer, or the text that was sent if it is not one."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if len(digits) > 19 or not (digits.isascii() and digits.isdigit()):
            return value
        value = int(value)
    return value if value in INT64 else str(value)
