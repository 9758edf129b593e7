"""What the log says of calls to a developer who sets the logger ``mcp.toolkit`` to DEBUG: never what is in them."""

import logging
import time
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")

_logger = logging.getLogger("mcp.toolkit")


def is_wanted() -> bool:
    """Tell whether anybody wants to read it."""
    return _logger.isEnabledFor(logging.DEBUG)


async def logged(target: str, caller: str, work: Awaitable[T]) -> T:
    """Wait for a call, and log whom it went to, who made it, how it ended and how long it took.

    Args:
        target: What is called.
        caller: The agent that calls it; empty for none.
        work: The call.
    """
    started_s = time.monotonic()
    outcome = "was cancelled"
    try:
        result = await work
        outcome = _outcome(result)
        return result  # noqa: TRY300 - what follows is for every outcome
    except Exception as error:
        outcome = f"raised {type(error).__name__}"
        raise
    finally:
        duration_ms = (time.monotonic() - started_s) * 1000
        _logger.debug("%s called by %s %s in %.1f ms", target, caller or "nobody", outcome, duration_ms)


def _outcome(result: object) -> str:
    if getattr(result, "is_error", False) is not True:
        return "answered"
    error: object = getattr(result, "exception", None)
    return "failed" if error is None else f"failed with {type(error).__name__}"
