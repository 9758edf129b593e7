"""Removes traces in steps; on a full disk, a step that does not fit is repeated with fewer spans."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from sqlalchemy import Connection

from inspector.store.errors import StoreFull

MOST_SPANS = 2000
"""Maximum number of spans that one transaction removes."""
_TIGHT_SPANS = 64
"""The same on a full disk; halved after each step that still did not fit."""

T = TypeVar("T")


class Removal:
    """Runs the steps of one removal.

    Args:
        transaction: Begins a write transaction, which ends with the block; other threads may write between two.
        make_room: Frees space without removing anything, and checkpoints the log.
    """

    def __init__(
        self, transaction: Callable[[], AbstractContextManager[Connection]], make_room: Callable[[], None]
    ) -> None:
        self._transaction = transaction
        self._make_room = make_room
        self.spans = MOST_SPANS
        """Maximum number of spans that the next step may remove."""

    @property
    def is_tight(self) -> bool:
        """Whether the disk is full."""
        return self.spans < MOST_SPANS

    def step(self, remove: Callable[[Connection], T]) -> T:
        """Run one step in a transaction; repeat it with fewer spans while there is no space.

        Raises:
            StoreFull: Not even one span can be removed.
        """
        while True:
            try:
                with self._transaction() as connection:
                    result = remove(connection)
            except StoreFull:
                if self.spans == 1:
                    raise
                self.spans = max(1, min(_TIGHT_SPANS, self.spans // 2))
                self._make_room()
                continue
            if self.is_tight:
                # The log grew by what the step changed; the next step needs that space.
                self._make_room()
            return result
