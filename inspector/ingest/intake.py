"""Stores requests: one thread interprets those that wait in a queue, and commits them together.

Both tasks share a thread because both need the interpreter: if another thread interpreted requests, the writer would
wait for the interpreter after every row, which is slower than one task after the other. Under load, a second process
interprets requests while this one writes. All requests that arrive during a transaction are in the next one, so senders
share the cost of a commit.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass

from inspector.ingest.offload import Offload
from inspector.ingest.one_by_one import read_spans, write_storable, write_storable_logs
from inspector.ingest.request_queue import MOST_WAITING, MOST_WAITING_BYTES, Receipt, RequestQueue, WaitingRequest
from inspector.model import Log, NewLabel, Span
from inspector.otlp import Decoded
from inspector.received import Received, RequestPart, in_parts, receive, unredacted
from inspector.store import Store, StoreBusy, StoreError

GROUP_SPANS = 2_048
_UNREADABLE = "it could not be read; the server's log says why"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Unpacked:
    request: WaitingRequest
    spans: Sequence[Span]
    labels: Sequence[NewLabel]
    logs: Sequence[Log]
    rejected: dict[str, int]
    parts: Iterator[RequestPart] | None
    """The parts of a large request; each is released once it is written."""
    written: int = 0
    """How many spans and logs of parts have been written."""
    malformed: str | None = None
    """Why it is refused, although parts of it may be written."""

    def note_rejected(self, field: str, spans: int) -> None:
        """Count rejected spans."""
        self.rejected[field] = self.rejected.get(field, 0) + spans


class Intake:
    """The queue in front of a store, and the thread that empties it; the thread starts with the first request.

    Args:
        store: Where the spans go.
        committed: Called after each commit, in the thread that committed; it must not raise.
        redact: Removes secrets from decoded requests, in the same thread.
        offload: Under load, has requests interpreted in a second process, with the same redaction.
        group_spans: With this many spans, no further request joins a transaction; a request with more than twice as
            many is written in parts of this size.
        most_waiting: How many requests may be in the queue.
        most_waiting_bytes: How many bytes of requests may be in the queue; a single one may have more.
    """

    def __init__(
        self,
        store: Store,
        committed: Callable[[], None],
        *,
        redact: Callable[[Decoded], Decoded] = unredacted,
        offload: Offload | None = None,
        group_spans: int = GROUP_SPANS,
        most_waiting: int = MOST_WAITING,
        most_waiting_bytes: int = MOST_WAITING_BYTES,
    ) -> None:
        self.left_out: Counter[str] = Counter()
        """What answered requests had that was not stored, by the invalid field; ``data_points`` are those of metrics,
        of which none are, and ``logs_without_span`` those that belong to no span."""
        self._store = store
        self._committed = committed
        self._redact = redact
        self._group_spans = group_spans
        self._queue = RequestQueue(offload=offload, most=most_waiting, most_bytes=most_waiting_bytes)
        self._lock = threading.Lock()
        """Held to begin and to close, and to count what was left out."""
        self._thread: threading.Thread | None = None

    def deliver(self, decode: Callable[[], Decoded], size: int) -> Future[Receipt]:
        """Queue a request; the future is done once its content is committed, or has the StoreError.

        Args:
            decode: Returns its content, in the thread of the queue; if it raises, the request is refused as malformed.
            size: The size of the request in bytes.

        Raises:
            IntakeFull: The queue is full, or this process is shutting down.
        """
        request = WaitingRequest(decode, size, Future())
        with self._lock:
            self._queue.put(request)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="inspector-intake", daemon=True)
                self._thread.start()
        return request.receipt

    def note_left_out(self, counts: Mapping[str, int]) -> None:
        """Count what was not stored; it may be called from any thread."""
        with self._lock:
            self.left_out.update(counts)

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until the queue is empty; return whether it is."""
        return self._queue.wait_idle(timeout_s)

    def close(self) -> None:
        """Store everything in the queue, accept nothing more, and end the thread."""
        with self._lock:
            self._queue.close()
        if self._thread is not None:
            self._thread.join()
        self._queue.end_second_process()

    def _run(self) -> None:
        while group := self._next_group():
            try:
                self._write(group)
            # The boundary of the thread: if it ended, every sender would wait forever.
            except Exception as error:  # noqa: BLE001
                _log.exception("%d requests could not be stored", len(group))
                for unpacked in group:
                    _refuse(unpacked.request, StoreBusy(f"storing failed: {type(error).__name__}"))
            # Released before the next requests are interpreted.
            group.clear()
            self._queue.mark_idle()

    def _next_group(self) -> list[_Unpacked]:
        """Wait for requests, and interpret as many as fit into one transaction; empty once the queue is closed."""
        group: list[_Unpacked] = []
        spans = 0
        while spans < self._group_spans:
            request = self._queue.take(wait=not group)
            if request is None:
                break
            unpacked = _unpack(request, self._received)
            if unpacked is not None:
                group.append(unpacked)
                spans += self._group_spans if unpacked.parts else len(unpacked.spans) + len(unpacked.logs)
        return group

    def _received(self, request: WaitingRequest) -> Received:
        most = 2 * self._group_spans
        read = self._queue.interpretation(request)
        if read is None:
            return receive(request.take(), self._redact, read_spans, most=most)
        return read if len(read.spans) + len(read.logs) <= most else in_parts(read, self._group_spans)

    def _write(self, group: list[_Unpacked]) -> None:
        try:
            self._write_together(group)
            for unpacked in group:
                self._write_parts(unpacked)
        except StoreError as error:
            self._turn_away(group, error)
            return
        # One span that cannot be stored must not affect the spans beside it or other senders.
        except Exception:  # noqa: BLE001
            _log.exception("%d requests were refused; storing them one by one", len(group))
            self._write_each(group)
            return
        self._committed()
        for unpacked in group:
            self._acknowledge(unpacked)

    def _write_together(self, group: list[_Unpacked]) -> None:
        whole = [unpacked for unpacked in group if unpacked.parts is None]
        labels = [label for unpacked in whole for label in unpacked.labels]
        spans = [span for unpacked in whole for span in unpacked.spans]
        logs = [log for unpacked in whole for log in unpacked.logs]
        if spans or labels or logs:
            self._store.write(spans, labels=labels, logs=logs)

    def _write_parts(self, unpacked: _Unpacked) -> None:
        try:
            for part in unpacked.parts or ():
                self._write_part(unpacked, part)
        except StoreError:
            raise
        # It failed while being interpreted; the parts that are written stay.
        except Exception:  # noqa: BLE001
            _log.exception("a request of %d bytes could not be read", unpacked.request.size)
            unpacked.malformed = _UNREADABLE

    def _write_part(self, unpacked: _Unpacked, part: RequestPart) -> None:
        unpacked.written += len(part.spans) + len(part.logs)
        if part.unread:
            unpacked.note_rejected("unreadable", part.unread)
        try:
            self._store.write(part.spans, labels=part.labels, logs=part.logs)
        except StoreError:
            raise
        # As for a group of requests.
        except Exception:  # noqa: BLE001
            _log.exception("%d spans of a request were refused; storing what can be stored", len(part.spans))
            self._write_storable(unpacked, part)

    def _turn_away(self, group: list[_Unpacked], error: StoreError) -> None:
        """Refuse a group and everything in the queue; otherwise each would wait for the same lock in turn."""
        for request in (*(unpacked.request for unpacked in group), *self._queue.clear()):
            _refuse(request, error)

    def _write_each(self, group: list[_Unpacked]) -> None:
        for at, unpacked in enumerate(group):
            try:
                self._write_storable(unpacked, unpacked)
                self._write_parts(unpacked)
            except StoreError as error:
                self._turn_away(group[at:], error)
                return
            self._committed()
            self._acknowledge(unpacked)

    def _write_storable(self, unpacked: _Unpacked, content: "_Unpacked | RequestPart") -> None:
        refused = write_storable(self._store, content.spans) + write_storable_logs(self._store, content.logs)
        if refused:
            # The sender is told about them, and must not send them again.
            unpacked.note_rejected("unstorable", refused)
        if content.labels:
            with suppress(StoreError):
                self._store.write((), labels=content.labels)

    def _acknowledge(self, unpacked: _Unpacked) -> None:
        stored = len(unpacked.spans) + len(unpacked.logs) + unpacked.written - unpacked.rejected.get("unstorable", 0)
        self.note_left_out(unpacked.rejected)
        unpacked.request.receipt.set_result(Receipt(stored, unpacked.rejected, unpacked.malformed))


def _unpack(request: WaitingRequest, received_of: Callable[[WaitingRequest], Received]) -> _Unpacked | None:
    """Interpret a request; if it cannot be decoded, answer it at once."""
    if not request.receipt.set_running_or_notify_cancel():
        return None
    try:
        received = received_of(request)
    # A request must not end the thread of the queue, and its sender must not send it again.
    except Exception:  # noqa: BLE001
        _log.exception("a request of %d bytes could not be read", request.size)
        received = Received(malformed=_UNREADABLE)
    # The bytes of the request, and the answer of the second process, may be large.
    request.decode, request.answer = Decoded, None
    if received.malformed is not None:
        request.receipt.set_result(Receipt(malformed=received.malformed, too_large=received.too_large))
        return None
    rejected = dict(received.rejected)
    return _Unpacked(request, received.spans, received.labels, received.logs, rejected, received.parts)


def _refuse(request: WaitingRequest, error: StoreError) -> None:
    if not request.receipt.done() and (request.receipt.running() or request.receipt.set_running_or_notify_cancel()):
        request.receipt.set_exception(error)
