"""Runs changes one at a time. In parallel, each would block a thread that reads need, waiting for the one writer."""

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

T = TypeVar("T")


class Changes:
    """Runs changes in the order they came, without a thread for those that wait."""

    def __init__(self) -> None:
        self._turn: CapacityLimiter | None = None

    async def run(self, change: Callable[[], T]) -> T:
        """Run a change in a thread when it is its turn; returns what it returns, and raises what it raises."""
        if self._turn is None:
            self._turn = CapacityLimiter(1)
        return await to_thread.run_sync(change, limiter=self._turn)
