"""Distinguishes the types of plain data in a way that type checkers understand."""

import json
from typing import Any, TypeGuard


def is_fields(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is an object of JSON."""
    return isinstance(value, dict)


def is_items(value: Any) -> TypeGuard[list[Any]]:
    """Tell whether it is an array of JSON."""
    return isinstance(value, list)


def streamed_arguments(text: str) -> Any:
    """Return the arguments of a tool call that came in pieces; their text, where the stream was cut off within them."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text
