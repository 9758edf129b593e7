"""Functions of a program as tools: each call is announced on the bus, and passes the controller.

For loops written by hand, which call functions themselves that a model asked for. Frameworks' tools need no decorator.
"""

from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from inspect import (
    Parameter,
    Signature,
    isasyncgenfunction,
    iscoroutinefunction,
    isgeneratorfunction,
    signature,
)
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast, overload

from instrument import Call, around, control, enabled

P = ParamSpec("P")
R = TypeVar("R")

EMITTER = "instrument"
"""Who announces these calls, each of which passes the controller."""
_HOOKS = ("before_tool_call", "after_tool_call", "error_tool_call")
_OWN = ("self", "cls")
_OURS = (__name__, control.__name__)


@overload
def tool(function: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def tool(*, name: str | None = None, read_only: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def tool(
    function: Callable[..., Any] | None = None, /, *, name: str | None = None, read_only: bool = False
) -> Callable[..., Any]:
    """Announce each call of a function as the call of a tool, and let the controller decide about it.

    Args:
        function: A function, coroutine function or method; what it returns and raises stays as it is.
        name: What the tool is called, as models know it; by default the function's own name.
        read_only: Whether it changes nothing, so that it may be called again at any time: controllers are told.

    Raises:
        TypeError: It is a generator, whose calls have no one result.
    """
    if function is not None:
        return _decorated(function, None, read_only=read_only)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return _decorated(function, name, read_only=read_only)

    return decorate


def _decorated(function: Callable[..., Any], name: str | None, *, read_only: bool) -> Callable[..., Any]:
    if isgeneratorfunction(function) or isasyncgenfunction(function):
        raise TypeError(f"{function.__qualname__} is a generator, which cannot be a tool; return a list")
    made = _Tool(function, name or function.__name__, read_only=read_only)
    return _asynchronous(made) if iscoroutinefunction(function) else _synchronous(made)


def _synchronous(made: "_Tool") -> Callable[..., Any]:
    function = made.function

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if not _somebody_watches():
            return function(*args, **kwargs)
        given = made.arguments(args, kwargs)
        with _unseen, made.around(given) as call:
            ruling = control.ask_sync(made.proposal(given, call), call.set)
            if ruling.answer is not None:
                result = ruling.answer.value
            else:
                args, kwargs = made.applied(ruling.args, given, args, kwargs)
                result = function(*args, **kwargs)
            call.set(result=result)
            return result

    return called


def _asynchronous(made: "_Tool") -> Callable[..., Coroutine[Any, Any, Any]]:
    function = made.function

    @wraps(function)
    async def called(*args: Any, **kwargs: Any) -> Any:
        if not _somebody_watches():
            return await function(*args, **kwargs)
        given = made.arguments(args, kwargs)
        with _unseen:
            async with made.around(given) as call:
                ruling = await control.ask(made.proposal(given, call), call.set)
                if ruling.answer is not None:
                    result = ruling.answer.value
                else:
                    args, kwargs = made.applied(ruling.args, given, args, kwargs)
                    result = await function(*args, **kwargs)
                call.set(result=result)
                return result

    return called


class _Unseen:
    """Leaves no frame of the decorator, nor of asking the controller, in the traceback of what a call raises."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            return
        left = error.__traceback__
        while left is not None and left.tb_frame.f_globals.get("__name__") in _OURS:
            left = left.tb_next
        # Not by assignment: a class of the program's may forbid that.
        BaseException.with_traceback(error, left)


_unseen = _Unseen()


def _somebody_watches() -> bool:
    return control.controller is not None or any(map(enabled, _HOOKS))


class _Tool:
    """A function, and how its arguments are called."""

    __slots__ = ("_is_read_only", "_own", "_signature", "function", "name")

    def __init__(self, function: Callable[..., Any], name: str, *, read_only: bool) -> None:
        self.function = function
        self.name = name
        self._is_read_only = read_only
        self._signature: Signature = signature(function)
        first = next(iter(self._signature.parameters), None)
        # The object of a method is no argument that a model gives.
        self._own = first if first in _OWN else None

    def around(self, given: dict[str, Any]) -> Call:
        return around(
            "tool_call", emitter=EMITTER, tool_name=self.name, args=given, context=None, function=self.function
        )

    def proposal(self, given: dict[str, Any], call: Call) -> control.Proposal:
        return control.Proposal(
            *("tool_call", self.name, given),
            call_id=call.call_id,
            emitter=EMITTER,
            subject=self.function,
            read_only=self._is_read_only,
        )

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name; those that the function will refuse as they are."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError:
            return ({"args": list(args)} if args else {}) | kwargs
        named: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            kind = self._signature.parameters[name].kind
            if kind is Parameter.VAR_KEYWORD:
                named |= value
            elif name != self._own:
                named[name] = [*value] if kind is Parameter.VAR_POSITIONAL else value
        return named

    def applied(
        self, decided: object, given: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments to call the function with: its own where the controller left them as they are.

        Raises:
            TypeError: The controller gave arguments that are no mapping.
        """
        if decided is given:
            return args, kwargs
        if not isinstance(decided, Mapping):
            kind = type(decided).__name__
            raise TypeError(f"the controller changed the arguments of {self.name} to {kind}; pass a mapping")
        left = dict(cast("Mapping[str, Any]", decided))
        placed: list[Any] = list(args[:1]) if self._own is not None else []
        for name, parameter in self._signature.parameters.items():
            if name == self._own or name not in left:
                continue
            if parameter.kind is Parameter.VAR_POSITIONAL:
                placed += left.pop(name)
            elif parameter.kind is Parameter.POSITIONAL_ONLY or self._comes_before_rest(name, left):
                placed.append(left.pop(name))
        return tuple(placed), left

    def _is_rest(self, name: str) -> bool:
        return self._signature.parameters[name].kind is Parameter.VAR_POSITIONAL

    def _comes_before_rest(self, name: str, left: Mapping[str, Any]) -> bool:
        """Tell whether a parameter has to be given by place, since more follows that has to be."""
        parameters = self._signature.parameters
        rest = next((each for each in parameters if self._is_rest(each)), None)
        return rest is not None and bool(left.get(rest)) and list(parameters).index(name) < list(parameters).index(rest)
