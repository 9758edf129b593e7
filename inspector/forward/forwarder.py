"""The thread of a recorded process that sends waiting files, its own and those of earlier processes."""

import atexit
import fcntl
import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from inspector.forward.outbox import Outbox
from inspector.forward.sender import Sender
from inspector.forward.waiting import left_over
from inspector.logger import logger, until_interrupted
from inspector.ownfile import OwnFile
from inspector.spooling import make_private
from inspector.threads import await_end

POLL_S = 0.5
EXIT_S = 2.0
"""How much longer a program may take to exit; the rest is sent by the next program, or by ``inspector forward``."""
_LAST_STEPS_S = 0.2
"""How long to wait for the thread to end if there is nothing to send. If it outlives the interpreter, the C library
ends it, and aborts a process that has no file descriptor left."""
_PARK_S = 0.5
"""How long a fork waits at most for the thread to finish reading from disk, or encoding."""
_CUT_S = 0.02
_LOCK = "sending.lock"


class Forwarder:
    """Sends the files of an outbox in a daemon thread; only one process does so at a time.

    Args:
        directory: The outbox; created with mode 0700 if it is missing.
        sender: Sends requests.
        flush: Writes calls recorded so far to the files.
        poll_s: How long it rests after each pass.
    """

    def __init__(self, directory: Path, sender: Sender, *, flush: Callable[[], object], poll_s: float = POLL_S) -> None:
        self._directory = directory
        self._sender = sender
        self._flush = flush
        self._poll_s = poll_s
        self._begin()
        atexit.register(self.close)
        this: weakref.ref[Forwarder] = weakref.ref(self)
        os.register_at_fork(
            before=lambda: _around_fork(this, Forwarder.park),
            after_in_child=lambda: _around_fork(this, Forwarder.restart),
        )

    def _begin(self) -> None:
        self._stopping = threading.Event()
        self._parking = False
        self._deadline_s: float | None = None
        self._outbox: Outbox | None = None
        self._lock: OwnFile | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._started = False
        self._closed = False
        self._is_failing = False

    def start(self) -> None:
        """Begin to send."""
        self._started = True
        self._start_thread()

    def _start_thread(self) -> bool:
        """Start the thread; False if that is impossible, as while the interpreter shuts down."""
        if not self._starting.acquire(blocking=False):
            return True
        try:
            if self._thread is None:
                # Made anew, because gevent may have replaced threads since, whose events let others run.
                self._stopping = threading.Event()
                thread = threading.Thread(target=self._run, name="inspector-forward", daemon=True)
                thread.start()
                self._thread = thread
        except RuntimeError:
            return False
        finally:
            self._starting.release()
        return True

    def park(self) -> None:
        """Stop the thread while the process forks (Python 3.12 and newer warn of threads), and let others send.

        A running request is cut and sent again later: no fork waits for a receiver, or for a name lookup.
        """
        thread = self._thread
        if self._closed or thread is None or thread is threading.current_thread():
            return
        self._parking = True
        self._stopping.set()
        give_up_s = time.monotonic() + _PARK_S
        # More than once: a connection that has not begun cannot be cut.
        while self._sender.cut() and not await_end(thread, _CUT_S) and time.monotonic() < give_up_s:
            pass
        self._sender.mend()
        self._stopping.clear()
        self._parking = False

    def unpark(self) -> None:
        """Continue at the next new call: Python 3.13 warns of a thread that starts while a fork returns."""
        if self._started and not self._closed and self._thread is None:
            self._start_thread()

    @until_interrupted
    def close(self, timeout_s: float = EXIT_S) -> None:
        """Send waiting files for a limited time, unless the receiver is known to be away, and stop."""
        if self._closed or not self._started:
            return
        self._flush()
        self._closed = True
        atexit.unregister(self.close)
        self._deadline_s = time.monotonic() + timeout_s
        if self._outbox is not None and self._outbox.problem is not None:
            self._deadline_s = time.monotonic()
        if self._start_thread():
            thread = self._thread
            self._stopping.set()
            if thread is not None:
                await_end(thread, max(_LAST_STEPS_S, self._deadline_s - time.monotonic()))
        else:
            self._sender.hurry(timeout_s)
            self._try_pass()
            self._give_up_lock()

    def _run(self) -> None:
        while not self._parking:
            last = self._stopping.is_set()
            self._try_pass()
            if last:
                break
            self._stopping.wait(self._poll_s)
        self._give_up_lock()
        self._outbox = self._thread = None

    def _try_pass(self) -> None:
        try:
            self._pass()
            self._is_failing = False
        # The border of the thread: whatever fails in a pass, the next one may succeed.
        except Exception:  # noqa: BLE001
            if not self._is_failing:
                logger.warning("forwarding continues after an error", exc_info=True)
            self._is_failing = True

    def _give_up_lock(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.close()

    def _pass(self) -> None:
        if self._lock is not None and self._lock.is_lost:
            # The program closed it: another process may have the lock by now.
            self._lock = self._outbox = None
        if self._outbox is None:
            self._lock = take_lock(self._directory, self._sender.endpoint.url)
            if self._lock is None:
                return
            self._outbox = Outbox(self._directory, self._sender)
        self._outbox.send_waiting(stop=self._is_late)

    def _is_late(self) -> bool:
        return self._parking or (self._deadline_s is not None and time.monotonic() > self._deadline_s)

    def restart(self) -> None:
        """Continue in a forked child, which has no thread, and whose lock is the parent's."""
        self._give_up_lock()
        if self._closed:
            return
        started = self._started
        self._sender = self._sender.renewed()
        self._begin()
        if started:
            self.start()


def take_lock(directory: Path, url: str) -> OwnFile | None:
    """Take the lock that makes this the only process to send from a directory, until the file is closed.

    The file contains the address, for the command that lists waiting files.

    Returns:
        None while another process has the lock.
    """
    make_private(directory)
    lock = OwnFile(directory / _LOCK, os.O_RDWR | os.O_CREAT)
    try:
        lock.lock(fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    try:
        os.ftruncate(lock.fd(), 0)
        os.write(lock.fd(), url.encode())
    except BaseException:
        lock.close()
        raise
    return lock


def waiting_elsewhere(outbox: Path, target: str) -> list[str]:
    """Return the addresses other than ``target`` for which files wait."""
    names: list[str] = []
    for lock in sorted(outbox.glob(f"*/{_LOCK}")):
        url = lock.read_text(errors="replace")
        if url and url != target and left_over(lock.parent):
            names.append(url)
    return names


def _around_fork(forwarder: "weakref.ref[Forwarder]", action: Callable[[Forwarder], None]) -> None:
    running = forwarder()
    if running is not None:
        action(running)
