"""Holds what is given as middleware against what middleware has to be."""

from inspect import isclass, iscoroutinefunction, signature
from typing import cast

from toolkit.errors import SpecInvalid
from toolkit.middleware.chain import name_of
from toolkit.middleware.contexts import ModelHook, ToolHook


def check_tool_hook(hook: object) -> ToolHook:
    """Return ``hook`` if it can be a middleware around tool calls.

    Raises:
        SpecInvalid: It is not an ``async def`` that takes three positional arguments. Type hints are not looked at.
    """
    _check(hook, "tool_hooks", "async def {}(ctx, args, call_next)")
    return cast("ToolHook", hook)


def check_model_hook(hook: object) -> ModelHook:
    """Return ``hook`` if it can be a middleware around model calls.

    Raises:
        SpecInvalid: It is not an ``async def`` that takes three positional arguments. Type hints are not looked at.
    """
    _check(hook, "model_hooks", "async def {}(ctx, request, call_next)")
    return cast("ModelHook", hook)


def _check(hook: object, where: str, form: str) -> None:
    name = name_of(hook)
    wanted = f"; write it as: {form.format(name if name.isidentifier() else 'hook')}"
    if not callable(hook):
        raise SpecInvalid(f"{where}: a {name} cannot be called{wanted}")
    if isclass(hook):
        raise SpecInvalid(f"{where}: {name} is a class; give an instance of it, {name}(…)")
    if not (iscoroutinefunction(hook) or iscoroutinefunction(getattr(hook, "__call__", None))):  # noqa: B004 - the method itself is looked at
        raise SpecInvalid(f"{where}: {name} is no 'async def'{wanted}")
    takes = signature(hook)
    try:
        takes.bind(None, None, None)
    except TypeError:
        raise SpecInvalid(f"{where}: {name}{takes} does not take three positional arguments{wanted}") from None
