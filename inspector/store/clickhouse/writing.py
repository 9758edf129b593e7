"""Applies changes to a database while this process holds the lease; otherwise sends them to the one that does."""

import atexit
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from inspector.model import NewLabel, Span
from inspector.store.clickhouse.changes import Change, Write, apply, decode_change, encode_change
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.hours import Hours
from inspector.store.clickhouse.inbox import MOST_AT_ONCE, Entry, Inbox
from inspector.store.clickhouse.lease import Lease
from inspector.store.clickhouse.logs import Logs
from inspector.store.clickhouse.prepared import Prepared, Preparing
from inspector.store.clickhouse.writer import Writer
from inspector.store.errors import QueryTooSlow, StoreBusy, StoreError
from inspector.store.model import DueLogs
from inspector.store.values.logs import LogRow

LOOK_S: Final = 0.25
"""How often the inbox is read."""
CLAIM_S: Final = 0.5
"""How often a process checks whether the lease is free, if it has changes and may be given its turn."""
_CALM: Final = 4
"""How many times as long any other process waits for that: a query wakes a process that has nothing else to do."""
KEEP_S: Final = 2.0
"""How often the lease is renewed."""
TIDY_S: Final = 60.0
TURN_S: Final = 15.0
"""How long one process writes before it lets another one, if others have work too."""
BACK_S: Final = 1.0
"""How long it then waits until another one takes the lease."""
ANSWER_S: Final = 20.0
"""How long an outcome is waited for: longer than it takes to replace a writer that was killed."""
CHANGE_S: Final = 30.0
"""How long a query of a change may take: it has to be answered, where a page that is not can be asked again."""
_ASK_S: Final = 0.05
BATCH_SPANS: Final = 4_096
"""Entries are written together until they have this many spans. Each batch is a query and three or four inserts, and
for 512 spans these cost more than the spans themselves."""

_log = logging.getLogger(__name__)


class Writing:
    """The writing half of a store, of which any number of processes may have one; may be used from any thread."""

    def __init__(
        self,
        database: Database,
        now_ns: Callable[[], int],
        home: str = "",
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        patient = database.patient(CHANGE_S)
        self._lease = Lease(patient, home, clock_s)
        self._now_ns = now_ns
        self._clock_s = clock_s
        self._preparing = Preparing()
        self._writer = Writer(patient, self._preparing, Hours(database))
        self._logs = Logs(patient, self._writer)
        self._inbox = Inbox(patient)
        self._lock = threading.RLock()
        self._looked_s = -math.inf
        self._back_s = -math.inf
        self._sent_s = -math.inf
        self._turn_s = math.inf
        self._tidy_s = -math.inf
        self._sum_up_s = -math.inf
        self._sent: str | None = None
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._repeat, args=(KEEP_S, self._lease.keep), name="inspector-lease", daemon=True),
            threading.Thread(target=self._repeat, args=(LOOK_S, self.drain), name="inspector-inbox", daemon=True),
        ]

    def start(self) -> None:
        """Take the lease as soon as it is free, and apply what others send, until `close`."""
        with self._lock:
            self._acquire()
        for thread in self._threads:
            thread.start()
        # Otherwise a program that does not close its store would wait for a query of these threads.
        atexit.register(self.close)

    def prepared(self, spans: Sequence[Span]) -> list[Prepared]:
        """Return spans as they are written.

        Raises:
            UnicodeEncodeError: A text cannot be stored.
        """
        return self._preparing.of(spans)

    def apply(self, change: Change, *, wait: bool = True) -> Any:
        """Apply a change, or have the process that writes apply it.

        Args:
            change: What is to be done.
            wait: Whether to wait until it is applied; else it is stored, and applied even if this process dies.

        Returns:
            The outcome; None where it was not waited for.

        Raises:
            StoreError: It can be neither applied nor stored now (`StoreBusy`) or at all.
        """
        with self._lock:
            if self._acquire():
                answer = self._run(change)
                if self._lease.is_held or self._lease.keep():
                    return answer
                # Another process has the lease by now, and may not know of this change.
                if isinstance(change, Write):
                    change = msgspec.structs.replace(change, late=True)
        if isinstance(change, Write) and not change.late:
            self._inbox.check_room()
        self._sent = entry = self._put(change)
        return self._outcome_of(entry) if wait else None

    def is_writer(self) -> bool:
        """Tell whether this process applies the changes of all."""
        with self._lock:
            return self._acquire()

    def due_logs(self, most: int) -> Sequence[DueLogs]:
        """Return spans whose logs are to be joined; none if another process writes."""
        with self._lock:
            return self._logs.due(most) if self._acquire() else ()

    def wait(self) -> None:
        """Wait until what this process sent to another is applied, at most as long as for an answer."""
        sent = self._sent
        until_s = time.monotonic() + ANSWER_S
        while sent is not None and self._inbox.outcome(sent) is None:
            if time.monotonic() >= until_s:
                return
            self._stopping.wait(_ASK_S)
        if sent == self._sent:
            self._sent = None

    def drain(self) -> None:
        """Apply what other processes sent, if this one writes.

        Raises:
            StoreError: It cannot be applied now, or at all; it stays in the inbox.
        """
        with self._lock:
            if not self._acquire():
                return
            self._writer.renumber_late()
            is_over = False
            is_more = True
            while is_more and not is_over and (waiting := self._inbox.waiting()):
                if not self._apply_all(waiting):
                    return
                is_over = self._clock_s() >= self._turn_s and not all(map(self._inbox.is_own, waiting))
                is_more = len(waiting) == MOST_AT_ONCE
            if self._clock_s() >= self._tidy_s:
                self._tidy_s = self._clock_s() + TIDY_S
                self._inbox.tidy()
            if is_over:
                self._pass_on()

    def sum_up(self, for_s: float) -> bool:
        """Sum up for statistics the hours that are over, if this process writes; return whether there are more."""
        if for_s < math.inf and self._clock_s() < self._sum_up_s:
            return False
        self._sum_up_s = self._clock_s() + TIDY_S
        until_s = time.monotonic() + for_s
        hours: Sequence[int] = ()
        with suppress(QueryTooSlow):
            hours = self._writer.hours_over(self._now_ns()) if self.is_writer() else ()
        for hour in hours:
            with self._lock:
                if not self._acquire():
                    return False
                # An hour that is too long for it is counted call by call.
                with suppress(QueryTooSlow):
                    self._writer.sum_up(hour)
            if time.monotonic() >= until_s:
                self._sum_up_s = -math.inf
                return True
        return False

    def close(self) -> None:
        """Let another process write."""
        atexit.unregister(self.close)
        self._stopping.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        with suppress(StoreError), self._lock:
            self._lease.give_up(settled=self._lease.is_held and self._writer.hand_over())

    def _put(self, change: Change) -> str:
        self._sent_s = self._clock_s()
        if not isinstance(change, Write):
            return self._inbox.put(encode_change(change))
        spans = [self._preparing.read(span) for span in change.spans]
        return self._inbox.put(encode_change(msgspec.structs.replace(change, spans=())), spans)

    def _pass_on(self) -> None:
        """Let one of the others write for a while; where none does, this process takes the lease back."""
        self._turn_s = self._clock_s() + TURN_S
        if self._writer.hand_over():
            self._back_s, self._looked_s = self._clock_s() + BACK_S, -math.inf
            self._lease.give_up(settled=True)

    def _acquire(self) -> bool:
        """Claim the lease if it is free, and make the writer ready; return whether this process holds it."""
        if not self._lease.is_held:
            now_s = self._clock_s()
            if now_s < max(self._back_s, self._looked_s + self._pause_s(now_s)):
                return False
            self._looked_s = now_s
            start = self._lease.claim()
            if start is None:
                return False
            if start != "kept":
                self._turn_s = self._clock_s() + TURN_S
                self._writer.take_over(start)
                self._logs.take_over()
        self._writer.make_ready()
        return True

    def _pause_s(self, now_s: float) -> float:
        """Return how long to wait before checking again whether the lease is free."""
        is_due = now_s < self._sent_s + TURN_S and self._lease.longest_held_s >= TURN_S
        return CLAIM_S if is_due else _CALM * CLAIM_S

    def _outcome_of(self, entry: str) -> Any:
        until_s = time.monotonic() + ANSWER_S
        while (answer := self._inbox.outcome(entry)) is None:
            if time.monotonic() >= until_s:
                raise StoreBusy(f"the process that writes {self._database.address} does not answer; try again later")
            self._stopping.wait(_ASK_S)
        return msgspec.json.decode(answer)

    def _apply_all(self, entries: Sequence[Entry]) -> bool:
        """Apply entries in their order, and return whether this process still had the lease at the end."""
        outcomes: dict[str, str] = {}
        for among, change in _together(entries):
            outcomes |= dict.fromkeys(among, "null" if change is None else self._outcome(change))
        if not (self._lease.is_held or self._lease.keep()):
            return False
        self._inbox.mark_done(outcomes)
        return True

    def _outcome(self, change: Change) -> str:
        try:
            return msgspec.json.encode(self._run(change)).decode()
        except StoreError:
            raise
        # An entry that always fails would hold up everything behind it.
        except Exception:  # noqa: BLE001
            parts = _halves(change)
            if not parts:
                _log.exception("a change sent by another process failed and is left out")
            self._writer.make_ready()
            for part in parts:
                self._outcome(part)
            return "null"

    def _run(self, change: Change) -> Any:
        return apply(change, self._database, self._writer, self._logs, self._preparing, self._now_ns)

    def _repeat(self, every_s: float, step: Callable[[], object]) -> None:
        problem = ""
        while not self._stopping.wait(every_s):
            try:
                step()
            except StoreError as error:
                if str(error) != problem:
                    _log.warning("%s", error)
                problem = str(error)
            # The border of the thread: without it nobody would apply what others send.
            except Exception:  # noqa: BLE001
                _log.exception("applying what other processes sent failed and is tried again")
            else:
                problem = ""


def _together(entries: Sequence[Entry]) -> Iterator[tuple[list[str], Change | None]]:
    """Yield changes with the ids of their entries: spans that follow one another become one change."""
    ids: list[str] = []
    spans: list[Any] = []
    labels: list[NewLabel] = []
    logs: list[LogRow] = []
    arrived_ns = 0
    for entry in entries:
        change = _read(entry)
        if isinstance(change, Write) and not change.late and len(spans) + len(logs) < BATCH_SPANS:
            ids.append(entry.id)
            spans += change.spans
            labels += change.labels
            logs += change.logs
            arrived_ns = max(arrived_ns, change.arrived_ns)
            continue
        if ids:
            yield ids, Write(spans, labels, arrived_ns, logs=logs)
            ids, spans, labels, logs = [], [], [], []
        yield [entry.id], change
    if ids:
        yield ids, Write(spans, labels, arrived_ns, logs=logs)


def _read(entry: Entry) -> Change | None:
    try:
        change = decode_change(entry.body)
    except msgspec.MsgspecError:
        _log.exception("a change sent by another process cannot be decoded and is left out")
        return None
    return msgspec.structs.replace(change, spans=entry.spans) if entry.spans and isinstance(change, Write) else change


def _halves(change: Change) -> list[Write]:
    """Return two changes that are one together, so that only what is wrong in it is left out; none if it is single."""
    if not isinstance(change, Write):
        return []
    kinds = {"spans": change.spans, "labels": change.labels, "logs": change.logs}
    filled = [name for name, items in kinds.items() if items]
    if len(filled) > 1:
        nothing = dict.fromkeys(kinds, ())
        return [msgspec.structs.replace(change, **(nothing | {name: kinds[name]})) for name in filled]
    items = kinds[filled[0]] if filled else ()
    half = len(items) // 2
    parts = (items[:half], items[half:]) if half else ()
    return [msgspec.structs.replace(change, **{filled[0]: part}) for part in parts]
