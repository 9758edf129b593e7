"""Runs of agents: a turn is prepared first, and driven later, perhaps in a task of its own."""

import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from types import TracebackType
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, awaited
from inspector.integrations.generators import opened_apart
from inspector.integrations.patches import wrapping
from inspector.integrations.tracebacks import unseen

Drive = Callable[[], Awaitable[Any]]
_SUBTASK: Final = re.compile("subtask-[0-9a-f]{8}")
"""The name of an agent that another one makes for a part of its work, which is another each time."""


@wrapping
def scoped(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each turn that is driven."""
    event = args[0] if args else kwargs.get("event")
    return _Scope(original(self, *args, **kwargs), partial(_opened, self, event))


def _opened(agent: Any, event: Any) -> Call:
    def describe() -> Keywords:
        name = "subtask" if _SUBTASK.fullmatch(agent.name) else agent.name
        return {"agent": Named(name, class_name=type(agent).__name__), "input": _asked(event)}

    return opened_apart("agent_call", describe, emitter="ag2")


def _asked(event: Any) -> Any:
    said = [told(each) for each in getattr(event, "parts", ())]
    return said[0] if len(said) == 1 else said or None


def told(part: Any) -> Any:
    """Return what a part of a message or result holds."""
    return next((getattr(part, name) for name in ("content", "data") if hasattr(part, name)), str(part))


class _Scope(AbstractAsyncContextManager[Drive]):
    """The scope of a turn, whose driving is a call."""

    def __init__(self, around: AbstractAsyncContextManager[Drive], begin: Callable[[], Call]) -> None:
        self._around = around
        self._begin = begin

    async def __aenter__(self) -> Drive:
        with unseen:
            return partial(_driven, await self._around.__aenter__(), self._begin)

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        with unseen:
            return await self._around.__aexit__(kind, exc, traceback)


async def _driven(drive: Drive, begin: Callable[[], Call]) -> Any:
    with unseen, begin() as call:
        return await awaited(call, drive(), _answer)


def _answer(reply: Any) -> Keywords:
    return {"result": reply.body}
