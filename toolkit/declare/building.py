"""Makes agents of declarations that were found to be right."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toolkit.agents import Agent, AgentTool
from toolkit.agents.thread import History
from toolkit.context import ToolContext
from toolkit.declare.config import AgentConfig
from toolkit.declare.parts import Parts
from toolkit.errors import CardInvalid, CardProblem, DefinitionInvalid, ToolkitError, did_you_mean
from toolkit.mcp.servers import McpServers
from toolkit.mcp.tools import McpTool
from toolkit.model import Model
from toolkit.models.named import models_named


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
            return model
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
    return kind(
        config.name,
        instruction=config.instruction,
        description=config.description,
        model=model,
        tools=[*parts.tools, *tools],
        tool_hooks=parts.tool_hooks,
        model_hooks=parts.model_hooks,
        max_turns=config.max_turns,
        max_parallel=config.max_parallel,
        context=context,
        messages=parts.messages,
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
