"""An agent as a tool, for another agent's model to call."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from inspect import isawaitable
from typing import Any, Literal, TypeAlias

from toolkit.agents.foreign import Conversing, ask, description_of, is_agent, result_of
from toolkit.agents.thread import History, Thread
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.middleware.rules import OnError
from toolkit.middleware.selection import above_zero
from toolkit.outcomes import time_limit
from toolkit.plain import member
from toolkit.tool_class import Tool

Extractor: TypeAlias = Callable[[Any], object | Awaitable[object]]
"""Takes what an agent returned; returns a ``ToolResult``, or what ``ToolResult.of`` reads."""


class AgentTool(Tool):
    """A tool with one argument, ``message``, that an agent answers.

    The agent may be any: an ``Agent`` or ``Workflow``, an object with ``run``, or a function. The calling agent's
    middleware stays around this call; inside, the agent has its own.

    Args:
        agent: The agent that answers.
        name: Its name for the model; ``agent__`` and the agent's name by default.
        description: Its description for the model; the agent's own by default.
        output_extractor: Turns what the agent returned into the tool's result.
        on_error_func: Turns an exception into the tool's result.
        thread: What the agent sees of the caller's conversation: ``none`` of it, a ``fork``, or ``shared`` for an agent
            that continues it; or a ``History``. Agents that are not ours see none.
        timeout_s: How long it may take; None for ever.
    """

    source = "agent"

    def __init__(
        self,
        agent: object,
        name: str | None = None,
        description: str | None = None,
        *,
        output_extractor: Extractor | None = None,
        on_error_func: OnError | None = None,
        thread: History | Literal["none", "fork", "shared"] = "none",
        timeout_s: float | None = None,
    ) -> None:
        if not (callable(agent) or is_agent(agent)):
            raise DefinitionInvalid(
                f"{agent!r} is not an agent; expected an Agent, a function, or an object with run()"
            )
        super().__init__(_definition(agent, name, description), on_error_func=on_error_func, validate=False)
        self.agent = agent
        self.history = History.of(thread)
        self._extract = output_extractor or result_of
        self._timeout_s = None if timeout_s is None else above_zero(timeout_s, "AgentTool(timeout_s=…)")

    @property
    def server_name(self) -> str | None:
        """``agent``, for every tool with an agent behind it."""
        return "agent"

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        """Have the agent answer."""
        arguments = call.arguments or {}
        message: Any = arguments.get("message")
        if not isinstance(message, str) or len(arguments) > 1:
            self.definition.check_arguments(arguments)  # raises; only then is what checks needed
        async with time_limit(self._timeout_s, f"{self.name} gave no answer within"):
            answer = await self._ask(message, replace(context, tool_hooks=(), call=None, call_id=None))
        extracted = self._extract(answer)
        return await extracted if isawaitable(extracted) else extracted

    async def _ask(self, message: str, context: ToolContext) -> Any:
        if not isinstance(self.agent, Conversing):
            return await ask(self.agent, message, context=context, name=self.name)
        callers = context.thread if isinstance(context.thread, Thread) else Thread()
        thread = self._begin(self.agent, callers).fork()
        answer = await ask(self.agent, message, thread=thread, context=context)
        if isinstance(member(answer, "problem"), str):
            return answer
        match self.history.merge_target:
            case "none":
                pass
            case "child":
                self.agent.history.merge(thread)
            case "orchestrator":
                callers.merge(thread)
        return answer

    def _begin(self, agent: Conversing, callers: Thread) -> Thread:
        match self.history.source:
            case "none":
                return Thread()
            case "messages":
                return Thread(member(agent, "messages") or ())
            case "child":
                return agent.history
            case "orchestrator":
                return callers


_SCHEMA = {
    "type": "object",
    "properties": {"message": {"type": "string", "description": "What to tell or ask the agent."}},
    "required": ["message"],
    "additionalProperties": False,
}


def _definition(agent: object, name: str | None, description: str | None) -> ToolDefinition:
    if name is None:
        own = member(agent, "name", "__name__")
        if not isinstance(own, str) or not own:
            raise DefinitionInvalid(f"{agent!r} has no name; pass AgentTool(agent, name=…)")
        name = tool_name_of(own)
    return ToolDefinition(
        name=name, description=description_of(agent) if description is None else description, input_schema=_SCHEMA
    )


def tool_name_of(agent: str) -> str:
    """Return the name of the tool for an agent of this name."""
    return "agent__" + re.sub(r"[^A-Za-z0-9_-]", "_", agent)
