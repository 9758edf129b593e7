"""Asynchronous generators that do the work of a call: it encloses their calls, but not those of their consumer."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeAlias

from inspector import context as session
from inspector.integrations.calls import Call, Describe, opened
from inspector.integrations.tracebacks import unseen
from instrument.keywords import Noun

Generating: TypeAlias = Callable[..., AsyncGenerator[Any, Any]]


def opened_apart(noun: Noun, describe: Describe, *, emitter: str, session_id: str | None = None) -> Call:
    """Open a call that is innermost in a copy of the current context; a session that the program has bound stays."""
    apart = copy_context()
    if session_id is not None and session.get() is None:
        apart.run(session.set, session_id)
    return opened(noun, describe, emitter=emitter, context=apart)


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


def generating(begin: Callable[..., Following]) -> Callable[[Generating], Generating]:
    """Return a wrapper for functions that return asynchronous generators.

    The call begins with the first step, fails with an exception of the generator, and counts as closed early if its
    consumer closes the generator.
    """

    def wrapper(original: Generating) -> Generating:
        async def generate(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            with unseen:
                generator = original(*args, **kwargs)
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
                    call.failed(exc)
                    raise
                following.conclude()

        return generate

    return wrapper


def followed(generator: AsyncGenerator[Any, Any], begin: Callable[[], Following]) -> AsyncGenerator[Any, Any]:
    """Return a generator that does the same for an existing one that has not started."""

    def given(*_: Any) -> AsyncGenerator[Any, Any]:
        return generator

    def begun(*_: Any) -> Following:
        return begin()

    return generating(begun)(given)()


async def _inside(call: Call, step: Awaitable[Any]) -> Any:
    leave = call.enter()
    try:
        return await step
    finally:
        leave()
