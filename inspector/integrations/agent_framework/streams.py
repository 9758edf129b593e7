"""Calls whose answer is awaited or streamed, as the caller asks: agents, chat clients and workflows."""

import weakref
from collections.abc import Callable
from contextlib import ExitStack
from contextvars import ContextVar, Token, copy_context
from dataclasses import dataclass
from typing import Any, cast

from inspector import context
from inspector.integrations.agent_framework.facts import CallArguments
from inspector.integrations.calls import (
    Call,
    Keywords,
    announce,
    around_here,
    awaited,
    conclude,
    is_reported,
    opened,
    put_back,
    safely,
)
from inspector.integrations.patches import wrapping
from inspector.integrations.tracebacks import unseen
from instrument.keywords import Noun

_CALLS = "_inspector_calls"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of call, and how it is read."""

    noun: Noun
    read_input: Callable[[Any, CallArguments], Keywords]
    """Reads the input of a call."""
    read_result: Callable[[Any], Keywords | BaseException]
    """Reads its result."""


class Entrance:
    """Makes a call that was opened in its own context the innermost one while its code runs here.

    A stream runs in parts, in its consumer's context. Changes that the parts make to the variables of the call are
    hidden from the consumer in between, and restored for the next part.
    """

    def __init__(self, call: Call) -> None:
        self._inside = call.variables()
        self._tokens: list[tuple[ContextVar[Any], Token[Any]]] = []
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._tokens = [(variable, variable.set(value)) for variable, value in self._inside.items()]

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            for variable, token in self._tokens:
                self._inside[variable] = variable.get(None)
                put_back(variable, token)
            self._tokens = []


@dataclass(frozen=True, slots=True)
class Streamed:
    """The call that a stream is the answer of."""

    kind: Kind
    call: Call
    inside: Entrance


def called(original: Any, kind: Kind) -> Any:
    """Report calls of a method that returns an awaitable or, with ``stream=True``, a ``ResponseStream``."""

    def call_method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.get("stream"):
            return _answered(original(self, *args, **kwargs), kind, self, CallArguments(args, kwargs))
        if is_reported(kind.noun, self):
            return original(self, *args, **kwargs)
        around = copy_context()
        call = around.run(_opened, kind, self, CallArguments(args, kwargs))
        inside = Entrance(call)
        try:
            with inside:
                stream = original(self, *args, **kwargs)
        except BaseException as exc:
            call.failed(exc)
            raise
        _attach(stream, Streamed(kind, call, inside))
        return stream

    return call_method


async def _answered(work: Any, kind: Kind, owner: Any, arguments: CallArguments) -> Any:
    with unseen:
        if is_reported(kind.noun, owner):
            return await work
        around = context.get()
        try:
            call = _opened(kind, owner, arguments, alone=False)
        finally:
            # Inner calls get the session from their parent.
            context.set(around)
        return await awaited(call, work, kind.read_result)


def _opened(kind: Kind, owner: Any, arguments: CallArguments, *, alone: bool = True) -> Call:
    session_id = safely(lambda: arguments.session_id, None)
    if session_id is not None and context.get() is None and next(around_here(), None) is None:
        # Inner agents get sessions that the program did not ask for.
        context.set(session_id)
    call = opened(
        kind.noun,
        lambda: kind.read_input(owner, arguments),
        context=copy_context() if alone else None,
        emitter="agent_framework",
        subject=owner,
    )
    if arguments.kwargs.get("responses"):
        call.inside().run(announce, "session_resumed", lambda: {"session_id": session_id, "context": None})
    return call


def _attach(stream: Any, streamed: Streamed) -> None:
    try:
        cast("dict[str, Any]", vars(stream)).setdefault(_CALLS, []).append(streamed)
        weakref.finalize(stream, streamed.call.abandoned).atexit = False
    except TypeError:
        # No ResponseStream: an agent of the program's own, which answers in another way.
        streamed.call.ended()


@wrapping
async def pulled(original: Any, self: Any) -> Any:
    """Run each part of a stream inside of its call, and end the call with the stream."""
    calls = _calls_of(self)
    if not calls:
        return await original(self)
    try:
        with _inside(calls):
            update = await original(self)
    except StopAsyncIteration:
        _end(calls, self)
        raise
    except BaseException as exc:
        _fail(calls, exc)
        raise
    for each in calls:
        if each.call.noun == "llm_generate" and each.call.keyword("time_to_first_chunk") is None:
            each.call.add(time_to_first_chunk=each.call.seconds)
    return update


@wrapping
async def finished(original: Any, self: Any) -> Any:
    """Run the rest of a stream inside its call, and end the call with it."""
    calls = _calls_of(self)
    if not calls:
        return await original(self)
    try:
        with _inside(calls):
            response = await original(self)
    except BaseException as exc:
        _fail(calls, exc)
        raise
    _end(calls, self)
    return response


def _calls_of(stream: Any) -> list[Streamed]:
    calls = cast("dict[str, Any]", vars(stream)).get(_CALLS)
    return cast("list[Streamed]", calls or [])


def _inside(calls: list[Streamed]) -> ExitStack:
    stack = ExitStack()
    for call in reversed(calls):
        stack.enter_context(call.inside)
    return stack


def _end(calls: list[Streamed], stream: Any) -> None:
    for each in calls:
        if each.call.is_open:
            answer = getattr(stream, "_final_result", None)
            each.call.inside().run(conclude, each.call, each.kind.read_result, answer)


def _fail(calls: list[Streamed], exc: BaseException) -> None:
    for each in calls:
        each.call.failed(exc)
