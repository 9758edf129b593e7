"""How the thread that writes a spool sleeps, and by what it is woken.

It sleeps until a call ends, and writes at once. While it writes, and a few milliseconds more, others pile up, and are
written together: a program with few calls loses none when it is killed, one with many pays for few writes.
"""

import contextlib
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Literal, TypeAlias

Depth: TypeAlias = Literal["none", "light", "deep"]
"""Whether the thread listens for nothing, for ends of calls, or for starts too."""


class Sleep:
    """The sleep of one thread; any other may wake it, also by an event that is set once all is written."""

    def __init__(self) -> None:
        self.depth: Depth = "none"
        # SimpleQueue.put may be interrupted by a finalizer that puts too; queues and events with locks would deadlock.
        self._alarms: SimpleQueue[threading.Event | None] = SimpleQueue()

    def wake(self, done: threading.Event | None = None) -> None:
        """Wake the thread; who waits for it to write passes an event."""
        self._alarms.put(done)

    def deep(self, is_idle: Callable[[], bool]) -> list[threading.Event]:
        """Sleep until something begins; return who waits, at once where something is there already."""
        self.depth = "deep"
        # Asked after that was set: what was put before it has woken nobody.
        return self.until(None) if is_idle() else []

    def light(self, timeout_s: float) -> list[threading.Event]:
        """Sleep until a call ends; return who waits."""
        self.depth = "light"
        return self.until(timeout_s)

    def until(self, timeout_s: float | None) -> list[threading.Event]:
        """Sleep until the thread is woken or the time is over; return who waits."""
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
        """Let calls pile up, unless somebody waits for them."""
        with contextlib.suppress(Empty):
            self._alarms.put(self._alarms.get(timeout=pace_s))
