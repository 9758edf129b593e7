"""Makes tools of what other people call a tool."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeGuard, cast

from toolkit.errors import DefinitionInvalid
from toolkit.functions import FunctionTool, tools_of
from toolkit.tool_class import Tool

__all__ = ["ToolSupplier", "as_tool", "as_tools", "listed", "supplies_tools"]


class ToolSupplier(Protocol):
    """Anything whose tools are asked for when they are needed, and may change: MCP servers, Composio toolkits."""

    async def tools(self) -> Sequence[Tool]:
        """Return the tools it has now."""
        ...


def supplies_tools(value: object) -> TypeGuard[ToolSupplier]:
    """Say whether ``value`` is to be asked for its tools instead of being one."""
    return not isinstance(value, Tool | type) and callable(getattr(value, "tools", None))


def as_tool(value: object) -> Tool:
    """Return ``value`` as a tool: one of ours as it is, a LangChain tool adapted, a function as a ``FunctionTool``."""
    if isinstance(value, Tool):
        return value
    if _is_langchain(value):
        from toolkit.adapters.langchain import from_langchain

        return from_langchain(value)
    if callable(value):
        return FunctionTool(value)
    raise DefinitionInvalid(
        f"{value!r} cannot be used as a tool; expected a function, a Tool, a LangChain tool, "
        "or an object with an async tools()"
    )


def as_tools(value: object) -> list[Tool]:
    """Return all tools of a LangChain toolkit, a module or an object with ``@tool`` methods; of anything else, the one.

    An agent or a workflow is one tool.
    """
    # By a method of one of ours: LangChain's tools have one of that name, too.
    if getattr(value, "emits_hooks", False):
        return [cast("Any", value).as_tool()]
    listed = getattr(value, "get_tools", None)
    if callable(listed):
        tools: object = listed()
        if not isinstance(tools, list | tuple):
            raise DefinitionInvalid(f"get_tools() returned {type(tools).__name__}; expected a list of tools")
        return [as_tool(tool) for tool in cast("Sequence[object]", tools)]
    return list(tools_of(value)) or [as_tool(value)]


def _is_langchain(value: object) -> bool:
    """Whether it is a LangChain tool; known by name, so that nothing of LangChain is imported to find out."""
    return any(
        kind.__name__ == "BaseTool" and kind.__module__.startswith("langchain_core.tools")
        for kind in type(value).__mro__
    )


def listed(tools: object, name: str) -> list[object]:
    """Return the tools of a list, or the one that stands alone; they are for ``name``."""
    # A set of servers can be iterated, and what it yields are their names.
    if supplies_tools(tools) or callable(tools):
        tools = [tools]
    if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
        kind = type(cast("object", tools)).__name__
        raise DefinitionInvalid(f"tools of {name}: expected a list of tools, not {kind}")
    several = cast("Iterable[object]", tools)
    return list(several)
