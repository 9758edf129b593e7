"""Removes traces in steps; on a full disk, a step that does not fit is repeated with fewer spans."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from inspector.store.errors import StoreFull

MOST_SPANS = 2000
"""Maximum number of spans that one transaction removes."""
_TIGHT_SPANS = 64
"""The same on a full disk; halved after each step that still did not fit."""

T = TypeVar("T")


class Transactions(Protocol):
    """Opens write transactions one after another; other threads may write in between."""

    def __call__(self) -> AbstractContextManager[Connection]:
        """Begin a transaction, which ends with the block."""
        ...


class Removal:
    """Runs the steps of one removal.

    Args:
        transactions: Opens their transactions.
        make_room: Frees space without removing anything, and checkpoints the log.
    """

    def __init__(self, transactions: Transactions, make_room: Callable[[], None]) -> None:
        self._transactions = transactions
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
                with self._transactions() as connection:
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
