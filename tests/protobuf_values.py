"""Attributes of OTLP requests in protobuf, made of plain values."""

from collections.abc import Mapping
from typing import Any


def put_value(any_value: Any, value: Any) -> None:
    """Set an ``AnyValue``; None leaves it empty."""
    match value:
        case None:
            pass
        case bool():
            any_value.bool_value = value
        case int():
            any_value.int_value = value
        case float():
            any_value.double_value = value
        case str():
            any_value.string_value = value
        case bytes():
            any_value.bytes_value = value
        case list():
            any_value.array_value.SetInParent()
            for item in value:
                put_value(any_value.array_value.values.add(), item)
        case dict():
            any_value.kvlist_value.SetInParent()
            for key, item in value.items():
                put_value(any_value.kvlist_value.values.add(key=key).value, item)


def add_pairs(target: Any, attributes: Mapping[str, Any]) -> None:
    """Add attributes to a repeated field; a value of None is there and empty."""
    for key, value in attributes.items():
        pair = target.add(key=key)
        pair.value.SetInParent()
        put_value(pair.value, value)
