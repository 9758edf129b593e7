"""What a middleware knows about the call that it wraps."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolkit.definition import ToolSource
from toolkit.middleware.changes import Change
from toolkit.people.asking import Approver
from toolkit.result import ToolResult

ToolCallArgs: TypeAlias = dict[str, Any] | None
"""The arguments of a tool call, for a middleware to change."""

ToolCallFn: TypeAlias = Callable[[ToolCallArgs], Awaitable[ToolResult]]
"""The rest of the chain, or the tool itself."""


@dataclass(frozen=True, slots=True)
class ToolHookContext:
    """Which tool is called, by whom, and under which ids."""

    agent_name: str
    server_name: str | None
    """The MCP server, ``agent`` for an agent behind a tool, the runtime's name for a built-in, None for a function."""
    tool_name: str
    """Its name for the model, with the prefix of the server or agent."""
    tool_source: ToolSource
    tool_use_id: str | None
    """The model's id of the call."""
    correlation_id: str | None
    original_tool_func: ToolCallFn = field(repr=False)
    """The tool without any middleware."""
    call_id: str | None = None
    """The call's id in its hooks; None if no hook has subscribers."""
    approver: Approver | None = field(default=None, repr=False)
    """Asks a person, if the caller named an approver."""
    changes: list[Change] | None = field(default=None, repr=False)
    """Receives what is recorded of the call; None if no hook has subscribers."""


ToolHook: TypeAlias = Callable[[ToolHookContext, ToolCallArgs, ToolCallFn], Awaitable[Any]]
"""A middleware around tool calls: before, instead or after. It returns a result, or what ``ToolResult.of`` reads."""
