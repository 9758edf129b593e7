"""Holds what is given to stand around calls against what it has to be."""

from collections.abc import Callable, Iterable
from inspect import isclass, iscoroutinefunction, isfunction, signature, unwrap
from typing import TypeVar, cast

from toolkit.call import ToolCall
from toolkit.errors import DefinitionInvalid, SpecInvalid
from toolkit.middleware.changes import name_of
from toolkit.middleware.contexts import ToolHook

G = TypeVar("G", bound=Callable[..., object])


def check_tool_hook(hook: object) -> ToolHook:
    """Return ``hook`` if it can be a middleware around tool calls.

    Raises:
        SpecInvalid: It is not an ``async def`` that takes three positional arguments. Type hints are not looked at.
    """
    name = name_of(hook)
    own = name if callable(hook) and name.isidentifier() else "hook"
    wanted = f"; write it as: async def {own}(ctx, args, call_next)"
    if not callable(hook):
        raise SpecInvalid(f"tool_hooks: a {name} cannot be called{wanted}")
    if isclass(hook):
        raise SpecInvalid(f"tool_hooks: {name} is a class; give an instance of it, {name}(…)")
    if not (iscoroutinefunction(hook) or iscoroutinefunction(getattr(hook, "__call__", None))):  # noqa: B004 - the method itself is looked at
        raise SpecInvalid(f"tool_hooks: {name} is no 'async def'{wanted}")
    if not takes(hook, 3):
        raise SpecInvalid(f"tool_hooks: {name}{signature(hook)} does not take three positional arguments{wanted}")
    return cast("ToolHook", hook)


_METHODS = {
    name: f"async def {name}(self, {what}, context)"
    for name, what in (("run", "call"), ("on_invoke", "call"), ("on_output", "result"), ("on_error", "error"))
}


def check_methods(kind: type) -> None:
    """Refuse a class of tools whose own methods could not be called, or not be awaited."""
    for name, written in _METHODS.items():
        method: object = vars(kind).get(name)
        if isfunction(method):
            if not iscoroutinefunction(unwrap(method)):
                raise DefinitionInvalid(f"{kind.__name__}.{name} is no 'async def'; write it as: {written}")
            if not takes(method, 3):
                raise DefinitionInvalid(f"{kind.__name__}.{name} takes {signature(method)}; write it as: {written}")


def checked_call(name: str, returned: object, call: ToolCall) -> ToolCall:
    """Return the call that an ``on_invoke`` made of ``call``."""
    if returned is not None and not isinstance(returned, ToolCall):
        kind = type(returned).__name__
        raise DefinitionInvalid(f"on_invoke of {name} returned {kind}; expected a ToolCall, or None for the same")
    return returned or call


def require_on_error(on_error_func: Callable[..., object] | None) -> None:
    """Refuse now what could not be called once something goes wrong, when nobody would learn what it was."""
    if on_error_func is not None and not takes(on_error_func, 2):
        name = name_of(on_error_func)
        raise DefinitionInvalid(f"the on_error_func {name} has to take two arguments: (error, context)")


def guardrails_of(guardrails: G | Iterable[G]) -> list[G]:
    """Return guardrails as a list, of which one alone may be given."""
    listed = list(cast("Iterable[G]", [guardrails] if callable(guardrails) else guardrails))
    for each in listed:
        if not callable(each) or not takes(each, 2):
            name = name_of(each) if callable(each) else repr(each)
            raise DefinitionInvalid(f"the guardrail {name} has to be a function of two arguments: (value, context)")
    return listed


def takes(function: Callable[..., object], number: int) -> bool:
    """Tell whether so many positional arguments fit a function; true where Python cannot tell."""
    try:
        signature(function).bind(*[None] * number)
    except TypeError:
        return False
    except ValueError:
        return True  # Python cannot tell
    return True
