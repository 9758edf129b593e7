"""Holds what is given as middleware against what middleware has to be."""

from inspect import isclass, iscoroutinefunction, signature
from typing import cast

from toolkit.errors import SpecInvalid
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
