"""Tells a cancellation that a subscriber brought upon itself from one that its emitter was asked for.

Both are a ``CancelledError`` at the ``await`` of the subscriber. An emitter's task counts how often it was asked to end
(``asyncio.Task.cancelling()``, https://docs.python.org/3.11/library/asyncio-task.html#asyncio.Task.cancelling).
"""

import sys


def requests() -> int | None:
    """Return how many requests to cancel the current task it has noticed; None where that cannot be known."""
    # Not imported: an emitter and subscribers that never use asyncio should not pay for it.
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        task = asyncio.current_task()
        # A request that the task is still to notice when it next waits would otherwise look like one of before.
        return None if task is None else task.cancelling() - task._must_cancel  # noqa: SLF001
    except (AttributeError, RuntimeError):  # no task of asyncio runs here
        return None


def is_own_cancellation(error: BaseException, asked: int | None) -> bool:
    """Tell whether nobody asked the emitter to end.

    Args:
        error: What left the subscriber.
        asked: The ``requests()`` when the emitter began to wait for it; None when it did not wait.
    """
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not isinstance(error, asyncio.CancelledError):
        return False
    now = requests()
    return asked is None or now is None or now <= asked
