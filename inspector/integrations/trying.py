"""Reads a framework's objects, which may be of an unknown version, so that no failure reaches the program."""

from collections.abc import Callable
from typing import Any, TypeVar

from inspector.logger import warn_of_error_once
from instrument.signals import is_of_signal

_Found = TypeVar("_Found")


def tried(attempt: Callable[[], _Found], function: Callable[..., Any], otherwise: _Found, failed: str) -> _Found:
    """Return what ``attempt`` returns; if it fails, log once that ``function`` ``failed``, and return ``otherwise``."""
    try:
        return attempt()
    except Exception as error:
        if is_of_signal(error):
            raise
        warn_of_error_once(f"{_place(function)} {failed}")
        return otherwise


def _place(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", "an integration")
