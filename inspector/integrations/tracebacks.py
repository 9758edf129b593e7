"""Keeps the frames of integrations out of the tracebacks that a program gets and prints.

An exception that passes through a wrapper has its frame in the traceback. A frame that re-raises is not added again, so
each wrapper removes the first frames of the traceback: its own, and those of functions that it calls here. The
exception, its cause and its context stay the same.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import update_wrapper
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import TracebackType
from typing import Any, Final

from instrument import control

_OURS: Final = f"{__name__.rpartition('.')[0]}."
_CONTROLLING: Final = (control.__name__, "inspector.replay.")
"""Modules that ask the controller, or are one: what they raise is the outcome of a call."""
_without_any: ContextVar[int] = ContextVar("inspector_without_frames", default=0)
"""The id of the exception without a frame of ours: further wrappers add only their own frames."""


def without_ours(exc: BaseException) -> None:
    """Remove frames of integrations, of asking the controller, and of a replay from the beginning of a traceback."""
    first = found = exc.__traceback__
    name = ""
    while found is not None:
        module = str(found.tb_frame.f_globals.get("__name__"))
        if not module.startswith((_OURS, *_CONTROLLING)):
            break
        name, found = module, found.tb_next
    if found is None and first is not None:
        # Without other frames it was raised here, or by a controller, which is hidden too.
        if not name.startswith(_CONTROLLING) and _without_any.get() != id(exc):
            return
        _without_any.set(id(exc))
    if found is not first:
        # Not by assignment: a class of the program may forbid or override that.
        BaseException.with_traceback(exc, found)


def raised_elsewhere(exc: BaseException) -> None:
    """Note that an exception was not raised here, though it has no other frames: the interpreter raised it."""
    _without_any.set(id(exc))


class _Unseen:
    """Removes the frame of the function that uses it, and of functions that it calls here, from tracebacks."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        if exc is not None:
            without_ours(exc)


unseen: Final = _Unseen()


def hidden(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function, hidden from the traceback of exceptions that pass through it.

    Its results may have frames of their own: generators, iterators and context managers use `unseen` themselves.
    """
    if isgeneratorfunction(function) or isasyncgenfunction(function):
        return function
    if iscoroutinefunction(function):

        async def awaited(*args: Any, **kwargs: Any) -> Any:
            with unseen:
                return await function(*args, **kwargs)

        return update_wrapper(awaited, function)

    def called(*args: Any, **kwargs: Any) -> Any:
        with unseen:
            return function(*args, **kwargs)

    return update_wrapper(called, function)
