"""Messages between agents of Core: what handles one is below what sent it, unless that has ended."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from inspector.integrations.autogen.runs import said
from inspector.integrations.calls import Call, Keywords, Named, around_here, guarded, safely
from inspector.integrations.generators import opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping

_SENDER: Final = "inspector_sent_in"
"""The attribute of a message on its way that has the call in which it was sent."""
_ROLES: Final = ("autogen_agentchat.", "autogen_core.tool_agent")
"""Modules of agents that only carry messages to agents, teams and tools."""


@wrapping
def sent(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> None:
    """Note the call in which a message is sent."""
    original(self, *args, **kwargs)
    _note(self)


@guarded
def _note(envelope: Any) -> None:
    if (call := next(around_here(), None)) is not None:
        setattr(envelope, _SENDER, call)


@wrapping
async def delivered(original: Any, /, self: Any, envelope: Any, *args: Any, **kwargs: Any) -> Any:
    """Have what a message causes below the call in which it was sent."""
    leave = safely(lambda: _entered(envelope), None)
    try:
        return await original(self, envelope, *args, **kwargs)
    finally:
        if leave is not None:
            leave()


def _entered(envelope: Any) -> Callable[[], None] | None:
    call: Call | None = getattr(envelope, _SENDER, None)
    while call is not None and not call.is_open:
        call = call.parent
    with suppress(AttributeError):
        # It would keep the call alive for as long as somebody keeps the message.
        delattr(envelope, _SENDER)
    return None if call is None else call.enter()


def _handling(agent: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    message = args[0] if args else kwargs.get("message")
    if not safely(lambda: _handles(agent, message), False):
        return None

    def describe() -> Keywords:
        kind = type(agent).__name__
        return {"agent": Named(agent.id.type, class_name=kind), "input": said(message)}

    return opened_apart("agent_call", describe, emitter="autogen")


def _handles(agent: Any, message: Any) -> bool:
    if any(each.__module__.startswith(_ROLES) for each in type(agent).__mro__):
        return False
    # One that subscribes to a topic is given all its messages.
    handlers = getattr(agent, "_handlers", None)
    return handlers is None or type(message) in handlers


def _reply(result: Any) -> Keywords:
    return {"result": said(result)}


handled: Final = reported(_handling, _reply)
"""Reports each message that an agent handles."""
