"""Retention: removes traces by age, then the oldest ones by size, and logs how many."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from inspector.settings import Settings
from inspector.store import Pruned, Removed, Rule, Store, StoreError

HOUR_S = 3600.0
_DAY_S = 24 * HOUR_S
_NS = 10**9
LOGS_KEPT_S = 2 * _DAY_S
"""How long a log waits for its span; one that was joined is kept as long, since its span may be sent again."""
MOST_WAITING_LOGS = 100_000
"""How many logs may wait for their spans; the oldest are removed first."""
MOST_APART_S = 3 * _DAY_S
"""A clock this far past the last arrival at the start of a process is still trusted, as after a long weekend."""

_log = logging.getLogger(__name__)


def _steady_s() -> float:
    """Return a monotonic clock, if possible one that runs while the machine sleeps, so that waking up is no jump."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class Retention:
    """Keeps a store within the age and the size of the settings.

    A wrong clock would remove everything at once. So nothing is removed by age for an hour after the clock jumped by
    more than an hour, or if it is days away from the last arrival when the process starts.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        now_ns: Callable[[], int] = time.time_ns,
        clock_s: Callable[[], float] = _steady_s,
    ) -> None:
        self._settings = settings
        self._store = store
        self._now_ns = now_ns
        self._clock_s = clock_s
        self._looked = (now_ns() / _NS, clock_s())
        self._held_until_s: float | None = None
        self._removed: dict[Rule, tuple[int, int]] = {"age": (0, 0), "size": (0, 0)}
        self._is_doubted = False
        """The value in the store."""
        last_ns: int | None = None
        # If the store cannot be read, nothing is removed from it either.
        with suppress(StoreError):
            last_ns, self._is_doubted = store.last_arrival_ns(), store.is_clock_doubted()
        if last_ns is not None:
            self._hold_if_apart(self._looked[0] - last_ns / _NS, MOST_APART_S, "the last arrival")
        if self._is_doubted and self._held_until_s is None:
            # Later arrivals have the time of the same clock, so they cannot show whether it is right.
            self._held_until_s = clock_s() + HOUR_S
            _log.warning("the clock was doubted when this ended: nothing is removed by age for an hour")
        self._note_doubt()

    def prune(self, *, for_s: float | None = None) -> Pruned:
        """Remove traces by age and by size, and log how many when it has finished.

        Raises:
            StoreError: The store cannot do it now (``StoreBusy``) or at all.
        """
        self._look_at_the_clock()
        by_age = Pruned(0, 0, 0)
        before_ns = max(0, self._now_ns() - int(self._settings.retention_days * _DAY_S * _NS))
        if self._held_until_s is None:
            by_age = self._store.prune(before_ns=before_ns, by="arrival", for_s=for_s)
            self._count("age", by_age)
            if not by_age.complete:
                return by_age
            before = datetime.fromtimestamp(before_ns / _NS, UTC)
            self._report("age", f"nothing of them arrived since {before:%Y-%m-%d %H:%M} UTC (INSPECTOR_RETENTION_DAYS)")
        by_size = self._store.prune(max_bytes=self._settings.retention_bytes, by="arrival", for_s=for_s)
        self._count("size", by_size)
        if by_size.complete:
            self._report(
                "size", f"the oldest above {self._settings.retention_bytes:,} bytes (INSPECTOR_RETENTION_BYTES)"
            )
        return Pruned(
            by_age.traces + by_size.traces, by_age.spans + by_size.spans, by_age.bytes + by_size.bytes, by_size.complete
        )

    def drop_logs(self) -> int:
        """Remove logs that were kept long enough, and return how many of them had no span.

        Raises:
            StoreError: The store cannot do it now (``StoreBusy``) or at all.
        """
        before_s = 0.0 if self._held_until_s is not None else self._now_ns() / _NS - LOGS_KEPT_S
        return self._store.drop_logs(max(0, int(before_s // HOUR_S)), MOST_WAITING_LOGS)

    def _look_at_the_clock(self) -> None:
        now_s, at_s = self._now_ns() / _NS, self._clock_s()
        if self._held_until_s is not None and at_s >= self._held_until_s:
            self._held_until_s = None
        was_s, was_at_s = self._looked
        self._looked = (now_s, at_s)
        self._hold_if_apart(now_s - was_s - (at_s - was_at_s), HOUR_S, "where it should be")
        self._note_doubt()

    def _note_doubt(self) -> None:
        """Store whether the clock looks wrong, for the next process."""
        doubted = self._held_until_s is not None
        if doubted != self._is_doubted:
            # If the database is still being checked, the next call stores it.
            with suppress(StoreError):
                self._store.doubt_clock(doubted=doubted)
                self._is_doubted = doubted

    def _hold_if_apart(self, apart_s: float, most_s: float, what: str) -> None:
        # Arrivals are known to the hour, and may have been at its end.
        if -HOUR_S <= apart_s <= most_s:
            return
        self._held_until_s = self._clock_s() + HOUR_S
        side = "ahead of" if apart_s > 0 else "behind"
        _log.warning(
            "the clock is %.1f h %s %s: nothing is removed by age for an hour", abs(apart_s) / HOUR_S, side, what
        )

    def _count(self, rule: Rule, pruned: Pruned) -> None:
        traces, spans = self._removed[rule]
        self._removed[rule] = (traces + pruned.traces, spans + pruned.spans)

    def _report(self, rule: Rule, why: str) -> None:
        traces, spans = self._removed[rule]
        if traces:
            self._store.note_removal(Removed(rule, self._now_ns(), traces, spans))
            _log.info("removed %s with %s: %s", _plural(traces, "trace"), _plural(spans, "span"), why)
        self._removed[rule] = (0, 0)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
