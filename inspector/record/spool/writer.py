"""The spool: append-only files of this process, with lines of calls and of the texts that they refer to.

Agents put calls into a queue; one daemon thread turns them into lines and writes them. The current file is locked while
the process lives, so that readers can distinguish finished files from growing ones.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from inspector import semconv as sc
from inspector.homes import left_by_others
from inspector.logger import logger
from inspector.record.calls.spans import RecordedSpan
from inspector.record.lines.losses import LossCounter
from inspector.record.lines.renderer import Render, RenderedLine
from inspector.record.spool.counts import calls_of, count
from inspector.record.spool.segments import Segments
from inspector.record.spool.sleep import PAUSES, Pauses, Sleep, is_reached
from inspector.record.spool.unwritten import UnwrittenMark
from inspector.record.spool.waiting import MAX_BYTES, MAX_CALLS, WaitingCalls
from inspector.tally import Tally
from inspector.threads import are_greenlets, await_end

_BATCH = 128
"""Maximum number of calls that are written together, so that the first of many need not wait for the last."""
_RETRY_S = 1.0
"""The time until a failed write, or a failed start of the thread, is repeated."""
_STARVED = 5
"""How many times longer the end of the program waits if the thread hardly gets any CPU time."""
_AWAKE_S = 0.0005
"""With less CPU time than this, all threads of the process count as stuck."""
_PARK_S = 0.5
"""How long a fork may wait for the thread; it takes well below a millisecond unless the disk hangs."""


class SpoolWriter:
    """Writes the changed spans of one process.

    Args:
        directory: Where the files go; it is created with mode 0700 if missing.
        name: The process key, with which the file names begin.
        render: Creates lines; runs in the writer's thread.
        segment_bytes: The size at which the next file begins.
        total_bytes: The maximum size of all spools in the directory; beyond it, the oldest finished file is removed.
        max_calls: The maximum number of waiting calls; further ones are dropped and counted.
        max_bytes: The maximum size of captured values of waiting calls; further calls are dropped and counted.
        tally: Receives the numbers of written calls, if somebody needs them.
        pauses: How long the writer's thread waits for more calls.
    """

    def __init__(  # noqa: PLR0913 - its limits, each with a default
        self,
        directory: Path,
        name: str,
        render: Render,
        *,
        segment_bytes: int = 32 << 20,
        total_bytes: int = 1 << 30,
        max_calls: int = MAX_CALLS,
        max_bytes: int = MAX_BYTES,
        tally: Tally | None = None,
        pauses: Pauses = PAUSES,
    ) -> None:
        self.losses = LossCounter()
        """The calls that are not in the file and never will be."""
        self.failures = 0
        """The number of failed writes; each was repeated."""
        self.on_begin: Callable[[], object] | None = None
        """Called once, in the program's thread that records the first call."""
        self.on_start: Callable[[], object] | None = None
        """Called in the program's thread that starts the writer's, or that writes for lack of one."""
        sizes = {"segment_bytes": segment_bytes, "total_bytes": total_bytes}
        self._file = Segments(directory, name, losses=self.losses, **sizes)
        self._mark = UnwrittenMark(directory, name)
        self._reported = 0
        """The number of unwritten calls that lines of the file report."""
        self._render = render
        self._tally = tally
        self._pauses = pauses
        self._waiting = WaitingCalls(max_calls, max_bytes)
        self._sleep = Sleep()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._no_start_before_s = 0.0
        self._has_begun = False
        self._has_ended = False
        self._stopping = False
        self._without_thread = False
        self._closed = False
        self._left_to_writer = False
        self._held: list[RenderedLine] = []
        self._failing = False
        self._given_up = False
        self._writing = False
        self._rendering = 0
        self._through = 0  # how many of the calls that were taken are in the file, or lost
        self._wrote_s = 0.0

    def put(self, span: RecordedSpan) -> None:
        """Queue a span that began or ended; never blocks, never raises."""
        if not self._waiting.put(span):
            self._lose(span)
            return
        is_end = span.state != "running"
        if is_end:
            self._has_ended = True
        if self._thread is None:
            if time.monotonic() >= self._no_start_before_s:
                self._start()
        elif self._sleep.depth == "deep" or (is_end and self._sleep.depth == "light"):
            self._sleep.depth = "none"
            self._sleep.wake()

    def _lose(self, span: RecordedSpan) -> None:
        state = span.state
        if span.written == state:
            # Its start was waiting, and the writer has already read the end with it.
            return
        is_end = state not in ("running", "abandoned")
        if is_end:
            # Set before the writer looks, because its start may be waiting, and must not become half a record.
            span.written = state
        self.losses.lose(span, state, "unwritten" if self._failing else "dropped")
        if is_end:
            span.release()

    @property
    def has_news(self) -> bool:
        """Whether a queued call is not in the file yet, and can be written as far as is known."""
        return not self._failing and (self._writing or len(self._waiting) > 0)

    def _start(self) -> None:
        if self._without_thread or are_greenlets():
            self._write_all_here()
            if not self._without_thread and self.on_start is not None:
                self.on_start()
            return
        if self._closed or not self._starting.acquire(blocking=False):
            return
        try:
            if self._thread is None:
                self._begin()
                self._stopping = False
                thread = threading.Thread(target=self._run, name="inspector-spool", daemon=True)
                # At interpreter shutdown, or at a limit of threads; flush() and close() then write what waits.
                try:
                    thread.start()
                except RuntimeError:
                    self._no_start_before_s = time.monotonic() + _RETRY_S
                    return
                self._thread = thread
                if self.on_start is not None:
                    self.on_start()
        finally:
            self._starting.release()

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            if self.on_begin is not None:
                self.on_begin()

    def flush(self, timeout_s: float = 2.0, *, starved_s: float = 0.0) -> bool:
        """Wait until everything queued so far is written, and nothing that other threads record meanwhile.

        Args:
            timeout_s: How long to wait while nothing is written.
            starved_s: How long to wait instead if the thread makes slow progress because it gets little CPU time.

        Returns:
            False if nothing was written for so long, or nothing can be.
        """
        if self._thread is None:
            self._start()
            # Another thread may be starting it, or writing in its place.
            if not self._starting.acquire(timeout=timeout_s):
                return False
            self._starting.release()
        thread = self._thread
        if thread is threading.current_thread():
            return False
        if thread is None:
            return self._write_here()
        # In this order, so that none is missing if the writer takes some meanwhile.
        goal = len(self._waiting) + self._waiting.taken
        done = threading.Event()
        self._sleep.wake(done)
        spent_s, began_s = time.process_time(), time.monotonic()
        while not is_reached(done, lambda: self._through >= goal, timeout_s):
            used_s, spent_s = time.process_time() - spent_s, time.process_time()
            longest_s = starved_s if _AWAKE_S < used_s < timeout_s / 2 else 0.0
            idle_s = time.monotonic() - max(self._wrote_s, began_s)
            if idle_s > max(timeout_s, longest_s) or not thread.is_alive():
                return False
        return not self._failing

    def _write_here(self) -> bool:
        """Write in this thread if no thread can be started any more."""
        if self._closed or not self._starting.acquire(blocking=False):
            return False
        try:
            self._write_waiting()
        except Exception:  # noqa: BLE001 - as at the boundary of the thread
            self._complain()
            return False
        finally:
            self._starting.release()
            if self._left_to_writer:
                self._finish(0)
        return not self._failing

    def _write_all_here(self) -> None:
        self._begin()
        # Checked again after writing, because others may have queued calls meanwhile that they could not write.
        while len(self._waiting) and self._write_here():
            pass

    def retire(self, timeout_s: float = 2.0) -> None:
        """Write what is waiting and end the thread for good; from now on, the thread that records a call writes it.

        For the end of the program: threads that still exist when the interpreter shuts down are ended by the C library,
        which aborts the process if there is no file descriptor left for loading what it needs.
        """
        written = self.flush(timeout_s, starved_s=_STARVED * timeout_s)
        self._given_up = not (written or self._failing or self._thread is None)
        if self._given_up:
            # The thread continues as long as the process exists.
            self._report_unwritten()
        elif self._stop(timeout_s):
            self._stopping = False
            self._without_thread = True
            self._no_start_before_s = 0.0
            # What other threads recorded meanwhile, and record no more.
            if self.has_news:
                self._write_here()

    def close(self, timeout_s: float = 2.0) -> None:
        """Write what is waiting and finish the file; open calls become lost."""
        if self._closed:
            return
        self.flush(timeout_s)
        self._closed = True
        if not self._stop(timeout_s):
            # The thread closes the files itself, unless it has already ended.
            self._stopping = self._left_to_writer = True
            if self._thread is not None:
                return
        self._finish(timeout_s)

    def _finish(self, timeout_s: float) -> None:
        """Write the rest and close the file, or leave that to the thread that is writing."""
        if not self._starting.acquire(timeout=timeout_s):
            self._left_to_writer = True
            # Checked again after setting the flag, because the writing thread may have finished before.
            if not self._starting.acquire(blocking=False):
                return
        try:
            self._write_waiting()
        except Exception:  # noqa: BLE001 - as at the boundary of the thread
            self._complain()
        finally:
            self._close_files()
            self._starting.release()

    def _close_files(self) -> None:
        self._file.close()
        if self._tally is not None:
            self._tally.close()

    def _stop(self, timeout_s: float) -> bool:
        """End the thread; return whether it has."""
        thread = self._thread
        if thread is None:
            return True
        if thread is threading.current_thread():
            return False
        self._stopping = True
        self._sleep.wake()
        return await_end(thread, timeout_s)

    def park(self, wait_s: float = _PARK_S) -> None:
        """Stop the thread for a fork, which may wait so long for the rest; Python 3.12 and later warn about threads."""
        # If nothing is left to write, no thread must be started after the fork; Python 3.13 counts threads only then.
        if self._thread is None or self.flush(wait_s) or self._failing:
            self._stop(wait_s)

    def unpark(self) -> None:
        """Continue after a fork; the next call starts the thread."""
        self._stopping = False
        if self._thread is None and len(self._waiting) and not self._failing:
            self._start()

    def abandon(self) -> None:
        """Close the files without writing, since after a fork they belong to the parent."""
        self._closed = True
        self._close_files()

    def _run(self) -> None:
        try:
            self._go_on_writing()
        finally:
            self._thread = None
            if self._left_to_writer:
                self._finish(_PARK_S)

    def _go_on_writing(self) -> None:
        while not self._stopping:
            flushes = self._wait()
            try:
                wrote = self._write_waiting()
            # The boundary of the thread: nothing that a program's `redact` raises may end it.
            except BaseException:  # noqa: BLE001
                wrote = True
                self._complain()
            finally:
                for done in flushes:
                    done.set()
            if wrote and not self._stopping:
                self._sleep.pause(self._pauses.pace_s)

    def _complain(self) -> None:
        self.failures += 1
        logger.warning("recording continues after an error in the spool writer", exc_info=True)

    def _wait(self) -> list[threading.Event]:
        """Sleep until there is something to write; return the events of those who wait for it."""
        if self._failing:
            return self._sleep.until(_RETRY_S)
        is_dozing = time.monotonic() - self._wrote_s > self._pauses.doze_s
        if is_dozing and (flushes := self._sleep.deep(lambda: not len(self._waiting))):
            return flushes
        return self._sleep.light(0 if self._has_ended else self._pauses.start_s)

    def _write_waiting(self) -> bool:
        """Write what is waiting; return whether anything was written."""
        self._writing, wrote = True, False
        # First, so that an end that is put after the count wakes the writer.
        self._has_ended = False
        # Only these: waiting for later calls too could take as long as the program runs.
        left = len(self._waiting)
        try:
            while self._write_held() and left > 0 and (self._closed or not self._stopping):
                spans = self._waiting.take(min(left, _BATCH))
                left -= len(spans)
                self._rendering = len(spans)
                self._held = self._render(spans, self.losses, file=self._file.upcoming())
                self._rendering, wrote = 0, True
            if not self._failing:
                self._held = self._render((), self.losses, file=self._file.upcoming(), is_over=self._closed)
                wrote = bool(self._held) or wrote
            self._write_held()
        finally:
            self._writing, self._rendering = False, 0
        if wrote or self._failing or self._given_up or self._closed:
            self._report_unwritten()
        return wrote

    def _report_unwritten(self) -> None:
        self._mark.show(self._unwritten() - self._reported if self._failing or self._given_up else 0)
        if self._tally is not None:
            self._save(self._tally)

    def _write_held(self) -> bool:
        while self._held:
            line = self._held[0]
            try:
                self._file.write(line.data, refers_back=any(each.refers_back for each in self._held))
            except OSError as error:
                self._failing = True
                self.failures += 1
                if self.failures == 1 or self.failures % 1000 == 0:
                    why = left_by_others(self._file.directory.parent) or f"{error}; INSPECTOR_HOME names another place"
                    logger.warning("cannot write the spool %s, trying again: %s", self._file.directory, why)
                return False
            self._wrote_s = time.monotonic()
            self._held.pop(0)
            self._reported += line.news.get(sc.UNWRITTEN, 0)
            if self._tally is not None:
                count(line, self._tally)
        self._failing = False
        self._through = self._waiting.taken
        return True

    def _unwritten(self) -> int:
        """Return how many calls are not in the file and may never be."""
        is_bad = self._failing or self._given_up
        waiting = len(self._waiting) + self._rendering + calls_of(self._held) if is_bad else 0
        return self.losses.unwritten + self.losses.of_the_open("unwritten") + waiting

    def _save(self, tally: Tally) -> None:
        losses = self.losses
        tally.count_losses(
            dropped=losses.dropped + losses.of_the_open("dropped"),
            unwritten=self._unwritten(),
            unencodable=losses.unencodable + losses.of_the_open("unencodable"),
            unmatched=losses.unmatched,
        )
        tally.save()
