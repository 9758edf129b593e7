"""Threads of ours inside another program."""

import _thread
import os
import sys
import threading
import time


def are_greenlets() -> bool:
    """Return whether gevent or eventlet has replaced the threads of this process.

    A greenlet that waits in the way of a thread stops all others, and so the program.
    """
    # What others put there may have no module.
    module = getattr(_thread.start_new_thread, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in ("gevent", "eventlet")


def await_end(thread: threading.Thread, timeout_s: float) -> bool:
    """Wait until a thread has ended, in the system too: when Python forks, it counts the system's threads.

    Returns:
        Whether it has ended.
    """
    give_up_s = time.monotonic() + timeout_s
    thread.join(timeout_s)
    if thread.is_alive():
        return False
    number = thread.native_id
    if sys.version_info >= (3, 12) and sys.platform == "linux" and number is not None:
        while os.path.exists(f"/proc/self/task/{number}") and time.monotonic() < give_up_s:  # noqa: PTH110 - of each fork
            os.sched_yield()
    return True
