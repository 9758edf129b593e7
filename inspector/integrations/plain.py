"""Telling the shapes of plain data apart, as type checkers understand it."""

import logging
from typing import Any, TypeGuard

_log = logging.getLogger("mcp.inspector")
_told: set[str] = set()


def is_fields(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is an object of JSON."""
    return isinstance(value, dict)


def is_items(value: Any) -> TypeGuard[list[Any]]:
    """Tell whether it is an array of JSON."""
    return isinstance(value, list)


def unreadable(what: str) -> None:
    """Log the exception being handled, once for each ``what``: the record lacks it, and the program goes on."""
    if what not in _told:
        _told.add(what)
        _log.warning("%s could not be read; it is recorded without", what, exc_info=_log.isEnabledFor(logging.DEBUG))
