"""Distinguishes the types of plain data in a way that type checkers understand."""

from typing import Any, TypeGuard


def is_fields(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is an object of JSON."""
    return isinstance(value, dict)


def is_items(value: Any) -> TypeGuard[list[Any]]:
    """Tell whether it is an array of JSON."""
    return isinstance(value, list)
