"""Loads what a declaration names: functions, middleware and messages. This runs the files that are named."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolkit.adapters import as_tools
from toolkit.declare.config import AgentConfig
from toolkit.declare.history import read_messages
from toolkit.errors import CardInvalid, CardProblem, ToolkitError
from toolkit.loading import check_model_hook, check_tool_hook, load, load_callable
from toolkit.middleware.contexts import ModelHook, ToolHook
from toolkit.model import Message
from toolkit.tool_class import Tool


@dataclass(slots=True)
class Parts:
    """What one declaration names, loaded."""

    tools: list[Tool] = field(default_factory=list[Tool])
    tool_hooks: list[ToolHook] = field(default_factory=list[ToolHook])
    model_hooks: list[ModelHook] = field(default_factory=list[ModelHook])
    messages: list[Message] = field(default_factory=list[Message])
    problems: list[CardProblem] = field(default_factory=list[CardProblem])
    """Why something is not there."""


def load_parts(config: AgentConfig) -> Parts:
    """Load everything that ``config`` names; what cannot be loaded is among the problems, with its line."""
    parts = Parts()
    base = config.origin.base_path

    def function(spec: object) -> Any:
        return load_callable(spec, base) if isinstance(spec, str) else spec

    for spec in config.function_tools:
        with _Telling(parts, config, "function_tools"):
            parts.tools.extend(as_tools(load(spec, base) if isinstance(spec, str) else spec))
    for spec in config.tool_hooks:
        with _Telling(parts, config, "tool_hooks"):
            parts.tool_hooks.append(check_tool_hook(function(spec)))
    for spec in config.model_hooks:
        with _Telling(parts, config, "model_hooks"):
            parts.model_hooks.append(check_model_hook(function(spec)))
    for name in config.messages:
        with _Telling(parts, config, "messages"):
            parts.messages.extend(read_messages((base or Path()) / name))
    _find_namesakes(parts, config)
    return parts


def _find_namesakes(parts: Parts, config: AgentConfig) -> None:
    seen: set[str] = set()
    for tool in parts.tools:
        if tool.name in seen:
            parts.problems.append(
                config.origin.problem(f"function_tools: two are called {tool.name!r}", "function_tools")
            )
        seen.add(tool.name)


@dataclass(frozen=True, slots=True)
class _Telling:
    """Makes a problem of the key's line of what the toolkit raises inside."""

    parts: Parts
    config: AgentConfig
    key: str

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        match error:
            case CardInvalid(problems=problems):
                self.parts.problems.extend(problems)
            case ToolkitError():
                said = str(error).removeprefix(f"{self.key}: ")
                self.parts.problems.append(self.config.origin.problem(f"{self.key}: {said}", self.key))
            case _:
                return False
        return True
