"""Makes a program write its recording before it leaves by ``os._exit`` or ``os.execv``, which run no exit functions.

What ended in the last few milliseconds would be missing: in a script that leaves so for a thread that hangs the last
answer of its agent, and in a forked child that makes one call all of it.
"""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

# The other functions of the family call these by their names in the module.
_NAMES = ("_exit", "execv", "execve")


def write_before_leaving(write: Callable[[], object]) -> Callable[[], None]:
    """Call ``write`` whenever this process, or one that it forks, leaves so; return what ends that."""
    originals = {name: getattr(os, name) for name in _NAMES}
    wrappers = {name: _after(write, original) for name, original in originals.items()}
    _replace(originals, wrappers)
    return lambda: _replace(wrappers, originals)


def _after(write: Callable[[], object], leave: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(leave)
    def write_and_leave(*args: Any, **kwargs: Any) -> Any:
        try:
            write()
        finally:
            leave(*args, **kwargs)

    # Pickled by its name there, as by a pool of processes; the module below, which `wraps` names, has the original.
    write_and_leave.__module__ = os.__name__
    return write_and_leave


def _replace(those: dict[str, Any], by: dict[str, Any]) -> None:
    for name, function in those.items():
        # Another wrapper may be around it.
        if getattr(os, name) is function:
            setattr(os, name, by[name])
