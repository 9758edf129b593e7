"""The log of subscribers that fail."""

import logging
import threading
from functools import partial

_logger = logging.getLogger("mcp.instrument")
_reporting = threading.local()


def log_failure(hook: str, callback: object, error: BaseException) -> None:
    """Write one WARNING with the traceback of a subscriber that failed; never raises an ``Exception`` itself."""
    # A logging handler may emit a hook whose subscriber fails: without this it would log about logging without end.
    if getattr(_reporting, "busy", False):
        return
    _reporting.busy = True
    try:
        _logger.warning("Hook %s failed in %s", hook, _describe(callback), exc_info=error)
    except Exception:  # noqa: BLE001, S110 - a handler or filter of the application failed, and there is no other log
        pass
    finally:
        _reporting.busy = False


def _describe(callback: object) -> str:
    """Name a callback; its own ``__repr__`` is not asked, since it may raise or show arguments."""
    unnamed = object.__repr__(callback)
    try:
        named = callback.func if isinstance(callback, partial) else callback  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - a partial of anything
        module, name = getattr(named, "__module__", ""), getattr(named, "__qualname__", "")  # pyright: ignore[reportUnknownArgumentType] - as above
    except Exception:  # noqa: BLE001 - any attribute may be a property that does anything
        return unnamed
    return f"{module}.{name}" if type(name) is type(module) is str and name else unnamed
