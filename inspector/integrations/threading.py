"""Threads and thread pools: what they call is below the call that was open where their work was handed to them.

``Thread.start`` and ``ThreadPoolExecutor.submit`` are where a thread gets its work; the package
opentelemetry-instrumentation-threading takes the same two. Where nothing of ours is open, both do what they do without
us. A pool's own threads take over nothing: each piece of its work does.
"""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any, Final

from inspector.integrations.notices import warn_once
from inspector.integrations.patches import Patches
from inspector.integrations.tracebacks import unseen
from inspector.record.carrying import Place, here

_OURS: Final = frozenset(("inspector-spool", "inspector-forward", "instrument"))
"""Threads that are started by the first call that needs them, and have nothing to do with it."""
_PICKLES: Final = "InterpreterPoolExecutor"
"""Hands work to another interpreter as bytes, from Python 3.14 on."""

_is_handing_to_pool: ContextVar[bool] = ContextVar("inspector_is_handing_to_pool", default=False)


def install(patches: Patches) -> None:
    """Wrap what starts a thread, and what hands work to a pool of them."""
    patches.wrap(threading.Thread, "start", _start, exact=True)
    patches.once_imported("concurrent.futures.thread", lambda module: _wrap_pool(patches, module))


def _wrap_pool(patches: Patches, module: ModuleType) -> None:
    patches.wrap(module.ThreadPoolExecutor, "submit", _submit, exact=True)


def _start(original: Callable[..., None]) -> Callable[..., None]:
    def start(self: threading.Thread) -> None:
        with unseen:
            place = _place()
            if place is None or _is_handing_to_pool.get():
                return original(self)
            put_back = _carrying(self, place)
            try:
                return original(self)
            except BaseException:
                put_back()
                raise

    return start


def _submit(original: Callable[..., Any]) -> Callable[..., Any]:
    def submit(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        with unseen:
            place = _place()
            if place is None or any(cls.__name__ == _PICKLES for cls in type(self).__mro__):
                return original(self, fn, *args, **kwargs)
            token = _is_handing_to_pool.set(True)
            try:
                return original(self, _at(place, fn), *args, **kwargs)
            finally:
                _is_handing_to_pool.reset(token)

    return submit


def _place() -> Place | None:
    try:
        return here()
    except Exception:  # noqa: BLE001 - the border to the program
        warn_once("what a thread calls could not be placed")
        return None


def _at(place: Place, function: Callable[..., Any]) -> Callable[..., Any]:
    def work(*args: Any, **kwargs: Any) -> Any:
        with unseen:
            entered = place.enter()
            try:
                return function(*args, **kwargs)
            finally:
                place.leave(entered)

    return work


def _carrying(thread: threading.Thread, place: Place) -> Callable[[], None]:
    """Have a thread enter a place before its ``run``, which a subclass may define; return what takes that back.

    The function stands on the thread itself from its start until it runs.
    """
    try:
        if thread.name in _OURS:
            return _nothing
        placed = _at(place, thread.run)
        own = {name: value for name, value in vars(thread).items() if name == "run"}

        def put_back() -> None:
            if vars(thread).pop("run", None) is not None:
                vars(thread).update(own)

        def run() -> None:
            put_back()
            with unseen:
                placed()

        thread.run = run
    except Exception:  # noqa: BLE001 - a class of the program's may take no attribute
        warn_once("what a thread calls could not be placed")
        return _nothing
    return put_back


def _nothing() -> None:
    """Take nothing back."""
