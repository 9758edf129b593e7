"""Chainlit: ``wrap_user_function`` wraps each function that the program registers, such as that for a message.

What it returns turns an exception into a message to the page, so the program's function itself is wrapped here. It runs
in a task of the visitor's websocket, which is open for as long as the visitor stays.
"""

import sys
from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from inspector.integrations.jobs import Job
from inspector.integrations.patches import Patches, wrapping

_NAMES = {"with_parent_id": "on_message"}
"""What Chainlit calls the function that it puts around the program's, and the name of its decorator."""


def install(patches: Patches) -> None:
    """Wrap the function, where the decorators have it."""
    patches.wrap_once_imported("chainlit.callbacks", None, {"wrap_user_function": _wrap_user_function})


@wrapping
def _wrap_user_function(original: Any, /, user_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return original(_in_a_run(user_function), *args, **kwargs)


def _in_a_run(function: Callable[..., Any]) -> Callable[..., Any]:
    called = getattr(function, "__name__", "chainlit")
    name = _NAMES.get(called, called)

    @wraps(function)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        with Job(name, session=_thread(), in_request=True):
            return await function(*args, **kwargs)

    @wraps(function)
    def called_at_once(*args: Any, **kwargs: Any) -> Any:
        with Job(name, session=_thread(), in_request=True):
            return function(*args, **kwargs)

    return awaited if iscoroutinefunction(function) else called_at_once


def _thread() -> str | None:
    """Return the conversation of the visitor; None outside of one, as when the server starts."""
    chainlit: Any = sys.modules["chainlit.context"]
    context = chainlit.context_var.get(None)
    return None if context is None else context.session.thread_id
