"""Threads and thread pools: their calls are below the call that was open when they got their work.

A thread gets its work in ``Thread.start`` and ``ThreadPoolExecutor.submit``; the package
opentelemetry-instrumentation-threading patches the same two. If no call is open, nothing changes. The context belongs
to each piece of a pool's work, not to its threads.
"""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any, Final

from inspector.integrations.classes import is_a
from inspector.integrations.patches import Patches
from inspector.integrations.tracebacks import unseen
from inspector.logger import warn_of_error_once
from inspector.record.calls.carrying import TreePlace, here
from instrument.signals import is_of_signal

_OURS: Final = frozenset(("inspector-spool", "inspector-forward", "instrument"))
"""Threads that the first call in need of them starts, and that do not belong to it."""
_PICKLES: Final = "InterpreterPoolExecutor"
"""Passes work to another interpreter as bytes, from Python 3.14 on."""

_is_handing_to_pool: ContextVar[bool] = ContextVar("inspector_is_handing_to_pool", default=False)


def install(patches: Patches) -> None:
    """Wrap the functions that start a thread, and that submit work to a pool."""
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
            if place is None or is_a(self, _PICKLES):
                return original(self, fn, *args, **kwargs)
            token = _is_handing_to_pool.set(True)
            try:
                return original(self, _at(place, fn), *args, **kwargs)
            finally:
                _is_handing_to_pool.reset(token)

    return submit


def _place() -> TreePlace | None:
    try:
        return here()
    except Exception as error:  # the border to the program
        if is_of_signal(error):
            raise
        warn_of_error_once("what a thread calls could not be placed")
        return None


def _at(place: TreePlace, function: Callable[..., Any]) -> Callable[..., Any]:
    def work(*args: Any, **kwargs: Any) -> Any:
        with unseen:
            entered = place.enter()
            try:
                return function(*args, **kwargs)
            finally:
                place.leave(entered)

    return work


def _carrying(thread: threading.Thread, place: TreePlace) -> Callable[[], None]:
    """Make a thread enter a context before its ``run``; return a function that undoes this.

    The replacement is on the thread itself, from its start until it runs.
    """
    try:
        if thread.name in _OURS:
            return _nothing
        placed = _at(place, thread.run)
        methods = {name: value for name, value in vars(thread).items() if name == "run"}

        def put_back() -> None:
            if vars(thread).pop("run", None) is not None:
                vars(thread).update(methods)

        def run() -> None:
            put_back()
            with unseen:
                placed()

        thread.run = run
    except Exception as error:  # a class of the program's may take no attribute
        if is_of_signal(error):
            raise
        warn_of_error_once("what a thread calls could not be placed")
        return _nothing
    return put_back


def _nothing() -> None:
    """Undo nothing."""
