"""What can be said about an agent, once for all places where it is said: Python, decorators and cards."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypedDict

from toolkit.agents.limits import Limits
from toolkit.context import ToolContext
from toolkit.middleware.contexts import ModelHook, ToolHook
from toolkit.model import Message


class SharedOptions(TypedDict, total=False):
    """Options of every agent, however it is made."""

    description: str
    """What it does, for agents that have it as a tool."""
    tool_hooks: Sequence[ToolHook | str]
    """Middleware around every tool call, the first one outermost: functions, or ``module.py:function``."""
    model_hooks: Sequence[ModelHook | str]
    """Middleware around every model call, the first one outermost: functions, or ``module.py:function``."""
    max_turns: int
    """How often its model may be asked in one run; 20 by default."""
    max_parallel: int | None
    """How many of its tools may work at a time; None for all that the model calls at once."""
    limits: Limits | None
    """What a run may come to, with the agents that it calls; the defaults of ``Limits`` unless given."""


class AgentOptions(SharedOptions, total=False):
    """What ``Agent`` takes beside its name, its instruction and its model."""

    tools: Iterable[object] | Callable[..., Any]
    """What ``ToolNode`` takes: functions, ``Tool`` objects, MCP servers; and other agents, as ``AgentTool``."""
    context: ToolContext | None
    """What the tools may use; a run's own context goes before."""
    messages: Sequence[Message]
    """What each conversation begins with."""
    output: Any
    """The type of its answer, such as a pydantic model or a dataclass: ``AgentResult.output`` is a value of it."""
