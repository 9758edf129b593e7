"""Records a function's result and the state of its object on the call in which it ran."""

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar

from inspector import semconv as sc
from inspector.record.calls.current import innermost
from inspector.record.calls.sdk_spans import sdk_span_at
from inspector.record.calls.spans import RecordedSpan
from inspector.record.values.attributes import read
from inspector.record.values.snapshot import snapshot

P = ParamSpec("P")
R = TypeVar("R")

_MOST_ITEMS: Final = 200
_NOTHING: Final = object()

Note: TypeAlias = Callable[[RecordedSpan | None, tuple[Any, ...], object], None]
"""Records the state of the object, and the result or ``_NOTHING``, on a span."""


def dump_state(*names: str, result: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that records a function's result, and the state of its object, on the current span.

    The result becomes the attribute ``mcp.result.<function>_json``; each named attribute of the first argument (the
    object of a method) becomes ``mcp.state.<name>_json``. Copies are made when the function returns; if it raises, only
    of the state. The attributes have the values of the last call; those of earlier calls on the same span are in its
    events ``dump_state``. It works on functions, coroutine functions, and generators of both kinds: the result of a
    generator is what it yielded, and its span is the one that it began in. Without a recorder, or outside any call, it
    does nothing.

    Args:
        names: Attributes of the object to record after the call.
        result: A name for the result, instead of the function's.

    Raises:
        TypeError: A name is not a string, for example because the decorator was used without parentheses.
    """
    if not all(isinstance(name, str) for name in names):  # pyright: ignore[reportUnnecessaryIsInstance] - programs are not all checked
        raise TypeError("dump_state takes names of attributes, or none: write @inspector.dump_state()")

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        name = getattr(function, "__qualname__", "function")
        key = f"{sc.SEED_RESULT_PREFIX}{result or getattr(function, '__name__', 'function')}_json"

        def note(span: RecordedSpan | None, args: tuple[Any, ...], returned: object) -> None:
            if span is None:
                return
            values = {} if returned is _NOTHING else {key: returned}
            for each in names if args else ():
                values[f"{sc.SEED_STATE_PREFIX}{each}_json"] = read(args[0], each)
            span.note_state(name, values)

        wrapped: Any = _noting(function, note)
        return functools.wraps(function)(wrapped)

    return decorate


def _current() -> RecordedSpan | None:
    return sdk_span_at() or innermost()


def _noting(function: Callable[..., Any], note: Note) -> Callable[..., Any]:
    if inspect.isasyncgenfunction(function):
        return _noting_async_generator(function, note)
    if inspect.isgeneratorfunction(function):
        return _noting_generator(function, note)
    if inspect.iscoroutinefunction(function):
        return _noting_coroutine(function, note)

    def noting(*args: Any, **kwargs: Any) -> Any:
        returned: object = _NOTHING
        try:
            returned = function(*args, **kwargs)
        finally:
            note(_current(), args, returned)
        return returned

    return noting


def _noting_coroutine(function: Callable[..., Any], note: Note) -> Callable[..., Any]:
    async def noting(*args: Any, **kwargs: Any) -> Any:
        returned: object = _NOTHING
        try:
            returned = await function(*args, **kwargs)
        finally:
            note(_current(), args, returned)
        return returned

    return noting


class _Items:
    """The first items that a generator yielded."""

    def __init__(self) -> None:
        self._span = _current()
        self._items: list[object] = []

    def add(self, item: object) -> object:
        if self._span is not None and len(self._items) < _MOST_ITEMS:
            self._items.append(snapshot(item))
        return item

    def note(self, note: Note, args: tuple[Any, ...]) -> None:
        note(self._span, args, self._items)


def _noting_generator(function: Callable[..., Any], note: Note) -> Callable[..., Any]:
    def noting(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator, items = function(*args, **kwargs), _Items()
        # As `yield from` does it (PEP 380), which would not show what is yielded.
        try:
            item = next(generator)
            while True:
                try:
                    sent = yield items.add(item)
                except GeneratorExit:
                    generator.close()
                    raise
                except BaseException as exc:  # noqa: BLE001 - for the generator to handle, which raises what it does not
                    item = generator.throw(exc)
                else:
                    item = generator.send(sent)
        except StopIteration as end:
            return end.value
        finally:
            items.note(note, args)

    return noting


def _noting_async_generator(function: Callable[..., Any], note: Note) -> Callable[..., Any]:
    async def noting(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        generator, items = function(*args, **kwargs), _Items()
        try:
            item = await anext(generator)
            while True:
                try:
                    sent = yield items.add(item)
                except GeneratorExit:
                    await generator.aclose()
                    raise
                except BaseException as exc:  # noqa: BLE001 - as above
                    item = await generator.athrow(exc)
                else:
                    item = await generator.asend(sent)
        except StopAsyncIteration:
            return
        finally:
            items.note(note, args)

    return noting
