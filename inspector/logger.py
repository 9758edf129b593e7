"""The logger for code inside a recorded program, and for nothing else, because stderr belongs to the program."""

import logging

logger = logging.getLogger("mcp.inspector")
"""Where the recorder, the integrations and the forwarder say what goes wrong."""

# Where a program configures no logging, Python writes warnings of loggers without a handler to stderr
# (https://docs.python.org/3/howto/logging.html#what-happens-if-no-configuration-is-provided).
logger.addHandler(logging.NullHandler())

_warned: set[str] = set()


def warn_once(text: str) -> None:
    """Log a warning the first time that this process has it."""
    if text not in _warned:
        _warned.add(text)
        logger.warning("%s", text)
