"""Background work of a store on SQLite: the full-text index, statistics, checkpoints, and returning space."""

import math
import time
from collections.abc import Callable

ADD_UP_LIMIT = 4096
"""Changes added to statistics at once: among so many, most share a row with others."""
ADD_UP_EVERY_S = 2.0
"""How long fewer changes wait for more, since a few changes hardly share any rollup."""
INDEX_LIMIT, MOST_INDEXED = 512, 4096
"""Spans to index in one transaction, normally and far behind. 512 take a tenth fewer instructions per span than 200.
While others write, indexing gets one turn per transaction of theirs, which may have some thousand spans."""
CHECKPOINT_EVERY_S = 0.5
"""Seconds between checkpoints while there is more to do; pages that every batch changes are then copied less often."""
WAY, LEAST_WAY = 8.0, 0.25
"""How long indexing yields to other writers, as a multiple of its own time, normally and far behind."""
FAR_BEHIND = 32_768
"""So many changes behind (a few seconds of indexing), the index takes all the time it needs."""


class Upkeep:
    """Knows what is due, and does it.

    Args:
        index: Indexes up to so many changes, and returns how many, and how many are left.
        add_up: Adds up to so many changes to statistics and attribute filters, unless there are fewer than the second
            argument, and returns how many.
        give_back: Returns free space to the file system, if there is much.
        checkpoint: Checkpoints the log.
        shrink_log: Truncates the log, and returns whether that was possible.
    """

    def __init__(
        self,
        index: Callable[[int], tuple[int, int]],
        add_up: Callable[[int, int], int],
        give_back: Callable[[], None],
        checkpoint: Callable[[], None],
        shrink_log: Callable[[], bool],
    ) -> None:
        self._index = index
        self._add_up = add_up
        self._give_back = give_back
        self._checkpoint = checkpoint
        self._shrink_log = shrink_log
        self._is_to_add_up = True
        """Whether there may be changes that statistics do not include."""
        self._add_up_at_s = 0.0
        """When these are added, however few they are."""
        self._is_behind = True
        """Whether there may be text to index and a log to checkpoint."""
        self._checkpoint_at_s = 0.0
        self._left = 0
        """How many changes were left after the last indexing."""
        self._shrink_at_s: float | None = None
        """When to truncate the log; None if that is done."""

    def note_write(self) -> None:
        """Note that something was written."""
        self._is_behind = True

    def run(self, *, for_s: float, idle_s: float, busy: bool, give_way: Callable[[float], object]) -> bool:
        """Do what is due; see `Store.maintain`."""
        now_s = time.monotonic()
        if self._is_behind or self._is_due_to_add_up(now_s):
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
        """Index for at most half of the time; returns whether there is more."""
        began_s = time.monotonic()
        while self._update(add_up=until_s == math.inf or self._is_due_to_add_up(began_s)):
            # Without a pause, this loop would always get the lock of the store again.
            give_way((time.monotonic() - began_s) * max(LEAST_WAY, WAY * (1 - self._left / FAR_BEHIND)))
            began_s = time.monotonic()
            if began_s > until_s:
                return True
        return False

    def _is_due_to_add_up(self, now_s: float) -> bool:
        return self._is_to_add_up and now_s >= self._add_up_at_s

    def _update(self, *, add_up: bool) -> int:
        """Index some changes and add them to statistics (with ``add_up``, even a few); returns how many."""
        indexed, self._left = self._index(min(max(INDEX_LIMIT, self._left // 4), MOST_INDEXED))
        least = 1 if add_up and not indexed else ADD_UP_LIMIT
        added_up = self._add_up(ADD_UP_LIMIT, least)
        if least == 1 and not added_up:
            self._is_to_add_up = False
            self._add_up_at_s = time.monotonic() + ADD_UP_EVERY_S
        return indexed + added_up
