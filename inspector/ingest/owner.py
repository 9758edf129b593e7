"""The one process that writes the database: it ingests spools, maintains the store and prunes."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Self

from inspector.homes import why_not_ours
from inspector.ingest.intake import GROUP_SPANS, Intake
from inspector.ingest.joining import Joining
from inspector.ingest.offload import Offload
from inspector.ingest.retention import Retention
from inspector.ingest.rounds import Rounds
from inspector.ingest.spool import SpoolReader, SpoolTotals
from inspector.ingest.times import TIMES, Times
from inspector.otlp import WITHOUT_SPAN
from inspector.reading import cost
from inspector.received import SecondProcess, redacting
from inspector.settings import Settings
from inspector.store import (
    Deletable,
    HomeGone,
    OwnerLock,
    Pruned,
    Store,
    StoreReadOnly,
    open_store,
)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Chores:
    """The thread's tasks other than reading the spools."""

    busy: bool = False
    """Whether there is more to do immediately."""
    quiet_looks: int = 0
    """How many looks in a row found nothing new."""
    prune_at_s: float = 0.0
    drop_logs_at_s: float = 0.0

    def rest_s(self, spent_s: float, times: Times) -> float:
        """Return how long to rest after a step that took ``spent_s``."""
        if self.busy:
            return 0.0
        if self.quiet_looks:
            poll_s = times.poll_s if self.quiet_looks < times.idle_after_looks else times.idle_poll_s
            return min(max(poll_s, times.quiet_rest * spent_s), times.longest_quiet_rest_s)
        return min(max(times.poll_s, spent_s), times.longest_rest_s)


class Owner:
    """Holds the owner's lock and the only writable store, from construction to ``close``.

    Args:
        settings: They name the home, and how long spans are kept.
        url: The address of this process, which others are referred to; None for a short-lived command.
        now_ns: The clock for arrivals and ages.
        check_s: How long a database that its last owner did not close may be checked for damage; None for any time.
        check_later: Whether such a database can be read immediately, and is checked before spools are read.
        wait_s: How long to wait for another short-lived command that owns the database.
        times: Durations and intervals of the tasks.
        second_process: Whether requests are interpreted in a second process while the load is high.

    Raises:
        OwnedElsewhere: Another process owns the database.
        StoreError: The database cannot be opened or is not ours.
    """

    def __init__(  # noqa: PLR0913 - each is one decision of whoever owns the home
        self,
        settings: Settings,
        *,
        url: str | None = None,
        now_ns: Callable[[], int] = time.time_ns,
        check_s: float | None = None,
        check_later: bool = False,
        wait_s: float = 0.0,
        times: Times = TIMES,
        second_process: bool = False,
    ) -> None:
        self._settings = settings
        self._times = times
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if why := why_not_ours(settings.home):
            raise StoreReadOnly(why)
        self._lock = OwnerLock(settings.lock_file)
        self._lock.acquire(url, wait_s=wait_s)
        try:
            in_place = lambda: self._lock.is_in_place  # noqa: E731
            self.store: Store = open_store(
                settings, check_s=check_s, check_later=check_later, is_owned=in_place, now_ns=now_ns
            )
            """The store; every method may be called from any thread, including those that write."""
            self._retention = Retention(settings, self.store, now_ns=now_ns)
            redact = redacting(settings.home, on=settings.redact_spool)
            self._spool = SpoolReader(settings.spool, self.store, committed=self._notify, redact=redact)
            self._joining = Joining(self.store, self._notify)
            begin = partial(SecondProcess, settings.home, redact=settings.redact_otlp)
            self.intake = Intake(
                self.store,
                self._notify,
                redact=redacting(settings.home, on=settings.redact_otlp),
                offload=Offload(begin) if second_process else None,
                group_spans=max(GROUP_SPANS, self.store.batch_spans),
            )
            """Ingests spans that arrive in other ways than the spool, with or without ``start``."""
        except BaseException:
            self._lock.release()
            raise
        self._listeners: list[Callable[[], None]] = []
        self._total = SpoolTotals()
        self._passing = threading.Lock()
        self._rounds = Rounds(self._step, self._last_step, longest_back_off_s=times.longest_back_off_s)
        self._chores = Chores()
        self._freed = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def announce(self, url: str) -> None:
        """Publish the address of this process, once it serves."""
        self._lock.announce(url)

    def ingest_spools(
        self, *, deadline_s: float | None = None, read_so_far: Callable[[int, int], None] | None = None
    ) -> SpoolTotals:
        """Ingest the new lines of every spool file, and join logs to their spans; see ``SpoolReader.ingest``.

        Raises:
            StoreError: It cannot be stored now (``StoreBusy``) or at all; uncommitted lines are read again.
        """
        # First, since nothing is ingested into a damaged database.
        self.store.prepare(self._rounds.is_stopping)
        with self._passing:
            totals = self._spool.ingest(deadline_s=deadline_s, read_so_far=read_so_far)
            if self._joining.join(deadline_s=deadline_s):
                totals = replace(totals, complete=False)
            self._total += totals
        return totals

    def totals(self) -> SpoolTotals:
        """Return what this owner has ingested so far."""
        return self._total

    @property
    def failing(self) -> str | None:
        """What currently keeps the owner from its work, in a sentence."""
        return self.store.problem or self._rounds.problem

    def problems(self) -> tuple[str, ...]:
        """Return what currently fails, then which files of the spool are ignored, in sentences."""
        ignored = (f"{self._settings.spool / name} {reason}" for name, reason in self._total.ignored.items())
        return (self.failing, *ignored) if self.failing else tuple(ignored)

    def on_commit(self, callback: Callable[[], None]) -> None:
        """Have a callback called after each commit that changed rows, in the thread that committed; keep it short."""
        self._listeners.append(callback)

    def delete(self, what: Deletable, its_id: str) -> int:
        """Delete a trace, or all traces of a run or a session, and tell the listeners; return how many spans they had.

        Raises:
            StoreError: The store cannot do it now (``StoreBusy``) or at all.
        """
        spans = self.store.delete(what, its_id)
        if spans:
            self._notify()
        # The thread then returns the space to the file system.
        self._freed.set()
        return spans

    def prune(self, *, for_s: float | None = None) -> Pruned:
        """Delete traces by age and size, as the settings say; see `Retention.prune`.

        Raises:
            StoreError: The store cannot do it now (``StoreBusy``) or at all.
        """
        return self._retention.prune(for_s=for_s)

    def start(self) -> None:
        """Start a daemon thread that does all of this until ``stop``."""
        if not self._rounds.is_started:
            threading.Thread(target=cost.warm, name="inspector-prices", daemon=True).start()
            self._rounds.start()

    def stop(self) -> None:
        """Ingest the rest of the spools, for up to two seconds, and end the thread."""
        self._rounds.stop()

    def join_logs(self) -> None:
        """Join the logs that were stored to their spans.

        Raises:
            StoreError: They cannot be stored.
        """
        self._joining.join()

    def close(self) -> None:
        """Stop, close the store and let others own the database."""
        self.intake.close()
        self.stop()
        self.store.close()
        self._lock.release()

    def _notify(self) -> None:
        for callback in self._listeners:
            try:
                callback()
            # A failing callback must not affect the commit or other callbacks.
            except Exception:  # noqa: BLE001
                _log.exception("a listener to commits failed")

    def _step(self) -> float:
        """Read the spools once, then do the tasks that are due; return how many seconds to rest."""
        if not self._lock.is_in_place:
            raise HomeGone(self._settings.home)
        chores, times = self._chores, self._times
        began_s = time.monotonic()
        totals = self.ingest_spools(deadline_s=began_s + times.pass_s)
        chores.busy = not totals.complete
        chores.quiet_looks = 0 if totals.changed else chores.quiet_looks + 1
        now_s = time.monotonic()
        if self._freed.is_set() or now_s >= chores.prune_at_s:
            # First, since traces deleted during pruning need another pass.
            self._freed.clear()
            chores.prune_at_s = now_s + times.prune_again_s
            if self.prune(for_s=times.prune_s).complete:
                chores.prune_at_s = now_s + times.prune_every_s
            else:
                chores.prune_at_s = now_s
        if now_s >= chores.drop_logs_at_s:
            chores.drop_logs_at_s = now_s + times.drop_logs_every_s
            if dropped := self._retention.drop_logs():
                self.intake.note_left_out({WITHOUT_SPAN: dropped})
        for_s = max(times.maintain_s, now_s - began_s)
        chores.busy |= self.store.maintain(
            for_s=for_s, idle_s=times.idle_s, busy=chores.busy, give_way=self.intake.wait_idle
        )
        return chores.rest_s(time.monotonic() - began_s, times)

    def _last_step(self) -> None:
        self.ingest_spools(deadline_s=time.monotonic() + self._times.stop_s)
