"""The exception that ends this process."""

import sys
from types import TracebackType
from typing import Any


def uncaught() -> BaseException | None:
    """Return the exception that left the program, once Python has printed it; else None.

    Python then keeps it as ``sys.last_value``, whatever ``sys.excepthook`` is, so no hook of ours is needed. pytest,
    IPython, tkinter and the interactive prompt keep there what they caught, but only an exception that left the program
    has passed the first frame of the thread.
    """
    exc: Any = getattr(sys, "last_value", None)
    if hasattr(sys, "ps1") or not isinstance(exc, BaseException):
        return None
    traceback: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(exc)
    return exc if traceback is not None and traceback.tb_frame.f_back is None else None
