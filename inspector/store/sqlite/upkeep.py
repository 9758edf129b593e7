"""What a store on an SQLite file has to do beside writing: bring search up to date, move the log, give space back."""

import math
import time
from collections.abc import Callable

ADD_UP_LIMIT = 4096
"""Changes that figures take in at once: of so many, most share a row of figures with others."""
ADD_UP_EVERY_S = 2.0
"""How long changes wait for figures while there are fewer: of what came in a moment, each group has a row to itself."""
INDEX_LIMIT, MOST_INDEXED = 512, 4096
"""Spans indexed in one transaction, level and far behind. With 512 it takes a tenth fewer instructions a span than with
200; while others write, it gets its turn once for each transaction of theirs, which may have some thousand spans."""
CHECKPOINT_EVERY_S = 0.5
"""How long the log grows while there is more to do: a page that changes with each batch is then copied once."""
WAY, LEAST_WAY = 8.0, 0.25
"""How many times as long as it wrote to index text the thread gives way to others that write, level and far behind."""
FAR_BEHIND = 32_768
"""Changes behind which search takes what it needs: a few seconds of indexing, whatever goes on coming in."""


class Upkeep:
    """Knows what is due, and does it.

    Args:
        index: Brings search up to date by at most so many changes, and returns by how many it did and how many are
            left.
        add_up: Brings figures and attributes up to date by at most so many changes, unless there are fewer than a
            second number, and returns how much it did.
        give_back: Makes the file as small as it can be, where much of it is not needed.
        checkpoint: Moves the log into the database.
        shrink_log: Gives the space of the log back, and returns whether it could.
        add_up_every_s: How long figures wait for more changes.
    """

    def __init__(
        self,
        index: Callable[[int], tuple[int, int]],
        add_up: Callable[[int, int], int],
        give_back: Callable[[], None],
        checkpoint: Callable[[], None],
        shrink_log: Callable[[], bool],
        *,
        add_up_every_s: float = ADD_UP_EVERY_S,
    ) -> None:
        self._index = index
        self._add_up = add_up
        self._give_back = give_back
        self._checkpoint = checkpoint
        self._shrink_log = shrink_log
        self._add_up_every_s = add_up_every_s
        self._is_to_add_up = True
        """Whether there may be changes that figures do not know."""
        self._add_up_at_s = 0.0
        """When they follow, however few these are."""
        self._is_behind = True
        """Whether there may be text to index and a log to move."""
        self._checkpoint_at_s = 0.0
        self._left = 0
        """Changes that search was behind after it followed last."""
        self._shrink_at_s: float | None = None
        """When the log gives its space back; None where it has."""

    def note_write(self) -> None:
        """Remember that something was written."""
        self._is_behind = True

    def run(self, *, for_s: float, idle_s: float, busy: bool, give_way: Callable[[float], object]) -> bool:
        """Do what is due; see `Store.maintain`."""
        now_s = time.monotonic()
        if self._is_behind or self._adds_up(now_s):
            self._shrink_at_s = now_s + idle_s
            self._is_to_add_up |= self._is_behind
            self._is_behind = False
            try:
                more = self._bring_up_to_date(now_s + for_s, give_way)
            except BaseException:
                self._is_behind = True
                raise
            self._is_behind |= more
            if not (busy or more):
                self._give_back()
            if not (busy or more) or now_s >= self._checkpoint_at_s:
                self._checkpoint()
                self._checkpoint_at_s = now_s + CHECKPOINT_EVERY_S
        elif self._shrink_at_s is not None and now_s >= self._shrink_at_s:
            self._shrink_at_s = None if self._shrink_log() else now_s + idle_s
        return self._is_behind

    def _bring_up_to_date(self, until_s: float, give_way: Callable[[float], object]) -> bool:
        """Index for half of the time at most; returns whether there is more."""
        began_s = time.monotonic()
        while self._follow(add_up=until_s == math.inf or self._adds_up(began_s)):
            # The lock of the store goes to whoever asks first, which would always be this loop.
            give_way((time.monotonic() - began_s) * max(LEAST_WAY, WAY * (1 - self._left / FAR_BEHIND)))
            began_s = time.monotonic()
            if began_s > until_s:
                return True
        return False

    def _adds_up(self, now_s: float) -> bool:
        return self._is_to_add_up and now_s >= self._add_up_at_s

    def _follow(self, *, add_up: bool) -> int:
        """Let search and figures follow some of the changes, figures also few with ``add_up``; returns how many."""
        indexed, self._left = self._index(min(max(INDEX_LIMIT, self._left // 4), MOST_INDEXED))
        least = 1 if add_up and not indexed else ADD_UP_LIMIT
        added_up = self._add_up(ADD_UP_LIMIT, least)
        if least == 1 and not added_up:
            self._is_to_add_up = False
            self._add_up_at_s = time.monotonic() + self._add_up_every_s
        return indexed + added_up
