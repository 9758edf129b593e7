"""The status of a call that an exception ended."""

import sys
from inspect import CO_ASYNC_GENERATOR, CO_GENERATOR, iscoroutine
from typing import Any, Final, cast

from inspector.record.calls.spans import State
from inspector.record.values.layouts import mro

_CANCELLATIONS: Final = frozenset(
    {"CancelledError", "Cancelled", "KeyboardInterrupt", "SystemExit", "GreenletExit", "GraphInterrupt", "Interrupted"}
)
_REFUSALS: Final = frozenset({"ToolRefused", "QuotaExceeded"})
_ABANDONED: Final = "Abandoned"
_CLOSED: Final = "Closed"
_GENERATORS: Final = CO_GENERATOR | CO_ASYNC_GENERATOR


def state_of(exc: object) -> State:
    """Return ``cancelled``, ``abandoned`` or ``error``; ``ok`` for a stream that its consumer closed.

    Cancellations of asyncio, trio and gevent are recognised by name, so that none of them has to be imported.
    """
    names = {cls.__name__ for cls in type(exc).__mro__}
    if not names.isdisjoint(_CANCELLATIONS):
        return "cancelled"
    if isinstance(exc, GeneratorExit):
        if _CLOSED in names:
            return "ok"
        return "abandoned" if _ABANDONED in names or _is_dropped(exc) else "ok"
    return "error"


def is_refusal(exc: object) -> bool:
    """Tell whether a tool was refused, by its caller's permissions, a guardrail, a quota or a person.

    By the name of the class, since the emitter need not be the toolkit, which is not imported here.
    """
    return not _REFUSALS.isdisjoint(cls.__name__ for cls in mro(type(exc)))


def is_denied(values: dict[str, Any]) -> bool:
    """Tell by the values of its end hook whether the controller denied a call, however its emitter ended it."""
    controlled = values.get("controlled")
    return isinstance(controlled, dict) and cast("dict[str, Any]", controlled).get("did") == "denied"


def _is_dropped(exc: GeneratorExit) -> bool:
    """Tell whether the garbage collector or the event loop closed a dropped generator, rather than its consumer.

    Nobody else closes a coroutine. An event loop closes a dropped asynchronous generator in a task of its own, which
    runs no coroutine.
    """
    if exc.__traceback__ is not None and not exc.__traceback__.tb_frame.f_code.co_flags & _GENERATORS:
        return True
    asyncio = sys.modules.get("asyncio")
    try:
        task = None if asyncio is None else asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and not iscoroutine(task.get_coro())
