"""The registry of subscribers and the two ways to call them."""

import os
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from types import GeneratorType

from instrument._cancelling import is_own_cancellation, requests
from instrument._failures import log_failure
from instrument.catalogue import HOOKS
from instrument.signals import is_of_signal

Callback = Callable[..., object]
"""A function, coroutine function, partial or callable object; what it returns is awaited if it can be, then ignored."""


class _Hooks(dict[str, tuple[Callback, ...]]):
    """A hook that nobody listens to reads as one without callbacks, as in the contract's first reference code."""

    __slots__ = ()

    def __missing__(self, name: str) -> tuple[Callback, ...]:
        return ()


hooks = _Hooks()
"""Subscribers by hook, in order of registration. Tuples are replaced, never changed; none of them is empty."""

_listeners = hooks.get

enabled: Callable[[str], bool] = hooks.__contains__
"""Whether anyone listens to a hook: the guard for emitters, ``if enabled("before_tool_call"): await _emit(…)``.

It is the dictionary's own method, because a function around it would cost twice as much.
"""

Raisable = BaseException | type[BaseException]

_ITERABLE_COROUTINE = 0x100
"""The flag of generators made by ``types.coroutine``; ``inspect.CO_ITERABLE_COROUTINE`` without importing inspect."""

# Re-entrant, since a subscriber may unregister itself when the garbage collector runs in the middle of a change.
_lock = threading.RLock()


def register(name: str, fn: Callback) -> None:
    """Subscribe to a hook, behind those who did before; a callback registered twice is called twice.

    Args:
        name: A hook of the catalogue or of the application; unknown names are allowed.
        fn: Called with the hook's keywords alone. It should accept ``**kwargs``, as later versions add keywords.

    Raises:
        TypeError: ``fn`` cannot be called.
    """
    if not callable(fn):
        raise TypeError(f"cannot register {fn!r} for hook {name!r}: pass a function or another callable")
    _change(name, lambda callbacks: (*callbacks, fn))


def observe(name: str, fn: Callback) -> None:
    """Subscribe in front of everybody, registered before or after; ``unregister`` takes it back.

    For the recorder, which has a call's span current for as long as the other subscribers run: what ``fn`` returns is
    called after the last of them where it is an ``Ending``. No part of the contract.
    """
    _change(name, lambda callbacks: (fn, *callbacks))


class Ending:
    """What an observer has to do once all other subscribers of an emit are through, or one of them was cancelled."""

    __slots__ = ()

    def end(self) -> None:
        """Do it, in the context of the emit; called again if a signal handler left it half done."""


def unregister(name: str, fn: Callback) -> None:
    """Remove one registration of a callback, the oldest; not having any is no error."""
    _change(name, lambda callbacks: _without(callbacks, fn))


def emit(name: str, /, *args: object, **kwargs: object) -> Coroutine[object, object, None]:
    """Call a hook's subscribers one after the other once awaited; a failing one is logged and the rest still run.

    Without subscribers the answer is one shared awaitable that has already finished.
    """
    callbacks = _listeners(name)
    if callbacks is None:
        return _FINISHED
    if args:
        callbacks, kwargs = _with_positional(name, callbacks, args, kwargs)
    return _call_all(name, callbacks, kwargs)


def emit_sync(name: str, /, *args: object, **kwargs: object) -> None:
    """Call a hook's subscribers from a plain function or a thread; a failing one is logged and the rest still run.

    A coroutine is run up to the point where it first waits. The rest goes on in the event loop of this thread or, if
    there is none, in one of the bus's own: the emitter never waits for it.
    """
    callbacks = _listeners(name, ())
    if args:
        callbacks, kwargs = _with_positional(name, callbacks, args, kwargs)
    endings: tuple[Ending, ...] = ()
    try:
        for callback in callbacks:
            try:
                value = callback(**kwargs)
                if value is None:
                    continue
                if isinstance(value, Ending):
                    endings = (value, *endings)
                elif is_awaitable(value):
                    # Imported at the first coroutine, since it imports asyncio.
                    from instrument._sync import step

                    step(value, name, callback=callback)  # pyright: ignore[reportArgumentType] - it is awaitable
            except BaseException as error:  # the border: no subscriber may break its host
                if not _is_its_own(error, None):
                    raise
                log_failure(name, callback, error)
    finally:
        if endings:
            _end(name, endings)


async def _call_all(name: str, callbacks: tuple[Callback, ...], kwargs: dict[str, object]) -> None:
    endings: tuple[Ending, ...] = ()
    asked: int | None = None
    try:
        for callback in callbacks:
            try:
                value = callback(**kwargs)
                if value is None:
                    continue
                if isinstance(value, Ending):
                    endings = (value, *endings)
                elif is_awaitable(value):
                    asked = requests()
                    await value  # pyright: ignore[reportGeneralTypeIssues] - just found out
            except BaseException as error:  # the border: no subscriber may break its host
                if not _is_its_own(error, asked):
                    raise
                log_failure(name, callback, error)
    finally:
        if endings:
            _end(name, endings)


def _is_its_own(error: BaseException, asked: int | None) -> bool:
    """Tell whether a subscriber failed by itself; else its host was asked to end, and learns of it."""
    return not is_of_signal(error) if isinstance(error, Exception) else is_own_cancellation(error, asked)


def _end(name: str, endings: tuple[Ending, ...]) -> None:
    for ending in endings:
        try:
            ending.end()
        except BaseException as error:  # as above
            if isinstance(error, Exception) and not is_of_signal(error):
                log_failure(name, ending.end, error)
                continue
            # A signal handler of the host has left it anywhere, and nobody else does it.
            ending.end()
            raise


def _with_positional(
    name: str, callbacks: tuple[Callback, ...], args: tuple[object, ...], kwargs: dict[str, object]
) -> tuple[tuple[Callback, ...], dict[str, object]]:
    """Give positional arguments the names that the catalogue has in their places; else pass them on as they came."""
    hook = HOOKS.get(name)
    if hook is None:
        return tuple(partial(callback, *args) for callback in callbacks), kwargs
    return callbacks, dict(zip(hook.keywords, args, strict=False)) | kwargs


def is_emit(coroutine: object) -> bool:
    """Tell whether a coroutine is what ``_emit`` returned: its task does nothing else."""
    return getattr(coroutine, "cr_code", None) is _call_all.__code__


def is_awaitable(value: object) -> bool:
    """Tell whether what a callback returned has to be awaited; ``inspect.isawaitable`` without importing inspect."""
    if isinstance(value, GeneratorType):
        return bool(value.gi_code.co_flags & _ITERABLE_COROUTINE)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - a generator of anything
    return hasattr(type(value), "__await__")


class _Finished(Coroutine[object, object, None]):
    """A coroutine that is over: any number of tasks, loops and threads may await the one instance."""

    __slots__ = ()

    # A built-in method, so that awaiting runs no Python code: it answers an iterator that is and stays exhausted.
    __await__ = iter(()).__iter__  # pyright: ignore[reportAssignmentType] - the interpreter asks for an iterator alone

    def send(self, _value: object, /) -> object:
        raise StopIteration

    def throw(self, typ: Raisable, val: object = None, _tb: object = None, /) -> object:
        raise val if isinstance(val, BaseException) else typ

    def close(self) -> None:
        pass


_FINISHED = _Finished()


def _change(name: str, change: Callable[[tuple[Callback, ...]], tuple[Callback, ...]]) -> None:
    with _lock:
        while True:
            before = hooks.get(name, ())
            after = change(before)
            # Not so if the garbage collector, running in `change`, made another change in this very thread.
            if hooks.get(name, ()) is before:
                break
        if after:
            hooks[name] = after
        else:
            hooks.pop(name, None)


def _without(callbacks: tuple[Callback, ...], fn: Callback) -> tuple[Callback, ...]:
    if fn not in callbacks:
        return callbacks
    index = callbacks.index(fn)
    return (*callbacks[:index], *callbacks[index + 1 :])


def _renew_lock() -> None:
    """Replace a lock that another thread held when this process was forked."""
    global _lock  # noqa: PLW0603 - a lock has no public way to be reset
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # pragma: no branch - systems that fork are the ones tested
    os.register_at_fork(after_in_child=_renew_lock)
