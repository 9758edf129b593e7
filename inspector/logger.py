"""The logger for code inside a recorded program, and for nothing else, because stderr belongs to the program."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import ParamSpec

from instrument.signals import is_of_signal

logger = logging.getLogger("mcp.inspector")
"""Where the recorder, the integrations and the forwarder say what goes wrong."""

# Where a program configures no logging, Python writes warnings of loggers without a handler to stderr
# (https://docs.python.org/3/howto/logging.html#what-happens-if-no-configuration-is-provided).
logger.addHandler(logging.NullHandler())

_warned: set[str] = set()
_P = ParamSpec("_P")


def warn_once(text: str) -> None:
    """Log a warning the first time that this process has it."""
    if text not in _warned:
        _warned.add(text)
        logger.warning("%s", text)


def warn_of_error_once(what: str) -> None:
    """Log the exception being handled, once per ``what``; its traceback only at level DEBUG."""
    if what not in _warned:
        _warned.add(what)
        logger.warning("%s", what, exc_info=logger.isEnabledFor(logging.DEBUG))


@contextmanager
def unnoticed(what: str) -> Generator[None]:
    """Keep our own exceptions from the program, and warn once that ``what`` could not be recorded."""
    try:
        yield
    except Exception as error:  # the boundary to the program
        if is_of_signal(error):
            raise
        warn_once(f"{what} could not be recorded: {type(error).__name__}")


def until_interrupted(finish: Callable[_P, object]) -> Callable[_P, None]:
    """Let Ctrl-C end what runs at the program's exit, without the traceback that Python would print for it."""

    @wraps(finish)
    def finish_quietly(*args: _P.args, **kwargs: _P.kwargs) -> None:
        with suppress(KeyboardInterrupt):
            finish(*args, **kwargs)

    return finish_quietly
