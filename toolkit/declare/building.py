"""Makes agents of declarations: loads what they name, which runs it, and puts the agents together."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from toolkit.adapters import as_tools
from toolkit.agents import Agent, AgentTool
from toolkit.agents.options import SharedOptions
from toolkit.agents.thread import History
from toolkit.context import ToolContext
from toolkit.declare.cards import read_text
from toolkit.declare.config import AgentConfig
from toolkit.errors import CardInvalid, CardProblem, DefinitionInvalid, ToolkitError, did_you_mean
from toolkit.functions.loading import load, load_callable
from toolkit.mcp.servers import McpServers
from toolkit.mcp.tools import McpTool
from toolkit.middleware.checks import check_model_hook, check_tool_hook
from toolkit.middleware.contexts import ModelHook, ToolHook
from toolkit.model import Message, Model
from toolkit.models.named import as_model, models_named
from toolkit.tool_class import Tool

_ROLES: dict[str, Literal["user", "assistant"]] = {"---USER": "user", "---ASSISTANT": "assistant"}
_KNOWN = ("system", "user", "assistant", "tool")


def read_messages(path: Path) -> list[Message]:
    """Read a JSON list of chat messages, or text whose lines ``---USER`` and ``---ASSISTANT`` say who speaks next.

    Raises:
        CardInvalid: It is neither.
    """
    text = read_text(path)
    return _from_json(text, str(path)) if path.suffix.lower() == ".json" else _from_text(text)


def _from_text(text: str) -> list[Message]:
    parts: list[tuple[Literal["user", "assistant"], list[str]]] = [("user", [])]
    for line in text.splitlines():
        role = _ROLES.get(line.strip())
        if role is None:
            parts[-1][1].append(line)
        else:
            parts.append((role, []))
    messages: list[Message] = [{"role": role, "content": "\n".join(lines).strip()} for role, lines in parts]
    return [each for each in messages if each.get("content")]


def _from_json(text: str, source: str) -> list[Message]:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise CardInvalid((CardProblem(source, line, f"not valid JSON: {error}"),)) from error
    if isinstance(found, dict):
        found = cast("dict[str, Any]", found).get("messages")
    if not isinstance(found, list) or not all(map(_is_message, cast("list[object]", found))):
        message = f"expected a list of chat messages, each with a role ({', '.join(_KNOWN)}) and content"
        raise CardInvalid((CardProblem(source, 1, message),))
    return cast("list[Message]", found)


def _is_message(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    message = cast("dict[str, object]", value)
    return message.get("role") in _KNOWN and isinstance(message.get("content"), str)


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


@dataclass(frozen=True, slots=True)
class ServerTools:
    """The tools that one agent has of servers that several agents share."""

    servers: McpServers
    config: AgentConfig

    async def tools(self) -> list[McpTool]:
        """Return those of its servers, in the order of its servers, without what its filters leave out."""
        offered = await self.servers.tools()
        return [each for name in self.config.servers for each in offered if self._wants(name, each)]

    async def check(self) -> None:
        """See that the filters name tools that are there.

        Raises:
            CardInvalid: One does not.
            DefinitionInvalid: The same of a decorator.
        """
        offered = await self.servers.tools()
        for name, wanted in self.config.tools.items():
            there = [each.remote_name for each in offered if each.server_name == name]
            # A server that may be missing, and is, offers nothing.
            for tool in wanted if there else ():
                if tool not in there:
                    near = did_you_mean(tool, there)
                    said = f"tools: server {name!r} has no tool {tool!r}{near}; it has {', '.join(there)}"
                    raise refusal([self.config.origin.problem(said, "tools")], [self.config])

    def _wants(self, server: str, tool: McpTool) -> bool:
        wanted = self.config.tools.get(server)
        return tool.server_name == server and (wanted is None or tool.remote_name in wanted)


@dataclass(slots=True)
class Models:
    """Finds each agent's model."""

    for_all: Model | str | None = None
    """Goes before what an agent names."""
    otherwise: Model | str | None = None
    """For agents that name none."""
    base_path: Path | None = None
    """Where a relative path in ``otherwise`` begins."""
    _known: dict[tuple[str, Path | None], Callable[[str], Model]] = field(
        default_factory=dict[tuple[str, Path | None], Callable[[str], Model]]
    )

    def of(self, config: AgentConfig) -> Model | None:
        """Return the model of an agent, or None where nothing says which.

        Raises:
            ToolkitError: What says so names none.
        """
        if self.for_all is not None:
            return self._made(self.for_all, None, config.name)
        if config.model is not None:
            return self._made(config.model, config.origin.base_path, config.name)
        return None if self.otherwise is None else self._made(self.otherwise, self.base_path, config.name)

    def _made(self, model: Model | str, base_path: Path | None, agent: str) -> Model:
        if not isinstance(model, str):
            return as_model(model, agent)
        key = (model, base_path)
        if key not in self._known:
            self._known[key] = models_named(model, base_path)
        return self._known[key](agent)


def build(
    configs: Sequence[AgentConfig],
    parts: Mapping[str, Parts],
    servers: McpServers,
    models: Models,
    context: ToolContext | None = None,
) -> dict[str, Agent]:
    """Return an agent for each declaration, by name, in the order of the declarations.

    Raises:
        CardInvalid: A card's model is none.
        DefinitionInvalid: The same of a decorator.
    """
    by_name = {each.name: each for each in configs}
    made: dict[str, Agent] = {}

    def agent(name: str) -> Agent:
        if name not in made:
            config = by_name[name]
            children = [_child(agent(child), config) for child in config.agents]
            made[name] = _agent(
                config, parts[name], [*_supply(config, servers), *children], _model(models, config), context
            )
        return made[name]

    return {each.name: agent(each.name) for each in configs}


def _supply(config: AgentConfig, servers: McpServers) -> list[ServerTools]:
    return [ServerTools(servers, config)] if config.servers else []


def _child(agent: Agent, parent: AgentConfig) -> AgentTool:
    history = History(parent.history_source, parent.history_merge_target)
    described = agent.description or agent.instruction
    return AgentTool(agent, description=described, thread=history, timeout_s=parent.child_timeout_sec)


def _agent(
    config: AgentConfig, parts: Parts, tools: list[object], model: Model | None, context: ToolContext | None
) -> Agent:
    kind: type[Agent] = config.agent_class or Agent
    options: SharedOptions = {**config.options(), "tool_hooks": parts.tool_hooks, "model_hooks": parts.model_hooks}
    return kind(
        config.name,
        instruction=config.instruction,
        model=model,
        tools=[*parts.tools, *tools],
        context=context,
        messages=parts.messages,
        **options,
    )


def _model(models: Models, config: AgentConfig) -> Model | None:
    try:
        return models.of(config)
    except ToolkitError as error:
        if models.for_all is None and config.model is not None:
            raise refusal([config.origin.problem(f"model: {error}", "model")], [config]) from error
        raise


def refusal(problems: Sequence[CardProblem], configs: Sequence[AgentConfig]) -> ToolkitError:
    """Return the error for ``problems``: one of cards if a card has any, else one of Python declarations."""
    cards = {each.origin.source for each in configs if each.origin.is_card}
    python = {each.origin.source for each in configs if not each.origin.is_card}
    if any(each.source in cards or each.source not in python for each in problems):
        return CardInvalid(tuple(problems))
    return DefinitionInvalid(str(problems[0]))
