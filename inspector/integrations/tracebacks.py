"""Keeps the frames of integrations out of the tracebacks that a program gets and prints.

An exception that passes through a wrapper has its frame in the traceback. A frame that re-raises is not added again, so
each wrapper takes out what leads the traceback there: its own frame, and those of what it calls here. The exception,
its cause and its context stay what they are.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import update_wrapper
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import TracebackType
from typing import Any, Final

from instrument import control

_OURS: Final = f"{__name__.rpartition('.')[0]}."
_ASKING: Final = control.__name__
_without_any: ContextVar[int] = ContextVar("inspector_without_frames", default=0)
"""The id of the exception that was left without a frame here: further wrappers add theirs, and only those."""


def without_ours(exc: BaseException) -> None:
    """Take the frames of integrations, and those of asking the controller, off the beginning of a traceback."""
    first = found = exc.__traceback__
    name = ""
    while found is not None:
        module = str(found.tb_frame.f_globals.get("__name__"))
        if not module.startswith(_OURS) and module != _ASKING:
            break
        name, found = module, found.tb_next
    if found is None and first is not None:
        # One that has no other frame was raised here, or by a controller that is not seen either.
        if name != _ASKING and _without_any.get() != id(exc):
            return
        _without_any.set(id(exc))
    if found is not first:
        # Not by assignment: a class of the program's may forbid that, or do something else.
        BaseException.with_traceback(exc, found)


class _Unseen:
    """Leaves no frame of the function that it is used in, nor of what that calls here, in an exception's traceback."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        if exc is not None:
            without_ours(exc)


unseen: Final = _Unseen()


def hidden(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that does the same and is not in the traceback of what passes through it.

    What it returns may have frames of its own: generators, iterators and context managers use `unseen` themselves.
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
