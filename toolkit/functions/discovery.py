"""Finds the tools that somebody declared."""

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, cast

from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.functions.function_tool import FunctionTool
from toolkit.functions.routes import route_of
from toolkit.tool_class import Tool


def tools_of(source: object) -> tuple[Tool, ...]:
    """Return the tools of an object, class, module or collection, in the order in which they were declared.

    An object's are bound to it: those of its class and what it inherits, then those among its own attributes. A tool
    that a subclass replaces keeps its place. A collection may hold tools and anything that has tools.
    """
    if isinstance(source, Tool):
        return (source,)
    if isinstance(source, ModuleType):
        return _unique(each for each in vars(source).values() if isinstance(each, Tool))
    if isinstance(source, type):
        return _unique(_of_class(source, None))
    own = (each for each in getattr(source, "__dict__", {}).values() if isinstance(each, Tool))
    tools = (*_of_class(type(source), source), *own)
    if not tools and isinstance(source, Mapping):
        return _of_items(cast("Mapping[Any, Any]", source).values())
    if not tools and isinstance(source, list | tuple | set | frozenset):
        return _of_items(cast("Iterable[object]", source))
    return _unique(tools)


def definitions(source: object) -> tuple[ToolDefinition, ...]:
    """Return what the tools of ``source`` are; see ``tools_of``."""
    return tuple(each.definition for each in tools_of(source))


def _unique(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    return tuple({id(each): each for each in tools}.values())


def _of_items(items: Iterable[object]) -> tuple[Tool, ...]:
    tools: list[Tool] = []
    for each in items:
        inner = tools_of(each)
        if not inner:
            raise DefinitionInvalid(f"{each!r} is not a tool and has none; declare it with @tool")
        tools.extend(inner)
    return _unique(tools)


def _of_class(kind: type, instance: object | None) -> Iterable[Tool]:
    declared: dict[str, Any] = {}
    for each in reversed(kind.__mro__):
        declared.update(vars(each))
    for name, value in declared.items():
        # What @staticmethod or @classmethod wraps above @tool.
        is_wrapped = isinstance(value, staticmethod | classmethod)
        inner: Any = cast("Any", value).__func__ if is_wrapped else value
        if isinstance(inner, FunctionTool):
            yield inner.__get__(kind if isinstance(value, classmethod) else instance, kind)
        elif isinstance(inner, Tool):
            yield inner
        elif (route := route_of(inner)) is not None:
            raise DefinitionInvalid(f"{kind.__name__}.{name} has the route {route.path} and is not a tool; add @tool")
