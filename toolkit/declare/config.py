"""What is declared about an agent, the same for a decorator and a card."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from toolkit.agents.thread import HistoryMergeTarget, HistorySource
from toolkit.errors import CardProblem
from toolkit.middleware.contexts import ModelHook, ToolHook
from toolkit.model import Model
from toolkit.tool_class import Tool

Spec: TypeAlias = str
"""A function in a file, as in ``tools.py:add_one``."""

_NO_LINES: Mapping[str, int] = MappingProxyType({})
_NO_FILTERS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def _no_filters() -> Mapping[str, tuple[str, ...]]:
    return _NO_FILTERS


def _no_lines() -> Mapping[str, int]:
    return _NO_LINES


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an agent was declared."""

    source: str = "<python>"
    """The file or address."""
    line: int = 1
    lines: Mapping[str, int] = field(default_factory=_no_lines)
    """Line of each key, where they are known."""
    base_path: Path | None = None
    """What relative paths are relative to; None for the working directory."""
    is_card: bool = False
    is_remote: bool = False

    def problem(self, message: str, key: str = "") -> CardProblem:
        """Return ``message`` as a problem of ``key``."""
        return CardProblem(self.source, self.lines.get(key, self.line), message)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """One declared agent; nothing in it is loaded, connected or checked against other agents yet."""

    name: str
    instruction: str
    description: str = ""
    """For the agents that have this one as a tool."""
    default: bool = False
    """Whether the application's messages go to it; the first one declared is, where none says so."""
    model: Model | str | None = None
    """A model, or ``scripted:FILE`` or ``openai:NAME``; None for the application's."""
    servers: tuple[str, ...] = ()
    """Names of configured MCP servers."""
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=_no_filters)
    """By server, the tools that are offered of it; all of them for a server that is not named here."""
    function_tools: tuple[Tool | Callable[..., Any] | Spec, ...] = ()
    agents: tuple[str, ...] = ()
    """Names of the agents that it has as the tools ``agent__<name>``."""
    tool_hooks: tuple[ToolHook | Spec, ...] = ()
    """Middleware around every tool call, the first one outermost."""
    model_hooks: tuple[ModelHook | Spec, ...] = ()
    use_history: bool = True
    """Whether one message to it remembers those before."""
    messages: tuple[str, ...] = ()
    """Files with the messages that its conversation begins with."""
    history_source: HistorySource = "none"
    history_merge_target: HistoryMergeTarget = "none"
    max_parallel: int | None = None
    """How many of its tools work at once; None for all that are called."""
    child_timeout_sec: float | None = None
    """How long a call of a child agent may take; None for ever."""
    max_display_instances: int = 20
    """How many children that work at once are shown one by one."""
    max_turns: int = 20
    agent_class: type[Any] | None = None
    """What is made of it, from ``fast.custom``; None for ``toolkit.agents.Agent``."""
    origin: Origin = field(default_factory=Origin, compare=False)
