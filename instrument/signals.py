"""Tells an exception of a signal handler from one of the code that it happened to interrupt.

Telemetry must not end its host, so what fails inside a subscriber goes no further. What a signal asks of the program,
such as to stop a job whose time is over, is meant for the host, and is only raised there by chance
(https://docs.python.org/3/library/signal.html#handlers-and-exceptions).
"""

import threading

# For type checkers alone: importing these would take longer than all of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, TracebackType


def is_of_signal(error: BaseException) -> bool:
    """Tell whether an exception comes from a signal handler, which Python runs only in the main thread.

    Python's own handler of SIGINT leaves no frame, so a ``KeyboardInterrupt`` of the main thread always counts.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    return isinstance(error, KeyboardInterrupt) or _passed(error.__traceback__, _handlers())


def _handlers() -> "set[CodeType]":
    # Imported only where something has failed.
    import signal

    codes: set[CodeType] = set()
    for handler in map(signal.getsignal, signal.valid_signals()):
        codes |= _codes(handler) | _codes(getattr(handler, "func", None))  # of a partial of `functools`
    return codes


def _codes(handler: object) -> "set[CodeType]":
    """Return the code of a function, of a method, or of an object that is called."""
    functions = handler, getattr(handler, "__func__", None), getattr(type(handler), "__call__", None)  # noqa: B004
    codes = (getattr(function, "__code__", None) for function in functions)
    return {code for code in codes if code is not None}


def _passed(traceback: "TracebackType | None", codes: "set[CodeType]") -> bool:
    while traceback is not None:
        if traceback.tb_frame.f_code in codes:
            return True
        traceback = traceback.tb_next
    return False
