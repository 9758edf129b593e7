"""Look at what was emitted, in tests of emitters."""

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from functools import partial
from types import TracebackType
from typing import Generic, TypeVar

from instrument._bus import register, unregister
from instrument.catalogue import HOOKS

_Item = TypeVar("_Item")


class Captured(AbstractContextManager[list[_Item]], AbstractAsyncContextManager[list[_Item]], Generic[_Item]):
    """Subscribers that note every call of theirs, registered for as long as the ``with`` or ``async with`` lasts."""

    def __init__(self, names: Iterable[str], note: Callable[..., _Item]) -> None:
        self._calls: list[_Item] = []
        self._callbacks = [(name, partial(self._add, partial(note, name))) for name in names]

    def _add(self, note: Callable[..., _Item], /, *args: object, **kwargs: object) -> None:
        self._calls.append(note(*args, **kwargs))

    def __enter__(self) -> list[_Item]:
        for name, callback in self._callbacks:
            register(name, callback)
        return self._calls

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for name, callback in self._callbacks:
            unregister(name, callback)

    async def __aenter__(self) -> list[_Item]:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)


def capture_hook(name: str) -> Captured[tuple[tuple[object, ...], dict[str, object]]]:
    """Yield a list that grows by ``(args, kwargs)`` with every emit of one hook."""
    return Captured([name], _arguments)


def capture() -> Captured[tuple[str, dict[str, object]]]:
    """Yield a list that grows by ``(name, kwargs)`` with every emit of any hook in the catalogue, in order."""
    return Captured(HOOKS, _named)


def _arguments(_name: str, /, *args: object, **kwargs: object) -> tuple[tuple[object, ...], dict[str, object]]:
    return args, kwargs


def _named(name: str, /, *_args: object, **kwargs: object) -> tuple[str, dict[str, object]]:
    return name, kwargs
