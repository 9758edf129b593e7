"""Holds what is given to stand around calls against what it has to be."""

from collections.abc import Callable
from inspect import isclass, iscoroutinefunction, signature
from typing import cast

from toolkit.errors import DefinitionInvalid, SpecInvalid
from toolkit.middleware.changes import name_of
from toolkit.middleware.contexts import ToolHook


def check_tool_hook(hook: object) -> ToolHook:
    """Return ``hook`` if it can be a middleware around tool calls.

    Raises:
        SpecInvalid: It is not an ``async def`` that takes three positional arguments. Type hints are not looked at.
    """
    name = name_of(hook)
    wanted = f"; write it as: async def {name if name.isidentifier() else 'hook'}(ctx, args, call_next)"
    if not callable(hook):
        raise SpecInvalid(f"tool_hooks: a {name} cannot be called{wanted}")
    if isclass(hook):
        raise SpecInvalid(f"tool_hooks: {name} is a class; give an instance of it, {name}(…)")
    if not (iscoroutinefunction(hook) or iscoroutinefunction(getattr(hook, "__call__", None))):  # noqa: B004 - the method itself is looked at
        raise SpecInvalid(f"tool_hooks: {name} is no 'async def'{wanted}")
    takes = signature(hook)
    try:
        takes.bind(None, None, None)
    except TypeError:
        raise SpecInvalid(f"tool_hooks: {name}{takes} does not take three positional arguments{wanted}") from None
    return cast("ToolHook", hook)


def require_on_error(on_error_func: Callable[..., object] | None) -> None:
    """Refuse now what could not be called once something goes wrong, when nobody would learn what it was."""
    if on_error_func is None:
        return
    try:
        signature(on_error_func).bind(None, None)
    except TypeError:
        name = getattr(on_error_func, "__name__", type(on_error_func).__name__)
        raise DefinitionInvalid(f"the on_error_func {name} has to take two arguments: (error, context)") from None
    except ValueError:
        return  # Python cannot tell
