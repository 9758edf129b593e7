"""Middleware that stands around some tools and lets the calls of all others pass."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any, Self, TypeVar

from toolkit.errors import DefinitionInvalid, ToolkitError
from toolkit.keywords import require_known
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.plain import texts_of
from toolkit.result import ToolResult

V = TypeVar("V")

Tools = str | Iterable[str]
"""Patterns of tools' names in the style of a shell, for example ``"shell.*"`` or ``["search", "web__*"]``."""


class ToolMiddleware(ABC):
    """A middleware as an object, around the calls of ``tools``, by default all; subclasses write ``around``."""

    def __new__(cls, *_: Any, **named: Any) -> Self:
        """Refuse a keyword that the middleware does not take."""
        require_known(cls, named)
        return super().__new__(cls)

    def __init__(self, tools: Tools = "*") -> None:
        self.tools = texts_of(tools, f"{type(self).__name__}(tools=…)")
        if not self.tools:
            raise DefinitionInvalid(f"{type(self).__name__}(tools=…) names no tool, so it would stand around no call")

    async def __call__(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn) -> ToolResult:
        """Do what it is for, where the tool is one of its own."""
        if matches(ctx.tool_name, self.tools):
            return await self.around(ctx, args, call_next)
        return await call_next(args)

    @abstractmethod
    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Act before, after or instead of ``call_next(args)``."""


def above_zero(value: float, what: str) -> float:
    """Return ``value`` if it is a number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
        raise DefinitionInvalid(f"{what} is {value!r}; expected a number above 0")
    return value


def a_function(value: V, what: str, example: str) -> V:
    """Return ``value`` if it can be called."""
    if not callable(value):
        raise DefinitionInvalid(f"{what} is {value!r}; expected a function, as in {example}")
    return value


def matches(tool_name: str, patterns: Iterable[str]) -> bool:
    """Tell whether one of ``patterns`` is for the tool, also by the name that a provider has for it."""
    return any(
        fnmatchcase(tool_name, form)
        for pattern in patterns
        for form in (pattern, pattern.replace(".", "__").replace("/", "__"))
    )


def error_result(error: ToolkitError) -> ToolResult:
    """Return the answer of a middleware that does not let a call through: the model reads why, nothing is raised."""
    return ToolResult.error(str(error), exception=error)
