"""``fast``: agents declared with decorators and cards, and run together."""

import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar, Unpack

from toolkit.agents import Agent
from toolkit.context import ToolContext
from toolkit.declare.building import Models, Parts, ServerTools, build, load_parts, source_of
from toolkit.declare.cards import load_cards, read_text
from toolkit.declare.checks import default_of, problems_between
from toolkit.declare.config import AgentConfig, Declared, Origin, read_config
from toolkit.declare.running import RunningAgent, RunningAgents, unknown_agent
from toolkit.declare.settings import Settings, find_settings, read_settings
from toolkit.errors import CardInvalid, CardProblem, DefinitionInvalid, ToolkitError
from toolkit.keywords import checks_keywords
from toolkit.mcp.places import Place
from toolkit.mcp.servers import McpServers
from toolkit.models.model import Model
from toolkit.schemas.reading import Misfit
from toolkit.tool_class import Tool

_NO_MODEL = "no model; name one here, for all agents as default_model in the settings, or when they are run"

HELPFUL = "You are a helpful agent."
"""What a model is told by those who say nothing else."""

F = TypeVar("F", bound=Callable[..., Any])


@checks_keywords
class FastAgent:
    """Declared agents, their servers and their model.

    Args:
        name: The application's name, for messages and records.
        servers: MCP servers by the names that agents use; they go before those of the file of settings.
        model: For agents that name none, a model or ``scripted:FILE`` or ``openai:NAME``; it goes before the file's.
        config: The file of settings. By default ``fastagent.config.yaml`` or ``fast-agent.yaml`` of the folder of the
            first cards, or of the working directory, if there is one.
        context: What the agents' tools may use.
        base_path: Where relative paths in decorators begin, the working directory by default.
    """

    def __init__(
        self,
        name: str,
        *,
        servers: Mapping[str, Place] | None = None,
        model: Model | str | None = None,
        config: str | Path | None = None,
        context: ToolContext | None = None,
        base_path: str | Path | None = None,
    ) -> None:
        if not isinstance(servers or {}, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            kind = type(servers).__name__
            raise DefinitionInvalid(f"FastAgent takes servers by name, as in {{'time': StdioServer(…)}}, not {kind}")
        self.name = name
        self.configs: list[AgentConfig] = []
        """What was declared so far, in order."""
        self._servers = dict(servers or {})
        self._model = model
        self._config = None if config is None else Path(config)
        self._context = context
        self._base_path = None if base_path is None else Path(base_path)

    def agent(
        self, name: str = "default", instruction: str | Path = HELPFUL, **declared: Unpack[Declared]
    ) -> Callable[[F], F]:
        """Declare an agent; the decorated function stays what it is.

        An ``instruction`` that is a path is read; ``AgentConfig`` says what else there is.
        """
        return self._declare(name, instruction, declared, None)

    def custom(
        self,
        cls: type[Agent],
        name: str = "default",
        instruction: str | Path = HELPFUL,
        **declared: Unpack[Declared],
    ) -> Callable[[F], F]:
        """Declare an agent of your own class, which is made with the arguments of ``Agent``."""
        kind: Any = cls
        if not (isinstance(kind, type) and issubclass(kind, Agent)):
            raise DefinitionInvalid(f"{cls!r} is not an agent; expected a subclass of toolkit.Agent")
        return self._declare(name, instruction, declared, cls)

    def load_agents(self, place: str | Path) -> list[str]:
        """Declare what is in a card, a folder of cards, or a card at an address, and return the names."""
        cards = load_cards(place)
        self.configs.extend(cards)
        return [card.name for card in cards]

    def check(self) -> list[CardProblem]:
        """Return all that keeps the agents from running, as far as it is known once what they name is loaded."""
        settings = self._settings()
        try:
            models, problems = self._models(settings), ()
        except CardInvalid as error:
            models, problems = Models(), error.problems
        return [*problems, *self._loaded(self.configs, settings, models)[1]]

    async def tools(self, agent: str | None = None) -> list[Tool]:
        """Return the tools that an agent's model is offered; it raises what ``run`` does, but needs no model.

        Args:
            agent: Its name; the default agent's by default.
        """
        configs = self._wanted(agent)
        async with self._started(configs, self._settings(), Models()) as agents:
            return await agents[configs[0].name].node.tools()

    @asynccontextmanager
    async def run(self, *, model: Model | str | None = None, agent: str | None = None) -> AsyncGenerator[RunningAgents]:
        """Start the servers and yield the agents; both are gone afterwards.

        Args:
            model: For all agents, also those that name one.
            agent: Who messages go to, instead of the default agent; then only it and the agents below it are started.

        Raises:
            CardInvalid: Something is wrong with an agent, whether of a card or a decorator, or in the file of settings.
            DefinitionInvalid: Nobody is declared, or nobody has that name.
            ServerFailed: A server cannot be started or reached.
        """
        settings = self._settings()
        configs = self.configs if agent is None and self.configs else self._wanted(agent)
        default = default_of(configs).name if agent is None else agent
        models = self._models(settings, model)
        async with self._started(configs, settings, models) as agents:
            silent = [config for config in configs if agents[config.name].model is None]
            if silent:
                raise CardInvalid(
                    tuple(config.origin.problem(f"{config.name} has {_NO_MODEL}", "name") for config in silent)
                )
            yield RunningAgents({config.name: RunningAgent(agents[config.name], config) for config in configs}, default)

    @asynccontextmanager
    async def _started(
        self, configs: Sequence[AgentConfig], settings: Settings, models: Models
    ) -> AsyncGenerator[dict[str, Agent]]:
        parts, problems = self._loaded(configs, settings, models)
        if problems:
            raise CardInvalid(tuple(problems))
        used = {name for config in configs for name in config.servers}
        places = {name: at for name, at in self._places(settings).items() if name in used}
        approver = None if self._context is None else self._context.approver
        servers = McpServers(places, approver=approver)
        agents = build(configs, parts, servers, self._context)
        async with AsyncExitStack() as stack:
            if used:
                await stack.enter_async_context(servers)
                for config in configs:
                    await ServerTools(servers, config).check()
            yield agents

    def _declare(
        self, name: str, instruction: str | Path, declared: Mapping[str, Any], cls: type[Agent] | None
    ) -> Callable[[F], F]:
        if callable(name):
            raise DefinitionInvalid("an agent needs a name before its function: @fast.agent('Name', 'Instruction')")
        # Of several decorators the function has the line of the first.
        caller = sys._getframe(2)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - whoever wrote the decorator
        origin = Origin(caller.f_code.co_filename, caller.f_lineno, base_path=self._base_path)
        text = read_text(instruction).strip() if isinstance(instruction, Path) else instruction
        values = {"name": name, "instruction": text, **declared}
        try:
            config = read_config(AgentConfig, {key: value for key, value in values.items() if value is not None})
        except Misfit as error:
            raise DefinitionInvalid(f"agent {name!r}: {error}") from None

        def decorate(function: F) -> F:
            self.configs.append(config.model_copy(update={"agent_class": cls, "origin": origin}))
            return function

        return decorate

    def _settings(self) -> Settings:
        folders = [config.origin.base_path for config in self.configs if config.origin.is_card]
        near = [folder for folder in folders[:1] if folder is not None]
        path = self._config or find_settings(*near, Path.cwd())
        return Settings() if path is None else read_settings(path)

    def _places(self, settings: Settings) -> dict[str, Place]:
        return {**settings.servers, **self._servers}

    def _models(self, settings: Settings, for_all: Model | str | None = None) -> Models:
        models = Models(None if for_all is None else source_of(for_all))
        if self._model is not None:
            models.otherwise = source_of(self._model)
        elif settings.document is not None and settings.default_model is not None:
            try:
                models.otherwise = source_of(settings.default_model, settings.base_path)
            except ToolkitError as error:
                problem = settings.document.problem(f"default_model: {error}", "default_model")
                raise CardInvalid((problem,)) from error
        return models

    def _loaded(
        self, configs: Sequence[AgentConfig], settings: Settings, models: Models
    ) -> tuple[dict[str, Parts], list[CardProblem]]:
        """Return what the agents name, and all that is wrong between them and with that."""
        parts = {config.name: load_parts(config, models) for config in configs}
        wrong = [problem for loaded in parts.values() for problem in loaded.problems]
        return parts, [*problems_between(self.configs, self._places(settings)), *wrong]

    def _wanted(self, agent: str | None) -> list[AgentConfig]:
        """Return an agent, by default the default agent, and those below it."""
        if not self.configs:
            raise DefinitionInvalid(f"{self.name}: no agent is declared; use @fast.agent(…) or fast.load_agents(…)")
        by_name = {config.name: config for config in self.configs}
        first = default_of(self.configs).name if agent is None else agent
        if first not in by_name:
            raise unknown_agent(first, by_name)
        names = [first]
        # It grows while it is gone through.
        for name in names:
            names += [child for child in by_name[name].agents if child in by_name and child not in names]
        return [by_name[name] for name in names]
