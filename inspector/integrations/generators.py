"""Asynchronous generators that do the work of a call: their calls are below it, those of their consumer are not."""

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
    """Open a call that is the innermost one in a copy of the current context.

    Args:
        noun: What is called.
        describe: Returns the hook's keywords.
        emitter: The integration.
        session_id: The framework's own session, which the call belongs to unless the program has bound another.
    """
    apart = copy_context()
    if session_id is not None and session.get() is None:
        apart.run(session.set, session_id)
    return opened(noun, describe, emitter=emitter, context=apart)


@dataclass(frozen=True, slots=True)
class Following:
    """What becomes of a call while its generator runs."""

    call: Call
    """As `opened_apart` returned it."""
    saw: Callable[[Any], None]
    """Told of each item; must not raise."""
    conclude: Callable[[], None]
    """Ends the call when the generator is exhausted."""
    is_done: Callable[[], bool] = lambda: False
    """Tells of a generator that is closed whether it had yielded all that matters, so that its call ends well."""


def generating(begin: Callable[..., Following]) -> Callable[[Generating], Generating]:
    """Return a wrapper for functions that return asynchronous generators.

    The call begins with the first step, fails with what the generator raises, and is told that it was left when its
    consumer closes the generator early.

    Args:
        begin: Called with the function's arguments; opens the call.
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
    """Return a generator that does the same for one that is there already, and has not begun."""

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
