"""The body of a tool, as its framework runs it: the controller's decision, and the outcome.

The framework checks arguments before, and turns the result or exception into a message, a retry or a text for the
model. A controller's answer or exception takes the same way.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Mapping
from contextlib import aclosing, nullcontext
from functools import partial, update_wrapper, wraps
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any, TypeAlias, cast

from inspector.integrations.calls import Call, enclosing
from inspector.integrations.generators import Apart
from inspector.integrations.methods import bound
from inspector.integrations.tracebacks import unseen
from instrument import control

Arguments: TypeAlias = Mapping[str, Any]


def undecided(emitter: str) -> Call | None:
    """Return the tool call whose body is about to run, perhaps again; None within a body, or if none was reported."""
    call = next(enclosing("tool_call"), None)
    return None if call is None or call.is_decided or call.emitter != emitter else call


def starting(emitter: str) -> Call | None:
    """Do the same where calls are known by their tool: what the body calls, be it the same tool, are other calls."""
    call = undecided(emitter)
    if call is not None:
        call.subject = None
    return call


def leave_to_others(call: Call) -> None:
    """Ask no controller about a tool that is no function.

    Its server is asked about, or what is called in the agent that it is; a framework's own tools do nothing.
    """
    context: dict[str, Any] = call.keyword("context") or {}
    call.is_decided = context.get("tool_source", "function") != "function"


def run_body(call: Call, body: Callable[[Arguments | None], Any], *, subject: object = None) -> Any:
    """Run the body of a tool, unless the controller answers in its place.

    Each time that hooks of the program run it, a controller decides; the last outcome counts.
    """
    with unseen, _Running(call):
        ruling = None if control.controller is None else control.ask_sync(_proposal(call, subject), call.add)
        value = ruling.answer.value if ruling and ruling.answer else body(_changed(call, ruling))
    call.add(returned=value, raised=None)
    return value


async def run_body_async(
    call: Call, body: Callable[[Arguments | None], Awaitable[Any]], *, subject: object = None
) -> Any:
    """Like the function above, for a coroutine function."""
    with unseen, _Running(call):
        ruling = None if control.controller is None else await control.ask(_proposal(call, subject), call.add)
        value = ruling.answer.value if ruling and ruling.answer else await body(_changed(call, ruling))
    call.add(returned=value, raised=None)
    return value


class _Running:
    """Notes that the body of a tool runs, and what it or the controller raises.

    One of ``contextlib`` sets the traceback of what it lets through, which a frozen dataclass of the program refuses.
    """

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    def __enter__(self) -> None:
        self._call.is_decided = True

    def __exit__(self, kind: object, exc: BaseException | None, traceback: object) -> None:
        if exc is not None:
            self._call.add(raised=exc)
        self._call.is_decided = False


def run_tool(call: Call, tool: Callable[[Any], Awaitable[Any]], arguments: Any, *, subject: object) -> Awaitable[Any]:
    """Return the awaitable of a tool whose framework calls it in a single place.

    The controller decides about a tool of an MCP server when its server is asked.
    """
    context: dict[str, Any] = call.keyword("context") or {}
    if context.get("tool_source") == "mcp":
        return tool(arguments)
    return run_body_async(call, lambda changed: tool(arguments if changed is None else dict(changed)), subject=subject)


Applied: TypeAlias = Callable[
    [Call, tuple[Any, ...], dict[str, Any], Arguments], tuple[tuple[Any, ...], dict[str, Any]]
]
"""Returns the arguments for a body instead of the framework's."""


def by_name(
    call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], changed: Arguments
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Replace the reported arguments; those that a framework adds stay."""
    reported = call.keyword("args")
    if args or not isinstance(reported, dict):
        # A tool with a single text, which is a positional argument.
        return tuple(changed.values()), kwargs
    return args, {name: value for name, value in kwargs.items() if name not in reported} | dict(changed)


def decided(emitter: str, applied: Applied = by_name) -> Callable[[Any], Any]:
    """Return a wrapper for a method that is the body of a tool."""

    def wrapper(original: Any) -> Any:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = undecided(emitter)
            if call is None:
                return bound(original, self)(*args, **kwargs)
            return run_body(call, body_of(bound(original, self), call, args, kwargs, applied), subject=self)

        return run

    return wrapper


def decided_async(emitter: str, applied: Applied = by_name) -> Callable[[Any], Any]:
    """Like the function above, for a coroutine function."""

    def wrapper(original: Any) -> Any:
        async def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = undecided(emitter)
            if call is None:
                return await bound(original, self)(*args, **kwargs)
            body = body_of(bound(original, self), call, args, kwargs, applied)
            return await run_body_async(call, body, subject=self)

        return run

    return wrapper


def decided_function(function: Any, emitter: str, applied: Applied = by_name) -> Any:
    """Return the function of a tool as the controller decides about it; it runs once for each call of its tool."""
    if isasyncgenfunction(function):
        # Frameworks ask whether it is one, and a partial of one is.
        return update_wrapper(partial(run_in_steps, function, emitter, applied), function)

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        call = starting(emitter)
        with unseen:
            body = body_of(function, call, args, kwargs, applied)
            return body(None) if call is None else run_body(call, body)

    @wraps(function)
    async def run_async(*args: Any, **kwargs: Any) -> Any:
        call = starting(emitter)
        with unseen:
            body = body_of(function, call, args, kwargs, applied)
            return await (body(None) if call is None else run_body_async(call, body))

    return run_async if iscoroutinefunction(function) else run


async def run_in_steps(
    function: Any, emitter: str, applied: Applied, /, *args: Any, **kwargs: Any
) -> AsyncGenerator[Any, Any]:
    """Run a tool's function that gives items as they come, unless the controller answers; the last is its result."""
    call = starting(emitter)
    with unseen:
        body = body_of(function, call, args, kwargs, applied)
        steps: object = body(None) if call is None else run_body(call, body)
        if not isinstance(steps, AsyncIterable):
            yield steps
            return
        given = cast("AsyncIterable[Any]", steps)
        last = None
        try:
            # One that is no generator is left as it is: no loop closes it either.
            async with aclosing(Apart(given)) if isinstance(given, AsyncGenerator) else nullcontext(given) as parts:
                async for last in parts:
                    yield last
        except Exception as exc:
            if call is not None:
                call.add(returned=None, raised=exc)
            raise
        if call is not None:
            call.add(returned=last)


def body_of(
    function: Any, call: Call | None, args: tuple[Any, ...], kwargs: dict[str, Any], applied: Applied = by_name
) -> Callable[[Arguments | None], Any]:
    """Return a function that runs the body of a tool, with arguments of the controller or those of the framework."""

    def body(changed: Arguments | None) -> Any:
        places, names = (args, kwargs) if changed is None or call is None else applied(call, args, kwargs, changed)
        return function(*places, **names)

    return body


def _proposal(call: Call, subject: object) -> control.Proposal:
    name = str(call.keyword("tool_name"))
    args = call.keyword("args")
    return control.Proposal("tool_call", name, args, call_id=call.call_id, emitter=call.emitter, subject=subject)


def _changed(call: Call, ruling: control.Ruling | None) -> Arguments | None:
    args: object = call.keyword("args") if ruling is None else ruling.args
    if args is call.keyword("args"):
        return None
    if not isinstance(args, Mapping):
        name, kind = call.keyword("tool_name"), type(args).__name__
        raise TypeError(f"the controller changed the arguments of {name} to {kind}; pass a mapping")
    return cast("Arguments", args)
