"""Runs of agents, of chats in which they take turns, and of processes."""

import re
from collections.abc import Mapping
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, around_here, guarded, is_inside, safely
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_items

_MADE_UP: Final = re.compile("thread_[0-9a-f]{32}")
"""The id of a thread for which the program gave none."""
_NAMELESS: Final = re.compile("agent_(?=.*[a-z])(?=.*[A-Z])[A-Za-z]{16}")
"""The name of an agent for which the program gave none, which is another each time."""


def said(message: Any) -> Any:
    """Return what a message says, or each of several."""
    if is_items(message):
        return said(message[0]) if len(message) == 1 else [said(each) for each in message]
    if message is None or isinstance(message, str):
        return message
    return str(message)


def _agent(agent: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        kind = type(agent).__name__
        named = Named(kind if _NAMELESS.fullmatch(agent.name) else agent.name, agent.description, class_name=kind)
        return {"agent": named, "input": said(args[0] if args else kwargs.get("messages"))}

    session = safely(lambda: _session(kwargs.get("thread")), None)
    return opened_apart("agent_call", describe, emitter="semantic_kernel", session_id=session, subject=agent)


def _session(thread: Any) -> str | None:
    if any(call.emitter == "semantic_kernel" for call in around_here()):
        return None
    given = getattr(thread, "id", None)
    return given if isinstance(given, str) and not _MADE_UP.fullmatch(given) else None


def _once(agent: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    return None if is_inside(agent) else _agent(agent, args, kwargs)


def _answer(response: Any) -> Keywords:
    return {"result": said(getattr(response, "message", response))}


@wrapping
def ran_in_steps(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each run of an agent that gives its messages, or parts of one, as they come."""
    messages = original(self, *args, **kwargs)
    if is_inside(self):
        return messages
    return in_steps(messages, lambda: _following(_agent(self, args, kwargs)))


@wrapping
def grouped(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each run of a chat in which agents take turns."""
    messages = original(self, *args, **kwargs)
    if is_inside(self):
        return messages
    return in_steps(messages, lambda: _following(_chat(self)))


def _chat(chat: Any) -> Call:
    def describe() -> Keywords:
        kind = type(chat).__name__
        asked = chat.history.messages[-1:]
        return {"workflow": Named(kind, workflow_type="group_chat", class_name=kind), "input": said(asked) or None}

    return opened_apart("workflow_run", describe, emitter="semantic_kernel", subject=chat)


def _following(call: Call) -> Following:
    texts: list[str] = []
    whole: list[bool] = []

    def saw(item: Any) -> None:
        message = getattr(item, "message", item)
        # Parts of a message add up; of several messages, the last is the answer.
        if not type(message).__name__.startswith("Streaming"):
            texts.clear()
        texts.append(str(message))
        whole[:] = [True]

    return Following(call, guarded(saw), lambda: call.ended(lambda: {"result": "".join(texts) if whole else None}))


def _process(process: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        event = args[0] if args else kwargs["process_event"]
        named = Named(process.name, workflow_type="process", class_name=type(process).__name__)
        return {"workflow": named, "input": {"event": event.id, "data": event.data}}

    return opened_apart("workflow_run", describe, emitter="semantic_kernel")


def _nothing(_: Any) -> Keywords:
    return {}


answered: Final = reported(_once, _answer)
"""Reports each answer of an agent."""
processed: Final = reported(_process, _nothing)
"""Reports each run of a process."""
