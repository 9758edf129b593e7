"""Removing in steps that fit on a full disk: each smaller than the last that did not."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from inspector.store.errors import StoreFull

MOST_SPANS = 2000
"""Most spans that one transaction removes."""
_TIGHT_SPANS = 64
"""Where the disk is full; half as many after each step that still did not fit."""

T = TypeVar("T")


class Transactions(Protocol):
    """Opens one write transaction after another; others may write in between."""

    def __call__(self) -> AbstractContextManager[Connection]:
        """Begins a transaction, which ends with the block."""
        ...


class Removal:
    """Runs the steps of one removal.

    Args:
        transactions: Where they run.
        make_room: Frees what can be freed without removing anything, and moves the log into the database.
    """

    def __init__(self, transactions: Transactions, make_room: Callable[[], None]) -> None:
        self._transactions = transactions
        self._make_room = make_room
        self.spans = MOST_SPANS
        """Most spans that the next step may remove."""

    @property
    def is_tight(self) -> bool:
        """Whether the disk is full."""
        return self.spans < MOST_SPANS

    def step(self, remove: Callable[[Connection], T]) -> T:
        """Run one step in a transaction, and again with fewer spans while it finds no space.

        Raises:
            StoreFull: Not even one span can be removed.
        """
        while True:
            try:
                with self._transactions() as connection:
                    done = remove(connection)
            except StoreFull:
                if self.spans == 1:
                    raise
                self.spans = max(1, min(_TIGHT_SPANS, self.spans // 2))
                self._make_room()
                continue
            if self.is_tight:
                # The log is as large as what the step changed, and its space is the next one's.
                self._make_room()
            return done
