"""Claude Agent SDK: an agent for each prompt, its model calls, tools and subagents.

The agent runs in another program, Claude Code, so neither its model calls nor its own tools happen in this process. The
SDK has no extension point that sees them all: its hooks and permission callbacks change what Claude Code does.
But everything passes through its public interface ``Transport`` as JSON, so ``write``, ``read_messages`` and ``close``
of each of its classes are wrapped, present and future. Nothing is asked of Claude Code that the program does not ask.
"""

from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from inspector.integrations.calls import safely
from inspector.integrations.claude_agent_sdk.conversation import Conversation
from inspector.integrations.generators import Apart
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.tracebacks import unseen

_conversations: WeakKeyDictionary[Any, Conversation] = WeakKeyDictionary()


def install(patches: Patches) -> None:
    """Wrap every class of ``Transport``."""
    sdk: Any = import_module("claude_agent_sdk")
    patches.wrap_in_subclasses(sdk.Transport, {"write": _written, "read_messages": _read, "close": _closed})


def _conversation_of(transport: Any) -> Conversation:
    found = _conversations.get(transport)
    if found is None:
        options = getattr(transport, "_options", None)
        found = _conversations[transport] = Conversation(getattr(options, "system_prompt", None))
    return found


@wrapping
async def _written(original: Any, /, self: Any, data: Any, *args: Any, **kwargs: Any) -> Any:
    safely(lambda: _conversation_of(self).sent(data), None)
    return await original(self, data, *args, **kwargs)


@wrapping
async def _closed(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return await original(self, *args, **kwargs)
    finally:
        # The task that reads may be dropped before its generator is closed.
        safely(lambda: _conversation_of(self).closed(), None)


@wrapping
def _read(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    messages = original(self, *args, **kwargs)
    conversation = safely(lambda: _conversation_of(self), None)
    # A class may call the one that it inherits from.
    if conversation is None or conversation.is_followed:
        return messages
    conversation.is_followed = True
    return _followed(messages, conversation)


async def _followed(messages: Any, conversation: Conversation) -> AsyncIterator[Any]:
    messages = Apart(messages)
    with unseen:
        try:
            async for message in messages:
                safely(lambda message=message: conversation.received(message), None)
                # The SDK answers requests of Claude Code in tasks that it starts here: tools, hooks, permissions.
                leave = safely(lambda message=message: conversation.enter(message), None)
                try:
                    yield message
                finally:
                    if leave is not None:
                        leave()
            safely(conversation.left, None)
        except Exception as exc:
            safely(lambda exc=exc: conversation.failed(exc), None)
            raise
        finally:
            safely(conversation.closed, None)
            await messages.aclose()
