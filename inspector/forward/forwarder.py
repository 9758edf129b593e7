"""The thread of a recorded process that sends what waits, its own and what earlier processes left."""

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
from inspector.logger import logger
from inspector.ownfile import OwnFile
from inspector.spooling import make_private
from inspector.threads import await_end

POLL_S = 0.5
EXIT_S = 2.0
"""How long a program may take longer to exit; what waits then is sent by the next one, or by ``inspector forward``."""
_LAST_STEPS_S = 0.2
"""How long the thread's end is awaited where there is nothing to send: one that is there when the interpreter is torn
down is ended by the C library, which aborts the process where it has no descriptor left."""
_PARK_S = 0.5
"""How long a fork waits at most for the thread to end what it reads from the disk, or encodes."""
_CUT_S = 0.02
_LOCK = "sending.lock"


class Forwarder:
    """Drains an outbox in a daemon thread, as the one process that does.

    Args:
        directory: The outbox; made with mode 0700 when missing.
        sender: What sends.
        flush: Brings into the files what was recorded so far.
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
        """Have a thread; False where none can be started, as while the interpreter ends."""
        if not self._starting.acquire(blocking=False):
            return True
        try:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="inspector-forward", daemon=True)
                thread.start()
                self._thread = thread
        except RuntimeError:
            return False
        finally:
            self._starting.release()
        return True

    def park(self) -> None:
        """Have no thread while the process is forked, of which Python warns from 3.12 on, and let others send.

        A request that goes on is ended, and sent again: no fork waits for a receiver, or for a name that is looked up.
        """
        thread = self._thread
        if self._closed or thread is None or thread is threading.current_thread():
            return
        self._parking = True
        self._stopping.set()
        give_up_s = time.monotonic() + _PARK_S
        # More than once: what has not begun to connect cannot be cut.
        while self._sender.cut() and not await_end(thread, _CUT_S) and time.monotonic() < give_up_s:
            pass
        self._sender.mend()
        self._stopping.clear()
        self._parking = False

    def unpark(self) -> None:
        """Go on when there is something new: a thread that starts as a fork returns is what 3.13 warns of."""
        if self._started and not self._closed and self._thread is None:
            self._start_thread()

    def close(self, timeout_s: float = EXIT_S) -> None:
        """Send what is there for a bounded time, unless the receiver is known to be away, and stop."""
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
            # The program closed it: another process may be the one by now.
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
        """Go on in a forked child, where no thread is and the lock is the parent's."""
        self._give_up_lock()
        if self._closed:
            return
        started = self._started
        self._sender = self._sender.renewed()
        self._begin()
        if started:
            self.start()


def take_lock(directory: Path, url: str) -> OwnFile | None:
    """Become the one process that sends from this directory, until the file is closed.

    The file holds the address, for those who look at what waits.

    Returns:
        None while another process is the one.
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
    """Return the addresses other than ``target`` for which something waits."""
    found: list[str] = []
    for lock in sorted(outbox.glob(f"*/{_LOCK}")):
        url = lock.read_text(errors="replace")
        if url and url != target and left_over(lock.parent):
            found.append(url)
    return found


def _around_fork(forwarder: "weakref.ref[Forwarder]", action: Callable[[Forwarder], None]) -> None:
    found = forwarder()
    if found is not None:
        action(found)
