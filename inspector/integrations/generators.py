"""Generators that do the work of a call: it encloses their calls, but not those of their consumer."""

import sys
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Generator
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, TypeAlias, cast
from weakref import ref

from inspector import context as session
from inspector.integrations.calls import Call, Describe, Keywords, guarded, opened
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tracebacks import raised_elsewhere, unseen
from instrument.keywords import Noun

Generating: TypeAlias = Callable[..., AsyncGenerator[Any, Any]]
Steps: TypeAlias = Generator[Any, Any, Any]


def _nothing() -> None:
    """Keep nothing."""


def opened_apart(
    noun: Noun, describe: Describe, *, emitter: str, session_id: str | None = None, subject: object = None
) -> Call:
    """Open a call that is innermost in a copy of the current context; a session that the program has bound stays."""
    apart = copy_context()
    if session_id is not None and session.get() is None:
        apart.run(session.set, session_id)
    return opened(noun, describe, emitter=emitter, context=apart, subject=subject)


@dataclass(frozen=True, slots=True)
class Following:
    """How to follow the generator of a call."""

    call: Call
    """As `opened_apart` returned it."""
    saw: Callable[[Any], None]
    """Called with each item; must not raise."""
    conclude: Callable[[], None]
    """Ends the call when the generator is exhausted."""
    is_done: Callable[[], bool] = lambda: False
    """Tells whether a closed generator had yielded everything that matters, so that its call ends well."""
    leaving: Callable[[], None] = _nothing
    """Called before the call fails or is left, to add what has arrived; must not raise."""


def collecting(call: Call, whole: Callable[[list[Any]], Keywords]) -> Following:
    """Return how to follow the parts of a model's answer.

    Args:
        call: As `opened_apart` returned it.
        whole: Puts the parts together, all of them or those that came before the call failed or was left.
    """
    parts: list[Any] = []

    def saw(part: Any) -> None:
        if not parts:
            call.add(time_to_first_chunk=call.seconds)
        parts.append(part)

    def keep() -> None:
        if parts:
            call.add(**whole(parts))

    return Following(call, guarded(saw), lambda: call.ended(lambda: whole(parts)), leaving=guarded(keep))


def generating(begin: Callable[..., Following]) -> Callable[[Generating], Generating]:
    """Return a wrapper for functions that return asynchronous generators.

    The call begins with the first step, fails with an exception of the generator, and counts as closed early if its
    consumer closes the generator.

    Args:
        begin: Called with the function's arguments; opens the call.
    """

    def wrapper(original: Generating) -> Generating:
        async def generate(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            with unseen:
                generator: Any = Apart(original(*args, **kwargs))
                following = begin(*args, **kwargs)
                call = following.call
                step: Awaitable[Any] = generator.__anext__()
                try:
                    while True:
                        try:
                            item = await _inside(call, step)
                        except StopAsyncIteration:
                            break
                        following.saw(item)
                        try:
                            step = generator.asend((yield item))
                        except GeneratorExit:
                            await _inside(call, generator.aclose())
                            if following.is_done():
                                following.conclude()
                            raise
                        except BaseException as exc:  # noqa: BLE001 -- the consumer's, for the generator to deal with
                            step = generator.athrow(exc)
                except BaseException as exc:
                    following.leaving()
                    call.failed(exc)
                    raise
                following.conclude()

        return generate

    return wrapper


def followed(items: AsyncIterable[Any], begin: Callable[[], Following]) -> AsyncGenerator[Any, Any]:
    """Return a generator that does the same for an existing one that has not started, or for what is no generator."""

    def given(*_: Any) -> AsyncGenerator[Any, Any]:
        is_generator = isinstance(items, AsyncGenerator)
        return cast("AsyncGenerator[Any, Any]", items) if is_generator else _each(items)

    def begun(*_: Any) -> Following:
        return begin()

    return generating(begun)(given)()


class Apart(StandIn):
    """A generator of which the event loop does not know, for another one that closes it.

    At its end a loop closes all generators that it knows, and all at once: one that is closed twice raises an error.
    """

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    def __anext__(self) -> Awaitable[Any]:
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=None)
        try:
            return self._inner.__anext__()
        finally:
            sys.set_asyncgen_hooks(*hooks)

    async def aclose(self) -> None:
        """Close it, if it is a generator: a program may have another iterator there."""
        close = getattr(self._inner, "aclose", None)
        if close is not None:
            await close()


async def _each(items: AsyncIterable[Any]) -> AsyncGenerator[Any, Any]:
    with unseen:
        iterator = aiter(items)
        try:
            async for item in iterator:
                yield item
        except GeneratorExit:
            await Apart(iterator).aclose()
            raise


def followed_steps(generator: Steps, begin: Callable[[], Following | None]) -> Steps:
    """Like `followed`, for a generator that is not asynchronous; one that is dropped is an abandoned call.

    Args:
        generator: It, not started.
        begin: Opens the call; returns None if it is part of another one by then.
    """
    itself: list[ref[Steps]] = []
    follower = _steps(generator, begin, itself)
    itself.append(ref(follower))
    for name in ("__name__", "__qualname__"):
        setattr(follower, name, getattr(generator, name, name))
    return follower


def in_steps(result: Any, begin: Callable[[], Following]) -> Any:
    """Return a generator of either kind that is followed; any other result as it is."""
    # Of its own class: a proxy around it, such as OpenInference's, may have the methods of both kinds.
    kind: type[Any] = result.__class__
    if issubclass(kind, AsyncGenerator):
        return followed(result, begin)
    return followed_steps(result, begin) if issubclass(kind, Generator) else result


def _steps(generator: Steps, begin: Callable[[], Following | None], itself: list[ref[Steps]]) -> Steps:
    with unseen:
        following = begin()
        if following is None:
            return (yield from generator)
        call = following.call
        step: Callable[[], Any] = partial(next, generator)
        closing: GeneratorExit | None = None
        try:
            while closing is None:
                leave = call.enter()
                try:
                    item = step()
                except StopIteration as end:
                    following.conclude()
                    return end.value
                finally:
                    leave()
                following.saw(item)
                try:
                    step = partial(generator.send, (yield item))
                except GeneratorExit as exc:
                    closing = exc
                except BaseException as exc:  # noqa: BLE001 -- the consumer's, for the generator to deal with
                    step = partial(generator.throw, exc)
            _close(generator, closing)
        except BaseException as exc:
            following.leaving()
            if closing is not None and itself[0]() is None:
                # Nobody has it any more, so Python closes it.
                call.dropped()
            call.failed(closing or exc)
            raise


def _close(generator: Steps, closing: GeneratorExit) -> NoReturn:
    try:
        generator.close()
    except RuntimeError as exc:
        # It went on, for which the interpreter raises this.
        raised_elsewhere(exc)
        raise
    raise closing


async def _inside(call: Call, step: Awaitable[Any]) -> Any:
    leave = call.enter()
    try:
        return await step
    finally:
        leave()
