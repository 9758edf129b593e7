"""The steps of a workflow: whatever can be given a value and returns one."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from toolkit.agents.foreign import Conversing, ask, call, is_agent, text_of
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, NoAnswer, ToolkitError
from toolkit.plain import member
from toolkit.tool_class import Tool
from toolkit.workflows.workflow import Workflow


async def take(step: object, value: Any, context: ToolContext) -> Any:
    """Have ``step`` work on ``value``: a workflow, a tool, an agent, whoever's, or a function of either kind.

    An agent of ours is told ``value`` as text and its answer is text. A tool gets an object as its arguments, anything
    else as its only argument, and what it returns is its structured output, or its text.

    Raises:
        NoAnswer: The agent came to none.
        ToolkitError: The tool failed, and raised nothing itself.
        Exception: What the step raised.
    """
    if isinstance(step, Workflow):
        return await step.run(value, context=context)
    if isinstance(step, Tool):
        return await _take_tool(step, value, context)
    if isinstance(step, Conversing):
        result = await ask(step, text_of(value), context=context)
        if isinstance(problem := member(result, "problem"), str):
            raise NoAnswer(problem)
        return text_of(result)
    if is_agent(step):
        return await ask(step, value, context=context)
    if callable(step):
        return await call(cast("Callable[..., Any]", step), value)
    raise DefinitionInvalid(f"{step!r} is no step; expected an agent, a tool, a workflow or a function")


async def _take_tool(tool: Tool, value: Any, context: ToolContext) -> Any:
    if isinstance(value, Mapping):
        arguments = dict(cast("Mapping[str, Any]", value))
    else:
        names = list(tool.input_schema.get("properties", {}))
        if len(names) != 1:
            raise DefinitionInvalid(f"{tool.name} has {len(names)} arguments; the step before has to return an object")
        arguments = {names[0]: value}
    result = await tool(arguments, context)
    if result.is_error:
        raise result.exception or ToolkitError(f"{tool.name}: {result.text}")
    return result.text if result.structured is None else result.structured


def named(step: object) -> str:
    """Return what a step is called."""
    found = member(step, "name", "__name__")
    return found if isinstance(found, str) and found else type(step).__name__
