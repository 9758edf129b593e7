"""Which application a server runs, since all programs of ``python -m uvicorn`` would have one name."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final

_BY_TARGET: Final = frozenset(("uvicorn", "gunicorn", "hypercorn", "granian"))
"""Their application is an argument such as ``shop.main:app``."""
_BY_OPTION: Final = frozenset(("flask", "celery"))
"""Theirs follows ``--app`` or ``-A``."""
_BY_FILE: Final = frozenset(("streamlit", "fastapi"))
"""Theirs is a file."""
_TARGET: Final = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):[^\W\d][\w.]*(?:\(.*\))?")
_OF_OPTIONS: Final = frozenset(("python", "file", "unix", "fd"))
"""What may come before the colon in the value of an option, such as ``--config python:settings``."""


def served_program(launcher: str, words: Sequence[str], flask_app: str | None = None) -> str | None:
    """Return the module of the application that a server runs; None if it is no known server or names none.

    Args:
        launcher: The script or module that was started, such as ``uvicorn``.
        words: Its arguments.
        flask_app: The variable ``FLASK_APP``.
    """
    if launcher in _BY_TARGET:
        found = (match[1] for word in words if (match := _TARGET.fullmatch(word)))
        return next((module for module in found if module not in _OF_OPTIONS), None)
    if launcher in _BY_OPTION:
        target = next(_apps(words), flask_app if launcher == "flask" else None)
        return _module_of(target) if target else None
    if launcher in _BY_FILE:
        return next((_module_of(word) for word in words if word.endswith(".py")), None)
    return None


def _apps(words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        option, has_value, value = word.partition("=")
        if option in ("--app", "-A"):
            yield from (value,) if has_value else words[at + 1 : at + 2]


def _module_of(target: str) -> str | None:
    """Return the module of ``./shop.py``, ``shop:app`` or ``shop.main``."""
    name = os.path.basename(target)  # noqa: PTH119 - it may not be a path
    return name.partition(":")[0].removesuffix(".py") or None
