"""What Python itself says about things that can be called."""

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

from toolkit.errors import DefinitionInvalid

_SELF = ("self", "cls")


def innermost(function: Any) -> Any:
    """Return what is inside a partial, or inside partials of it."""
    while isinstance(function, functools.partial):
        function = cast("functools.partial[Any]", function).func
    return function


def is_method(function: Callable[..., Any]) -> bool:
    """Return whether ``function`` stands in a class and its first argument is ``self`` or ``cls``."""
    function = inspect.unwrap(innermost(function))
    if inspect.ismethod(function):
        return False
    code = getattr(function, "__code__", None)
    parent = getattr(function, "__qualname__", "").rpartition(".")[0]
    first = code.co_varnames[0] if code is not None and code.co_argcount else ""
    return first in _SELF and bool(parent) and not parent.endswith("<locals>")


def is_async(function: Any) -> bool:
    """Return whether calling ``function`` gives a coroutine, as far as one can see."""
    inner = innermost(function)
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(type(inner).__call__)


def name_of(function: Any) -> str:
    """Return the name that ``function`` was given, of an object with ``__call__`` that of its class."""
    inner = innermost(function)
    name = getattr(inner, "__name__", None) or type(inner).__name__
    if name == "<lambda>":
        raise DefinitionInvalid("a lambda has no name; pass FunctionTool(function, name=…)")
    return name


def docstring_of(function: Any) -> str | None:
    """Return the docstring; a partial and an object with ``__call__`` have the one of their function."""
    inner = innermost(function)
    if inspect.isroutine(inner):
        return inner.__doc__
    return type(inner).__call__.__doc__ or type(inner).__doc__


def require_callable(function: Any) -> None:
    """Refuse what cannot be made a tool."""
    if isinstance(function, type) or not callable(function):
        kind = type(function).__name__
        what = f"a class; give an instance, {function.__name__}(…)" if isinstance(function, type) else f"a {kind}"
        raise DefinitionInvalid(f"a tool has to be a function; {function!r} is {what}")
    inner = innermost(function)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise DefinitionInvalid(
            f"{name_of(function)} is a generator; return a list, and send what comes early by ToolContext.send"
        )


async def in_thread(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a plain function in a thread, with the caller's context variables, and wait for what it returns."""
    returned, error = await asyncio.to_thread(_outcome, function, args, named)
    if error is not None:
        # A future makes another TimeoutError of one, which has no traceback, and carries no StopIteration at all.
        raise error
    return await returned if inspect.isawaitable(returned) else returned


def _outcome(function: Callable[..., Any], args: Any, named: Any) -> tuple[Any, Exception | None]:
    try:
        return function(*args, **named), None
    except Exception as error:  # noqa: BLE001 - raised by the one who waits
        return None, error
