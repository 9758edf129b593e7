"""Methods of LlamaIndex's classes as calls, whole or as streams."""

from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

from inspector.integrations.calls import Call

Method: TypeAlias = Callable[..., Any]
Begin: TypeAlias = Callable[[Any, tuple[Any, ...], dict[str, Any]], Call | None]
"""Opens the call of a method, given its object and arguments; None if the call is reported already."""


def bound(original: Any, owner: Any) -> Method:
    """Return a method of an object; called as a function, LlamaIndex's own decorator would not know the object."""
    return original.__get__(owner, owner.__class__)


def reported(begin: Begin, finish: Callable[[Call, Any], Any]) -> Callable[[Method], Method]:
    """Return a wrapper that reports each call of a method.

    Args:
        begin: Opens the call.
        finish: Ends it with the result of the method, and returns what the program gets.
    """

    def wrapper(original: Method) -> Method:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = begin(self, args, kwargs)
            if call is None:
                return bound(original, self)(*args, **kwargs)
            with call:
                result = bound(original, self)(*args, **kwargs)
            return finish(call, result)

        async def run_async(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = begin(self, args, kwargs)
            if call is None:
                return await bound(original, self)(*args, **kwargs)
            with call:
                result = await bound(original, self)(*args, **kwargs)
            return finish(call, result)

        return run_async if iscoroutinefunction(original) else run

    return wrapper
