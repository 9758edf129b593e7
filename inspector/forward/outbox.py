"""Sends the files of an outbox in order, and deletes those that were accepted."""

import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.forward.complaint import last_problem, note_problem
from inspector.forward.sender import Answer, Sender
from inspector.forward.waiting import Chunk, Outgoing, WaitingFiles
from inspector.logger import logger
from inspector.otlp import Item
from inspector.refusals import note_refused

REQUEST_SPANS = 512
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
"""The pause between attempts; doubled each time, with a random part, so that senders spread out."""


@dataclass(slots=True)
class Forwarded:
    """Counts of sent spans."""

    spans: int = 0
    refused: int = 0
    """Spans that the receiver rejected for good."""
    bad_lines: int = 0
    """Lines cut off by a crash."""


class Outbox:
    """The files that wait for one endpoint. One process at a time may send them."""

    def __init__(self, directory: Path, sender: Sender, *, now_s: Callable[[], float] = time.monotonic) -> None:
        self.total = Forwarded()
        self.problem: str | None = None
        """Why the last request failed; None after one that was taken."""
        self._directory = directory
        self._noted = last_problem(directory)
        self._waiting = WaitingFiles(directory)
        self._sender = sender
        self._now_s = now_s
        self._not_before_s = 0.0
        self._wait_s = 0.0
        self._takes_starts: bool | None = None
        self._warned_of: set[str] = set()

    def send_waiting(self, *, stop: Callable[[], bool] = lambda: False) -> bool:
        """Send waiting spans until all are accepted, a request fails, or ``stop`` returns True.

        Returns:
            Whether all spans recorded before this call are sent.
        """
        for file in self._waiting.files():
            while not stop():
                if self._now_s() < self._not_before_s:
                    return False
                chunk = self._waiting.read(file)
                if chunk is None:
                    if not self._finish(file):
                        return False
                    break
                if not self._send_chunk(file, chunk):
                    return False
            else:
                return False
        return True

    def _send_chunk(self, file: Outgoing, chunk: Chunk) -> bool:
        items = chunk.items
        if any(item.is_start for item in items):
            takes_starts = self._takes_running_spans()
            if takes_starts is None:
                return False
            if not takes_starts:
                items = tuple(item for item in items if not item.is_start)
        for start in range(0, len(items), REQUEST_SPANS):
            if not self._send(items[start : start + REQUEST_SPANS]):
                return False
        self.total.bad_lines, file.bad_lines = self.total.bad_lines + file.bad_lines, 0
        self._waiting.sent(file, chunk)
        return True

    def _finish(self, file: Outgoing) -> bool:
        if not file.finished:
            return True
        lost = self._waiting.lost(file)
        if lost and not self._send(lost):
            return False
        self._waiting.put_away(file)
        return True

    def _takes_running_spans(self) -> bool | None:
        """Ask the receiver once, with an empty request, whether it is an inspector; None if unknown."""
        if self._takes_starts is None:
            answer = self._sender.send(())
            self._note(answer)
            if answer.outcome == "taken":
                self._takes_starts = answer.is_inspector
            elif answer.outcome in ("refused", "split"):
                # A receiver that rejects an empty request is not an inspector.
                self._takes_starts = False
        return self._takes_starts

    def _send(self, items: Sequence[Item]) -> bool:
        """Send spans; a request that is too large, or contains a bad span, is split in halves.

        Returns:
            False if they have to be sent again later.
        """
        answer = self._sender.send(items)
        self._note(answer)
        if answer.outcome == "split" and len(items) > 1:
            middle = len(items) // 2
            return self._send(items[:middle]) and self._send(items[middle:])
        if answer.outcome in ("split", "refused"):
            self.total.refused += len(items)
            self._warn_of_refusal(answer, len(items))
            return True
        if answer.outcome != "taken":
            return False
        self.total.spans += len(items) - answer.rejected
        self.total.refused += answer.rejected
        if answer.rejected:
            self._warn_of_refusal(answer, answer.rejected)
        return True

    def _warn_of_refusal(self, answer: Answer, count: int) -> None:
        # Once per reason: a receiver that refuses one span often refuses them all.
        level = logging.DEBUG if answer.outcome in self._warned_of else logging.WARNING
        self._warned_of.add(answer.outcome)
        url = self._sender.endpoint.url
        note_refused(self._directory, url, count, answer.reason)
        logger.log(level, "%s refused %d span%s for good: %s", url, count, "" if count == 1 else "s", answer.reason)

    def _note(self, answer: Answer) -> None:
        if answer.outcome == "cut":
            return
        if answer.outcome in ("taken", "refused", "split"):
            self.problem, self._wait_s, self._not_before_s = None, 0.0, 0.0
            self._note_problem()
            return
        if self.problem is None:
            logger.warning("spans wait on disk: %s does not take them: %s", self._sender.endpoint.url, answer.reason)
        self.problem = answer.reason
        self._note_problem()
        longest = answer.outcome == "misdirected"
        self._wait_s = LONGEST_WAIT_S if longest else min(LONGEST_WAIT_S, max(FIRST_WAIT_S, self._wait_s * 2))
        spread_s = self._wait_s * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
        self._not_before_s = self._now_s() + max(spread_s, answer.wait_s or 0.0)

    def _note_problem(self) -> None:
        if self._noted != self.problem:
            self._noted = self.problem
            note_problem(self._directory, self.problem)
