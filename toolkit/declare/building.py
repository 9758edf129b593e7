"""Makes agents of declarations: loads what they name, which runs it, and puts the agents together."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from toolkit.adapters import as_tools
from toolkit.agents import Agent, AgentTool
from toolkit.agents.options import SharedOptions
from toolkit.agents.output import Output
from toolkit.agents.thread import History
from toolkit.context import ToolContext
from toolkit.declare.cards import read_text
from toolkit.declare.config import AgentConfig
from toolkit.errors import CardInvalid, CardProblem, DefinitionInvalid, ToolkitError
from toolkit.functions.loading import load, load_callable
from toolkit.mcp.servers import McpServers
from toolkit.mcp.tools import McpTool, wanted_of
from toolkit.middleware.checks import check_tool_hook
from toolkit.middleware.contexts import ToolHook
from toolkit.models.model import Message, Model
from toolkit.models.named import as_model, models_named
from toolkit.tool_class import Tool

_ROLES: dict[str, Literal["user", "assistant"]] = {"---USER": "user", "---ASSISTANT": "assistant"}


def read_messages(path: Path) -> list[Message]:
    """Read the messages in a file, where ``---USER`` and ``---ASSISTANT`` say who speaks next; first the user."""
    parts: list[tuple[Literal["user", "assistant"], list[str]]] = [("user", [])]
    for line in read_text(path).splitlines():
        role = _ROLES.get(line.strip())
        if role is None:
            parts[-1][1].append(line)
        else:
            parts.append((role, []))
    messages: list[Message] = [{"role": role, "content": "\n".join(lines).strip()} for role, lines in parts]
    return [message for message in messages if message.get("content")]


Source: TypeAlias = Callable[[str], Model]
"""Gives each agent, by its name, its model."""


def source_of(model: Model | str, base_path: Path | None = None) -> Source:
    """Return what gives each agent ``model``, or the one of that name."""
    return models_named(model, base_path) if isinstance(model, str) else lambda agent: as_model(model, agent)


@dataclass(slots=True)
class Models:
    """Finds each agent's model."""

    for_all: Source | None = None
    """Goes before what an agent names."""
    otherwise: Source | None = None
    """For agents that name none."""
    _named: Callable[[str, Path | None], Source] = field(default_factory=lambda: cache(models_named))

    def of(self, config: AgentConfig) -> Model | None:
        """Return the model of an agent, or None where nothing says which."""
        if self.for_all is None and isinstance(config.model, str):
            return self._named(config.model, config.origin.base_path)(config.name)
        if self.for_all is None and config.model is not None:
            return as_model(config.model, config.name)
        source = self.for_all or self.otherwise
        return None if source is None else source(config.name)


@dataclass(slots=True)
class Parts:
    """What one declaration names, loaded."""

    model: Model | None = None
    tools: list[Tool] = field(default_factory=list[Tool])
    options: SharedOptions = field(default_factory=SharedOptions)
    messages: list[Message] = field(default_factory=list[Message])
    problems: list[CardProblem] = field(default_factory=list[CardProblem])
    """Why something is not there."""

    @contextmanager
    def of(self, config: AgentConfig, key: str) -> Generator[None]:
        """Make a problem of the key's line of what the toolkit raises inside."""
        try:
            yield
        except CardInvalid as error:
            self.problems.extend(error.problems)
        except ToolkitError as error:
            self.problems.append(config.origin.problem(f"{key}: {str(error).removeprefix(f'{key}: ')}", key))


def load_parts(config: AgentConfig, models: Models) -> Parts:
    """Load everything that ``config`` names; what cannot be loaded is among the problems, with its line."""
    base, declared = config.origin.base_path, config.options
    tool_hooks: list[ToolHook] = []
    parts = Parts(options={**declared, "tool_hooks": tool_hooks})
    with parts.of(config, "model"):
        parts.model = models.of(config)
    for spec in config.function_tools:
        with parts.of(config, "function_tools"):
            parts.tools.extend(as_tools(load(spec, base) if isinstance(spec, str) else spec))
    for spec in declared.get("tool_hooks", ()):
        with parts.of(config, "tool_hooks"):
            tool_hooks.append(check_tool_hook(load_callable(spec, base)))
    if (spec := declared.get("output")) is not None:
        with parts.of(config, "output"):
            kind = load(spec, base) if isinstance(spec, str) else spec
            _ = Output(kind)  # so that what no answer can be is told with its line
            parts.options["output"] = kind
    for name in config.messages:
        with parts.of(config, "messages"):
            parts.messages.extend(read_messages((base or Path()) / name))
    names = [tool.name for tool in parts.tools]
    for name in sorted({name for name in names if names.count(name) > 1}):
        parts.problems.append(config.origin.problem(f"function_tools: two are called {name!r}", "function_tools"))
    return parts


@dataclass(frozen=True, slots=True)
class ServerTools:
    """The tools that one agent has of servers that several agents share."""

    servers: McpServers
    config: AgentConfig

    async def tools(self) -> list[McpTool]:
        """Return those of its servers, in the order of its servers, without what its filters leave out."""
        offered = wanted_of(await self.servers.tools(), self.config.tools)
        return [tool for name in self.config.servers for tool in offered if tool.server_name == name]

    async def check(self) -> None:
        """See that the filters name tools that are there."""
        try:
            await self.servers.require(self.config.tools)
        except DefinitionInvalid as error:
            raise CardInvalid((self.config.origin.problem(f"tools: {error}", "tools"),)) from error


def build(
    configs: Sequence[AgentConfig],
    parts: Mapping[str, Parts],
    servers: McpServers,
    context: ToolContext | None = None,
) -> dict[str, Agent]:
    """Return an agent for each declaration, by name, in the order of the declarations."""
    by_name = {config.name: config for config in configs}
    agents: dict[str, Agent] = {}

    def agent(name: str) -> Agent:
        if name not in agents:
            config, loaded = by_name[name], parts[name]
            kind: type[Agent] = config.agent_class or Agent
            history = History(config.history_source, config.history_merge_target)
            children = [
                AgentTool(agent(child), thread=history, timeout_s=config.child_timeout_sec) for child in config.agents
            ]
            agents[name] = kind(
                name,
                instruction=config.instruction,
                model=loaded.model,
                tools=[*loaded.tools, *([ServerTools(servers, config)] if config.servers else []), *children],
                context=context,
                messages=loaded.messages,
                **loaded.options,
            )
        return agents[name]

    return {config.name: agent(config.name) for config in configs}
