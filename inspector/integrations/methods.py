"""Methods of a framework that are calls, be they plain functions or coroutine functions."""

from collections.abc import Awaitable, Callable
from inspect import iscoroutine, iscoroutinefunction
from typing import Any, TypeAlias

from inspector.integrations.calls import Call, Keywords, conclude
from inspector.integrations.tracebacks import unseen

Method: TypeAlias = Callable[..., Any]
Begin: TypeAlias = Callable[[Any, tuple[Any, ...], dict[str, Any]], Call | None]
"""Opens the call of a method, given its object and arguments; None if that is no call of its own."""
Finish: TypeAlias = Callable[[Call, Any], Any]
"""Ends a call with the result of the method, and returns what the program gets."""


def reported(begin: Begin, read: Callable[[Any], Keywords | BaseException]) -> Callable[[Method], Method]:
    """Return a wrapper that reports each call of a method.

    Args:
        begin: Opens the call.
        read: Reads the result: returns keywords of the after hook, or the failure that it reports.
    """

    def finish(call: Call, result: Any) -> Any:
        conclude(call, read, result)
        return result

    return reported_by(begin, finish)


def reported_by(begin: Begin, finish: Finish) -> Callable[[Method], Method]:
    """Do the same where more is to be done with the result than to read it."""

    def wrapper(original: Method) -> Method:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = begin(self, args, kwargs)
            if call is None:
                return bound(original, self)(*args, **kwargs)
            with call:
                result = bound(original, self)(*args, **kwargs)
            # A method that only returns the coroutine of another function.
            return _finish_later(call, result, finish) if iscoroutine(result) else finish(call, result)

        async def run_async(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = begin(self, args, kwargs)
            if call is None:
                return await bound(original, self)(*args, **kwargs)
            with call:
                result = await bound(original, self)(*args, **kwargs)
            return finish(call, result)

        return run_async if iscoroutinefunction(original) else run

    return wrapper


def bound(original: Any, owner: Any) -> Method:
    """Return a method of an object; called as a function, a decorator around it might not know the object."""
    return original.__get__(owner, owner.__class__)


async def _finish_later(call: Call, work: Awaitable[Any], finish: Finish) -> Any:
    with unseen:
        with call:
            result = await work
        return finish(call, result)
