"""Workflows: work of several steps as one observable call."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from inspect import isawaitable
from typing import Any, ClassVar

from instrument import around
from toolkit.agents.tool import AgentTool
from toolkit.context import ToolContext, context_of
from toolkit.errors import DefinitionInvalid
from toolkit.keywords import checks_keywords
from toolkit.middleware.checks import takes

Work = Callable[[Any, ToolContext], Awaitable[Any]]
"""Does the work: takes the input and the context for the agents and tools that it calls, and returns the result."""


@checks_keywords
class Workflow:
    """A named async function over agents, tools, other workflows and plain functions.

    Args:
        name: What it is called in records.
        work: Does it, and hands its context on to the agents, tools and workflows that it calls.
        pattern: What kind of workflow it is, for records.
        description: What it does, for agents that have it as a tool.
    """

    emits_hooks: ClassVar[bool] = True

    def __init__(self, name: str, work: Work, *, pattern: str = "custom", description: str = "") -> None:
        if not name:
            raise DefinitionInvalid("a workflow needs a name")
        if not callable(work) or not takes(work, 2):
            raise DefinitionInvalid(f"the work of {name} has to be a function: async def work(task, context)")
        self.name = name
        self.pattern = pattern
        self.description = description
        self._work = work

    def __repr__(self) -> str:
        return f"Workflow({self.name!r}, pattern={self.pattern!r})"

    async def run(self, task: Any, /, *, context: ToolContext | None = None) -> Any:
        """Run it on ``task`` and return the result."""
        context = replace(context_of(context), agent_name=self.name, thread=None).identified()
        async with around(
            "workflow_run", emitter="toolkit", workflow=self, context=context.correlation_id, input=task
        ) as call:
            returned: object = self._work(task, context)
            if not isawaitable(returned):
                raise DefinitionInvalid(
                    f"the work of {self.name} is no 'async def'; write it as: async def work(task, context)"
                )
            result: Any = await returned
            call.set(result=result)
            return result

    __call__ = run

    def as_tool(self) -> AgentTool:
        """Return it as the tool ``agent__<name>``, as every list of tools has it."""
        return AgentTool(self)
