"""Logs errors in reporting a call, and lets them go no further: the program runs as it would without the inspector."""

import logging

from inspector.logger import logger

_told: set[str] = set()


def warn_once(what: str) -> None:
    """Log the exception being handled, the first time that ``what`` is said; its traceback only for debugging."""
    if what not in _told:
        _told.add(what)
        logger.warning("%s", what, exc_info=logger.isEnabledFor(logging.DEBUG))
