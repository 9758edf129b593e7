"""Joins logs to their spans, once both are stored (docs/decisions/logs-join-their-span.md)."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from inspector.model import Span
from inspector.reading.joined import with_logs
from inspector.store import DueLogs, Joined, Store, StoreError

_AT_ONCE: Final = 100
"""Spans of one transaction."""

_log = logging.getLogger(__name__)


class Joining:
    """Makes logs that are due events of their spans. What fails or is interrupted stays due.

    Args:
        store: A writable store.
        committed: Called after each commit that changed spans.
    """

    def __init__(self, store: Store, committed: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._committed = committed

    def join(self, *, deadline_s: float | None = None) -> bool:
        """Join due logs until a ``time.monotonic`` deadline, and return whether it came before all were joined.

        Raises:
            StoreError: It cannot be stored now (``StoreBusy``) or at all.
        """
        before: Sequence[DueLogs] = ()
        # What stays due is of spans that have changed meanwhile, and may go on changing: it waits for the next call.
        while (due := self._store.due_logs(_AT_ONCE)) and due != before:
            if self._join(due):
                self._committed()
            if deadline_s is not None and time.monotonic() > deadline_s:
                return True
            before = due
        return False

    def _join(self, due: Sequence[DueLogs]) -> int:
        spans: list[Span] = []
        joined: list[Joined] = []
        for each in due:
            span, is_joined = self._read(each)
            joined.append(is_joined)
            if span is not None:
                spans.append(span)
        spans.sort(key=lambda span: span.start_ns)
        try:
            return self._store.write_again(spans, joined=joined)
        except StoreError:
            raise
        # One span that cannot be stored must not keep the others from it, nor be tried forever.
        except Exception:  # noqa: BLE001
            _log.exception("logs of %d spans were refused; joining them one by one", len(due))
            return sum(map(self._join_alone, due))

    def _join_alone(self, due: DueLogs) -> int:
        span, joined = self._read(due)
        try:
            return self._store.write_again([] if span is None else [span], joined=[joined])
        except StoreError:
            raise
        # As above.
        except Exception:  # noqa: BLE001
            _log.exception("span %s was refused with its logs, and stays without them", due.span_id)
            return self._store.write_again([], joined=[joined])

    def _read(self, due: DueLogs) -> tuple[Span | None, Joined]:
        event = self._store.event(due.span_id, trace_id=due.trace_id, raw=True)
        if event is None:
            return None, Joined(due, 0)
        try:
            return with_logs(event, due.logs), Joined(due, event.seq)
        # If a dialect fails for a span, only its logs are lost.
        except Exception:  # noqa: BLE001
            _log.exception("span %s could not be read with its logs, and stays without them", due.span_id)
            return None, Joined(due, event.seq)
