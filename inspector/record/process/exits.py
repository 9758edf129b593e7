"""Distinguishes an exit requested by a signal from one raised by code of the program that the recorder called.

Telemetry must not end its host, so neither ``SystemExit`` nor any other exception of a tracer provider gets through. An
exit requested by a signal is meant for the host, and only happens to be raised there
(https://docs.python.org/3/library/signal.html#handlers-and-exceptions).
"""

import signal
import threading
from types import CodeType, TracebackType


def is_of_signal(error: BaseException) -> bool:
    """Tell whether an exception comes from a signal handler, which Python runs only in the main thread.

    Python's own handler of SIGINT leaves no frame, so a ``KeyboardInterrupt`` of the main thread always counts.
    """
    if isinstance(error, Exception) or threading.current_thread() is not threading.main_thread():
        return False
    return isinstance(error, KeyboardInterrupt) or _passed(error.__traceback__, _handlers())


def _handlers() -> set[CodeType]:
    handlers = (signal.getsignal(each) for each in signal.valid_signals())
    codes = (getattr(getattr(each, "__func__", each), "__code__", None) for each in handlers)
    return {code for code in codes if isinstance(code, CodeType)}


def _passed(traceback: TracebackType | None, codes: set[CodeType]) -> bool:
    while traceback is not None:
        if traceback.tb_frame.f_code in codes:
            return True
        traceback = traceback.tb_next
    return False
