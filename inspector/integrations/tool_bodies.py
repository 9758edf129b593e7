"""Where a framework runs the body of a tool: what the controller decides about it, and what came of it.

The framework stands around: it checks arguments before, and makes a message, a retry or a text for the model of what
the body gives or raises. So what a controller answers or raises goes the way of what a tool answers or raises.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, cast

from inspector.integrations.calls import Call, enclosing
from inspector.integrations.tracebacks import unseen
from instrument import control

Arguments: TypeAlias = Mapping[str, Any]


def undecided(emitter: str) -> Call | None:
    """Return the tool call whose body is about to be run here; None within a body, or where nobody tells of one."""
    call = next(enclosing("tool_call"), None)
    return None if call is None or call.is_decided or call.emitter != emitter else call


def run_body(call: Call, body: Callable[[Arguments | None], Any], *, subject: object = None) -> Any:
    """Run the body of a tool, unless the controller answers in its place.

    Args:
        call: The call.
        body: Makes it, with other arguments where it is given some.
        subject: The framework's own object.
    """
    call.is_decided = True
    with unseen:
        try:
            changed = None
            if control.controller is not None:
                ruling = control.ask_sync(_proposal(call, subject), call.add)
                if ruling.answer is not None:
                    return _returned(call, ruling.answer.value)
                changed = _changed(call, ruling)
            return _returned(call, body(changed))
        except BaseException as exc:
            call.add(raised=exc)
            raise


async def run_body_async(
    call: Call, body: Callable[[Arguments | None], Awaitable[Any]], *, subject: object = None
) -> Any:
    """Do the same of a coroutine function."""
    call.is_decided = True
    with unseen:
        try:
            changed = None
            if control.controller is not None:
                ruling = await control.ask(_proposal(call, subject), call.add)
                if ruling.answer is not None:
                    return _returned(call, ruling.answer.value)
                changed = _changed(call, ruling)
            return _returned(call, await body(changed))
        except BaseException as exc:
            call.add(raised=exc)
            raise


def _proposal(call: Call, subject: object) -> control.Proposal:
    name = str(call.keyword("tool_name"))
    args = call.keyword("args")
    return control.Proposal("tool_call", name, args, call_id=call.call_id, emitter=call.emitter, subject=subject)


def _changed(call: Call, ruling: control.Ruling) -> Arguments | None:
    args: object = ruling.args
    if args is call.keyword("args"):
        return None
    if not isinstance(args, Mapping):
        name, kind = call.keyword("tool_name"), type(args).__name__
        raise TypeError(f"the controller changed the arguments of {name} to {kind}; pass a mapping")
    return cast("Arguments", args)


def _returned(call: Call, value: Any) -> Any:
    call.add(returned=value)
    return value
