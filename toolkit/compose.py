"""Tools made of tools."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from toolkit.call import Arguments, ToolCall
from toolkit.context import ToolContext
from toolkit.definition import Schema, ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.result import ToolResult
from toolkit.tool_class import Tool, arguments_of
from toolkit.waiting import at_once


@runtime_checkable
class Offered(Protocol):
    """An agent or a workflow of ours, which is one tool in every list of tools."""

    emits_hooks: bool
    """True; other people's agents have no such attribute."""

    def as_tool(self) -> Tool:
        """Return what it is there."""
        ...


Part: TypeAlias = Tool | Offered
"""A tool, or an agent or a workflow as the tool that it is."""

Between: TypeAlias = Callable[[ToolResult], Mapping[str, Any]]
"""A function that makes the next tool's arguments of a result."""

Step: TypeAlias = Part | Between
"""A part, or what is between two of them."""


def chain(*steps: Step, name: str, description: str = "") -> Tool:
    """Return a tool that calls one after the other; what one returns becomes the arguments of the next.

    Structured output that is an object is passed on as it is; anything else goes to the next tool's only argument, or
    its only required one. A function between two tools makes the arguments instead, as in
    ``chain(search, lambda result: {"text": result.text}, summarize, name="search_and_summarize")``. The first tool that
    fails ends it with its result.

    Args:
        steps: Tools, agents and workflows, with functions between them where needed.
        name: The new tool's name.
        description: For the model; made of the parts unless given.

    Raises:
        DefinitionInvalid: It does not begin and end with a tool, or one cannot know its arguments.
    """
    made: list[Tool | Between] = [each.as_tool() if isinstance(each, Offered) else each for each in steps]
    if not made or not isinstance(made[0], Tool) or not isinstance(made[-1], Tool):
        raise DefinitionInvalid(f"{name}: a chain begins and ends with a tool")
    for before, after in pairwise(made):
        if not isinstance(before, Tool) and not isinstance(after, Tool):
            raise DefinitionInvalid(f"{name}: two functions in a row; make one of them")
    tools = [each for each in made if isinstance(each, Tool)]
    described = description or "; then: ".join(each.description or each.name for each in tools)
    return _Chained(
        ToolDefinition(
            name=name,
            description=described,
            input_schema=tools[0].input_schema,
            output_schema=tools[-1].output_schema,
            permissions=_permissions(tools),
        ),
        made,
    )


def together(*parts: Part, name: str, description: str = "") -> Tool:
    """Return a tool that calls all of ``parts`` at once, each with those of the arguments that it knows.

    Its structured output has what each of them returned under its name. It fails only if all of them do; what one that
    failed said stands under its name too, and ``metadata["failed"]`` lists their names.

    Args:
        parts: At least one, with different names.
        name: The new tool's name.
        description: For the model; made of the parts unless given.

    Raises:
        DefinitionInvalid: Two of them have the same name, or mean different things by one argument.
    """
    tools = [each.as_tool() if isinstance(each, Offered) else each for each in parts]
    if not tools or len({each.name for each in tools}) < len(tools):
        raise DefinitionInvalid(f"{name}: give it tools with different names")
    described = description or "; and at once: ".join(each.description or each.name for each in tools)
    schema = _joined(name, tools)
    return _Together(
        ToolDefinition(name=name, description=described, input_schema=schema, permissions=_permissions(tools)), tools
    )


class _Chained(Tool):
    def __init__(self, definition: ToolDefinition, steps: Sequence[Tool | Between]) -> None:
        # The parts hold their own schemas against what they get.
        super().__init__(definition, validate=False)
        self._steps = steps

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        passed: Arguments | ToolResult = arguments_of(call)
        for step in self._steps:
            if not isinstance(step, Tool):
                passed = dict(step(cast("ToolResult", passed)))
                continue
            arguments = _arguments(step, passed) if isinstance(passed, ToolResult) else passed
            passed = await step(ToolCall(step.name, arguments), context)
            if passed.is_error:
                break
        return passed


class _Together(Tool):
    def __init__(self, definition: ToolDefinition, tools: Sequence[Tool]) -> None:
        super().__init__(definition, validate=False)
        self._tools = tools

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        given = arguments_of(call)

        async def one(tool: Tool) -> ToolResult:
            known = tool.input_schema.get("properties", {})
            return await tool(ToolCall(tool.name, {key: given[key] for key in given if key in known}), context)

        tasks = await at_once(map(one, self._tools))
        results = {tool.name: task.result() for tool, task in zip(self._tools, tasks, strict=True)}
        failed = [name for name, each in results.items() if each.is_error]
        made = ToolResult.of({name: _value(each) for name, each in results.items()})
        made.is_error = len(failed) == len(results)
        made.metadata |= {"failed": failed} if failed else {}
        return made


def _permissions(tools: Sequence[Tool]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for tool in tools for each in tool.definition.permissions))


def _value(result: ToolResult) -> Any:
    return result.text if result.structured is None or result.is_error else result.structured


def _arguments(tool: Tool, result: ToolResult) -> Arguments:
    structured: object = result.structured
    if isinstance(structured, dict):
        return dict(cast("dict[str, Any]", structured))
    properties = list(tool.input_schema.get("properties", {}))
    required = list(tool.input_schema.get("required", ()))
    only = properties if len(properties) == 1 else required
    if len(only) != 1:
        raise DefinitionInvalid(f"{tool.name} takes {', '.join(properties)}; put a function before it that makes them")
    return {only[0]: _value(result)}


def _joined(name: str, tools: Sequence[Tool]) -> Schema:
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    for tool in tools:
        if "$defs" in tool.input_schema:
            raise DefinitionInvalid(f"{name}: the arguments of {tool.name} have definitions of their own")
        for key, schema in tool.input_schema.get("properties", {}).items():
            meant = {word: each for word, each in schema.items() if word not in ("description", "default")}
            known = properties.setdefault(key, schema)
            if meant != {word: each for word, each in known.items() if word not in ("description", "default")}:
                raise DefinitionInvalid(f"{name}: {tool.name} means something else by {key!r} than the tools before it")
        required |= dict.fromkeys(tool.input_schema.get("required", ()))
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
