"""Logs errors in reporting a call and stops them there, so that the program runs as without the inspector."""

import logging

from inspector.logger import logger

_warned: set[str] = set()


def warn_once(what: str) -> None:
    """Log the exception being handled, once per ``what``; its traceback only at level DEBUG."""
    if what not in _warned:
        _warned.add(what)
        logger.warning("%s", what, exc_info=logger.isEnabledFor(logging.DEBUG))
