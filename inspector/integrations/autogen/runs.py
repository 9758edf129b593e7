"""Runs of agents and teams, whole or as streams of messages, of which the last has the result."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, conclude, guarded, is_inside
from inspector.integrations.classes import is_a, kind_of
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_items

TEAM: Final = "BaseGroupChat"
"""The class that all teams inherit from."""
_OF_AUTOGEN: Final = "autogen_"
_PATTERNS: Final = {
    "RoundRobinGroupChat": "round_robin",
    "SelectorGroupChat": "selector",
    "Swarm": "swarm",
    "MagenticOneGroupChat": "magentic_one",
    "GraphFlow": "graph",
}
_RESULTS: Final = ("TaskResult", "Response")


def _once(owner: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    # Each way to run an agent may take the others.
    return None if is_inside(owner) else _opened(owner, args[0] if args else _given(kwargs))


def _given(kwargs: Mapping[str, Any]) -> Any:
    return kwargs.get("task", kwargs.get("messages"))


@wrapping
def ran_in_steps(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each run of an agent or team that gives its messages as they come."""
    messages = original(self, *args, **kwargs)
    if is_inside(self):
        return messages
    return in_steps(messages, lambda: _following(_opened(self, args[0] if args else _given(kwargs))))


def _opened(owner: Any, task: Any) -> Call:
    is_team = is_a(owner, TEAM, of=_OF_AUTOGEN)

    def describe() -> Keywords:
        kind = type(owner).__name__
        pattern = kind_of(owner, _PATTERNS) if is_team else None
        named = Named(owner.name, owner.description, workflow_type=pattern, class_name=kind)
        return {"workflow" if is_team else "agent": named, "input": _asked(task)}

    noun = "workflow_run" if is_team else "agent_call"
    return opened_apart(noun, describe, emitter="autogen", subject=owner)


def _asked(task: Any) -> Any:
    if not is_items(task):
        return said(task)
    if len(task) == 1:
        return said(task[0])
    return [{"source": each.source, "content": said(each)} for each in task]


def said(message: Any) -> Any:
    """Return the text of a message, or its fields if it has a model of its own."""
    content = getattr(message, "content", message)
    if content is None or isinstance(content, str):
        return content
    if hasattr(content, "model_dump"):
        return content.model_dump()
    return message.to_text() if hasattr(message, "to_text") else message


def _outcome(result: Any) -> Keywords:
    last = getattr(result, "chat_message", None) or next(reversed(getattr(result, "messages", ())), None)
    return {"result": said(last)}


def _following(call: Call) -> Following:
    def saw(message: Any) -> None:
        # At once: who has the result may not come back for the end.
        if is_a(message, *_RESULTS, of=_OF_AUTOGEN):
            conclude(call, _outcome, message)

    return Following(call, guarded(saw), partial(call.ended))


ran: Final = reported(_once, _outcome)
"""Reports each run of an agent or team."""
answered: Final = ran
"""Reports each answer of an agent to messages."""
