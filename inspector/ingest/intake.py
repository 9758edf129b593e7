"""Requests on their way into the store: one thread decodes those that wait and commits them together.

Decoding and writing share the thread because both need the interpreter: with a decoder beside it the writer would wait
for the interpreter after every row, which is slower than doing one after the other. Under load another process decodes
what waits, while this one writes. What waits while a transaction is written makes up the next one, so a commit is paid
once for all senders.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

from inspector.ingest.ahead import Ahead
from inspector.ingest.errors import IntakeFull
from inspector.ingest.one_by_one import read_spans, write_each
from inspector.model import NewLabel, Span
from inspector.otlp import Decoded
from inspector.received import Part, Received, as_sent, in_parts, receive
from inspector.store import Store, StoreBusy, StoreError

GROUP_SPANS = 2_048
MOST_WAITING = 1_024
MOST_WAITING_BYTES = 64 << 20
_UNREADABLE = "it could not be read; the server's log says why"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a request, told once it is committed."""

    spans: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])
    """Spans left out, counted by the field that was wrong."""
    malformed: str | None = None
    """Why all of it was refused; then nothing was stored."""
    too_large: bool = False
    """Whether it was refused for holding more than a request may."""


@dataclass(slots=True)
class _Delivery:
    """A request that waits."""

    decode: Callable[[], Decoded]
    size: int
    receipt: Future[Receipt]
    apart: Future[bytes] | None = None
    """What the other process reads in it, where it was given to that."""

    def take(self) -> Callable[[], Decoded]:
        """Gives away what makes the spans, and with it the bytes that were sent, which may be many."""
        decode, self.decode = self.decode, Decoded
        return decode

    @property
    def can_wait(self) -> bool:
        """Whether the other process is still reading it."""
        return self.apart is not None and not self.apart.done()


@dataclass(slots=True)
class _Unpacked:
    """A request that is about to be written."""

    delivery: _Delivery
    spans: Sequence[Span]
    labels: Sequence[NewLabel]
    rejected: dict[str, int]
    parts: Iterator[Part] | None
    """All of a large request, of which no part is held once it is written."""
    written: int = 0
    """Spans in parts so far."""
    malformed: str | None = None
    """Why it is refused after all."""

    def note_rejected(self, field: str, spans: int) -> None:
        """Count spans that are left out."""
        self.rejected[field] = self.rejected.get(field, 0) + spans


class Intake:
    """The queue in front of a store, and the thread that empties it; the thread starts with the first request.

    Args:
        store: Where the spans go.
        committed: Called after each commit, in the thread that committed; it must not raise.
        redact: Removes secrets from what was decoded, in the same thread.
        ahead: Has requests read in another process under load, with the same redaction; without it none are.
        group_spans: Spans after which no further request joins a transaction; one of more than twice as many is read
            and written in parts of so many.
        most_waiting: Requests in the queue.
        most_waiting_bytes: Bytes of the requests in the queue; a single one may have more.
    """

    def __init__(
        self,
        store: Store,
        committed: Callable[[], None],
        *,
        redact: Callable[[Decoded], Decoded] = as_sent,
        ahead: Ahead | None = None,
        group_spans: int = GROUP_SPANS,
        most_waiting: int = MOST_WAITING,
        most_waiting_bytes: int = MOST_WAITING_BYTES,
    ) -> None:
        self._store = store
        self._committed = committed
        self._redact = redact
        self._ahead = ahead
        self._group_spans = group_spans
        self._most_waiting = most_waiting
        self._most_waiting_bytes = most_waiting_bytes
        self._waiting: deque[_Delivery] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._closed = False

    def deliver(self, decode: Callable[[], Decoded], size: int) -> Future[Receipt]:
        """Queue a request; the future ends once its spans are committed, or with the StoreError that kept them out.

        Args:
            decode: Makes the spans, in the thread of the queue; where it raises, the request is refused as malformed.
            size: Bytes that wait.

        Raises:
            IntakeFull: Too much waits already, or this process is about to end.
        """
        delivery = _Delivery(decode, size, Future())
        with self._changed:
            if self._closed:
                raise IntakeFull("the server is shutting down; retry")
            if self._is_full(size):
                raise IntakeFull("too many spans are waiting to be stored; retry later")
            if self._ahead is not None and self._waiting:
                self._ahead.note_pressed(size)
            self._waiting.append(delivery)
            self._bytes += size
            self._read_ahead()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="inspector-intake", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return delivery.receipt

    def _is_full(self, size: int) -> bool:
        if len(self._waiting) >= self._most_waiting:
            return True
        return bool(self._waiting) and self._bytes + size > self._most_waiting_bytes

    def _read_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.give(self._waiting)

    def _rest_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.rest()

    def wait_idle(self, timeout_s: float) -> bool:
        """Give way to what waits, at most so long; returns whether nothing waits any more."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy and not self._waiting, timeout_s)

    def close(self) -> None:
        """Store what waits, take nothing more, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        self._rest_ahead()

    def _run(self) -> None:
        while group := self._next_group():
            try:
                self._write(group)
            # The border of the thread: a queue that nobody empties any more would hold up every sender for ever.
            except Exception as error:  # noqa: BLE001
                _log.exception("%d requests could not be stored", len(group))
                for unpacked in group:
                    _refuse(unpacked.delivery, StoreBusy(f"storing failed: {type(error).__name__}"))
            # Not held until the next ones are unpacked.
            group.clear()
            self._rest()

    def _next_group(self) -> list[_Unpacked]:
        """Wait for requests and unpack those that fit into one transaction; none once the queue is closed and empty."""
        group: list[_Unpacked] = []
        spans = 0
        while spans < self._group_spans:
            delivery = self._take(wait=not group)
            if delivery is None:
                break
            unpacked = _unpack(delivery, self._received)
            if unpacked is not None:
                group.append(unpacked)
                spans += self._group_spans if unpacked.parts else len(unpacked.spans)
        return group

    def _take(self, *, wait: bool) -> _Delivery | None:
        with self._changed:
            if wait and not self._waiting:
                self._busy = False
                self._changed.notify_all()
                self._wait()
            if not self._waiting or (not wait and self._waiting[0].can_wait):
                return None
            self._busy = True
            delivery = self._waiting.popleft()
            self._bytes -= delivery.size
            self._read_ahead()
            return delivery

    def _has_work(self) -> bool:
        return bool(self._waiting) or self._closed

    def _wait(self) -> None:
        if self._ahead is not None and not self._changed.wait_for(self._has_work, self._ahead.idle_s):
            self._ahead.rest()
        self._changed.wait_for(self._has_work)

    def _received(self, delivery: _Delivery) -> Received:
        most = 2 * self._group_spans
        read = None if self._ahead is None else self._ahead.received(delivery)
        if read is None:
            return receive(delivery.take(), self._redact, read_spans, most=most)
        return read if len(read.spans) <= most else in_parts(read, self._group_spans)

    def _rest(self) -> None:
        with self._changed:
            self._busy = False
            self._changed.notify_all()

    def _write(self, group: list[_Unpacked]) -> None:
        try:
            self._write_together(group)
            for unpacked in group:
                self._write_parts(unpacked)
        except StoreError as error:
            self._turn_away(group, error)
            return
        # One span that the store cannot take must cost neither the spans beside it nor the other senders.
        except Exception:  # noqa: BLE001
            _log.exception("%d requests were refused; storing them one by one", len(group))
            self._write_each(group)
            return
        self._committed()
        for unpacked in group:
            _acknowledge(unpacked)

    def _write_together(self, group: list[_Unpacked]) -> None:
        whole = [unpacked for unpacked in group if unpacked.parts is None]
        if whole:
            labels = [label for unpacked in whole for label in unpacked.labels]
            self._store.write([span for unpacked in whole for span in unpacked.spans], labels=labels)

    def _write_parts(self, unpacked: _Unpacked) -> None:
        try:
            for part in unpacked.parts or ():
                self._write_part(unpacked, part)
        except StoreError:
            raise
        # While it was read: what is written of it stays.
        except Exception:  # noqa: BLE001
            _log.exception("a request of %d bytes could not be read", unpacked.delivery.size)
            unpacked.malformed = _UNREADABLE

    def _write_part(self, unpacked: _Unpacked, part: Part) -> None:
        unpacked.written += len(part.spans)
        if part.unread:
            unpacked.note_rejected("unreadable", part.unread)
        try:
            self._store.write(part.spans, labels=part.labels)
        except StoreError:
            raise
        # As in a group of requests.
        except Exception:  # noqa: BLE001
            _log.exception("%d spans of a request were refused; storing them one by one", len(part.spans))
            self._write_one_by_one(unpacked, part.spans, part.labels)

    def _turn_away(self, group: list[_Unpacked], error: StoreError) -> None:
        """Refuse a group and all that waits: each would wait for the same lock, one after the other."""
        with self._changed:
            waiting = [*self._waiting]
            self._waiting.clear()
            self._bytes = 0
        for delivery in (*(unpacked.delivery for unpacked in group), *waiting):
            _refuse(delivery, error)

    def _write_each(self, group: list[_Unpacked]) -> None:
        for at, unpacked in enumerate(group):
            try:
                self._write_one_by_one(unpacked, unpacked.spans, unpacked.labels)
                self._write_parts(unpacked)
            except StoreError as error:
                self._turn_away(group[at:], error)
                return
            self._committed()
            _acknowledge(unpacked)

    def _write_one_by_one(self, unpacked: _Unpacked, spans: Sequence[Span], labels: Sequence[NewLabel]) -> None:
        if refused := write_each(self._store, spans):
            # The sender is told, and must not send them again.
            unpacked.note_rejected("unstorable", refused)
        if labels:
            with suppress(StoreError):
                self._store.write((), labels=labels)


def _unpack(delivery: _Delivery, received_of: Callable[[_Delivery], Received]) -> _Unpacked | None:
    """Read a request; what cannot be decoded is answered at once."""
    if not delivery.receipt.set_running_or_notify_cancel():
        return None
    try:
        received = received_of(delivery)
    # A request must not end the thread of the queue, and its sender must not send it again.
    except Exception:  # noqa: BLE001
        _log.exception("a request of %d bytes could not be read", delivery.size)
        received = Received(malformed=_UNREADABLE)
    # What the other process was sent and answered may be large.
    delivery.decode, delivery.apart = Decoded, None
    if received.malformed is not None:
        delivery.receipt.set_result(Receipt(malformed=received.malformed, too_large=received.too_large))
        return None
    return _Unpacked(delivery, received.spans, received.labels, dict(received.rejected), received.parts)


def _acknowledge(unpacked: _Unpacked) -> None:
    stored = len(unpacked.spans) + unpacked.written - unpacked.rejected.get("unstorable", 0)
    unpacked.delivery.receipt.set_result(Receipt(stored, unpacked.rejected, unpacked.malformed))


def _refuse(delivery: _Delivery, error: StoreError) -> None:
    if not delivery.receipt.done() and (delivery.receipt.running() or delivery.receipt.set_running_or_notify_cancel()):
        delivery.receipt.set_exception(error)
