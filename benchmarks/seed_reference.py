"""The hook bus as the contract's first version printed it, with its logger defined: what ours is measured against."""

# ruff: noqa: F401, RUF100, UP006, UP035 - printed code, kept as it was
import logging
from collections import defaultdict
from inspect import iscoroutinefunction
from typing import Any, Awaitable, Callable, Coroutine, Dict, List

_logger = logging.getLogger("mcp.instrument")

_Callback = Callable[..., Any | Awaitable[Any]]
_hooks: Dict[str, List[_Callback]] = defaultdict(list)


def register(name: str, fn: _Callback) -> None:
    """
    Subscribe to a hook.
    `fn` is awaited if coroutine; its return value is ignored.
    """
    _hooks[name].append(fn)


def unregister(name: str, fn: _Callback) -> None:
    """Remove callback; no error if not present."""
    callbacks = _hooks.get(name, [])
    if fn in callbacks:
        callbacks.remove(fn)


async def _emit(name: str, *a, **k) -> None:
    """
    Internal: fan-out to all registered callbacks.
    Exceptions are logged and swallowed.
    """
    for cb in _hooks.get(name, []):
        try:
            if iscoroutinefunction(cb):
                await cb(*a, **k)
            else:
                cb(*a, **k)
        except Exception:  # noqa: BLE001
            _logger.exception("Hook %s failed in %s", name, cb)
