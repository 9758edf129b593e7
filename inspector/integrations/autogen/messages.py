"""Agents of Core, which handle messages."""

from typing import Any, Final

from inspector.integrations.autogen.runs import said
from inspector.integrations.calls import Call, Keywords, Named, safely
from inspector.integrations.generators import opened_apart
from inspector.integrations.methods import reported

_ROLES: Final = ("autogen_agentchat.", "autogen_core.tool_agent")
"""Modules of agents that only carry messages to agents, teams and tools."""


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
