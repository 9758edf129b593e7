"""How the thread that writes a spool sleeps, and what wakes it.

It sleeps until a call ends, and then writes immediately. Calls that end while it writes, and for a few milliseconds
more, are written together. So a program with few calls loses none when it is killed, and one with many causes few
writes.
"""

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Literal, TypeAlias

Depth: TypeAlias = Literal["none", "light", "deep"]
"""Whether nothing wakes the thread, only the end of a call, or its start too."""


@dataclass(frozen=True, slots=True)
class Pauses:
    """Waiting times of the writer's thread, in seconds."""

    pace_s: float = 0.004
    """From one write to the next; calls that end in between are lost if the process is killed."""
    start_s: float = 0.05
    """From the start of a call until it is written, if nothing else is written before."""
    doze_s: float = 1.0
    """From the last write until the thread stops polling for starts and lets them wake it."""


PAUSES = Pauses()
_GLANCE_S = 0.05
"""How often somebody who waits for the thread looks how far it is."""


def is_reached(done: threading.Event, reached: Callable[[], bool], timeout_s: float) -> bool:
    """Wait until the thread has written everything, or so far as is asked for; return False if that takes too long."""
    until_s = time.monotonic() + timeout_s
    while not done.wait(max(0.0, min(_GLANCE_S, until_s - time.monotonic()))):
        if reached():
            return True
        if time.monotonic() >= until_s:
            return False
    return True


class Sleep:
    """The sleep of one thread; others wake it, and may pass an event to be set when everything is written."""

    def __init__(self) -> None:
        self.depth: Depth = "none"
        # SimpleQueue.put may be interrupted by a finalizer that puts too; queues and events with locks would deadlock.
        self._alarms: SimpleQueue[threading.Event | None] = SimpleQueue()

    def wake(self, done: threading.Event | None = None) -> None:
        """Wake the thread; it sets ``done`` after writing."""
        self._alarms.put(done)

    def deep(self, is_idle: Callable[[], bool]) -> list[threading.Event]:
        """Sleep until a call begins, unless one is there already; return the events of those who wait."""
        self.depth = "deep"
        # Checked after the depth was set, since an earlier call has woken nobody.
        return self.until(None) if is_idle() else []

    def light(self, timeout_s: float) -> list[threading.Event]:
        """Sleep until a call ends; return the events of those who wait."""
        self.depth = "light"
        return self.until(timeout_s)

    def until(self, timeout_s: float | None) -> list[threading.Event]:
        """Sleep until the thread is woken or the time is over; return the events of those who wait."""
        waiting: list[threading.Event] = []
        try:
            done = self._alarms.get(timeout=timeout_s) if timeout_s != 0 else self._alarms.get_nowait()
            while True:
                if done is not None:
                    waiting.append(done)
                done = self._alarms.get_nowait()
        except Empty:
            self.depth = "none"
            return waiting

    def pause(self, pace_s: float) -> None:
        """Let calls accumulate, unless somebody waits for them."""
        with contextlib.suppress(Empty):
            self._alarms.put(self._alarms.get(timeout=pace_s))
