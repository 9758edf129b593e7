"""What can be wrong with agents that are each declared correctly: between them, and with what they need here."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from toolkit.declare.config import AgentConfig
from toolkit.declare.settings import Settings
from toolkit.errors import CardProblem, ToolkitError, did_you_mean
from toolkit.extras import need, need_mcp
from toolkit.mcp.places import Place, StdioServer
from toolkit.mcp.servers import NEEDED_FOR
from toolkit.model import Model
from toolkit.models.named import models_named

Tell = Callable[[str], CardProblem]
"""Makes a problem of what is wrong with one key."""


def problems_of_models(
    configs: Iterable[AgentConfig], model: Model | str | None, settings: Settings
) -> Iterator[CardProblem]:
    """Return which agents name a model that there is not; ``model`` goes before that of the settings."""
    for config in configs:
        spec, base_path, tell = config.model, config.origin.base_path, _of_agent(config, "model")
        if spec is None:
            spec, base_path = (model, None) if model is not None else (settings.default_model, settings.base_path)
            if model is None and settings.document is not None:
                tell = _of_settings(settings, "default_model")
        if isinstance(spec, str) and (problem := _wrong_with(spec, base_path, config.name)):
            yield tell(problem)


def problems_of_servers(
    configs: Sequence[AgentConfig], places: Mapping[str, Place], settings: Settings
) -> Iterator[CardProblem]:
    """Return which servers of the agents cannot be started here."""
    users = {name: config for config in reversed(configs) for name in config.servers if name in places}
    try:
        if users:
            need_mcp(NEEDED_FOR)
    except ToolkitError as error:
        yield _of_agent(next(reversed(users.values())), "servers")(str(error))
    for name, config in users.items():
        place = places[name]
        if isinstance(place, StdioServer) and not _is_there(place):
            is_in_file = settings.servers.get(name) is place
            tell = _of_settings(settings, "mcp", "servers", name) if is_in_file else _of_agent(config, "servers")
            yield tell(f"there is no program {place.command!r}")


def _wrong_with(spec: str, base_path: Path | None, agent: str) -> str | None:
    try:
        models_named(spec, base_path)(agent)
        if spec.startswith("openai:"):
            need("openai", extra="openai", purpose=f"the model {spec}")
    except ToolkitError as error:
        return str(error)
    return None


def _is_there(place: StdioServer) -> bool:
    # As the operating system does it: a path is looked up from the server's own folder.
    is_path = "/" in place.command or os.sep in place.command
    command = str(Path(place.cwd or ".") / place.command) if is_path else place.command
    return shutil.which(command, path=place.env.get("PATH")) is not None


def _of_agent(config: AgentConfig, key: str) -> Tell:
    return lambda message: config.origin.problem(f"{key}: {message}", key)


def _of_settings(settings: Settings, *path: str) -> Tell:
    def tell(message: str) -> CardProblem:
        assert settings.document is not None
        return settings.document.problem(f"{path[-1]}: {message}", *path)

    return tell


def problems_between(configs: Sequence[AgentConfig], servers: Iterable[str]) -> list[CardProblem]:
    """Return what keeps these agents from working together, with these MCP servers configured."""
    by_name = {config.name: config for config in configs}
    return [
        *_duplicates(configs),
        *_defaults(configs),
        *_references(configs, by_name, sorted(servers)),
        *_messages(configs, by_name),
        *_cycles(by_name),
    ]


def default_of(configs: Sequence[AgentConfig]) -> AgentConfig:
    """Return the agent that messages go to: the one that says so, or the first that is nobody's child, or the first."""
    children = {child for config in configs for child in config.agents}
    defaults = [config for config in configs if config.default]
    return (defaults or [config for config in configs if config.name not in children] or list(configs))[0]


def _duplicates(configs: Sequence[AgentConfig]) -> Iterator[CardProblem]:
    first: dict[str, AgentConfig] = {}
    for config in configs:
        known = first.setdefault(config.name, config)
        if known is not config:
            place = known.origin.problem("", "name")
            yield config.origin.problem(
                f"a second agent is named {config.name!r}; the first is in {place.source}:{place.line}", "name"
            )


def _defaults(configs: Sequence[AgentConfig]) -> Iterator[CardProblem]:
    first, *others = [config for config in configs if config.default] or [None]
    for config in others:
        assert first is not None
        assert config is not None
        yield config.origin.problem(f"default: {first.name!r} is the default already; only one can be", "default")


def _references(
    configs: Sequence[AgentConfig], by_name: Mapping[str, AgentConfig], servers: Sequence[str]
) -> Iterator[CardProblem]:
    for config in configs:
        for name in config.agents:
            if name not in by_name:
                known = ", ".join(sorted(by_name))
                yield config.origin.problem(
                    f"agents: there is no agent {name!r}{did_you_mean(name, by_name)}; declared: {known}", "agents"
                )
        for name in config.servers:
            if name not in servers:
                known = f"configured: {', '.join(servers)}" if servers else "none is configured"
                yield config.origin.problem(
                    f"servers: there is no server {name!r}{did_you_mean(name, servers)}; {known}", "servers"
                )
        for name in config.tools:
            if name not in config.servers:
                yield config.origin.problem(f"tools: {name!r} is not one of its servers; add it to servers", "tools")


def _messages(configs: Sequence[AgentConfig], by_name: Mapping[str, AgentConfig]) -> Iterator[CardProblem]:
    for config in configs:
        if config.history_source == "messages":
            for name in config.agents:
                if name in by_name and not by_name[name].messages:
                    yield config.origin.problem(
                        f"history_source: messages needs agents that have messages; {name!r} has none", "history_source"
                    )


def _cycles(by_name: Mapping[str, AgentConfig]) -> Iterator[CardProblem]:
    done: set[str] = set()

    def visit(name: str, above: list[str]) -> Iterator[CardProblem]:
        if name in above:
            circle = " -> ".join([*above[above.index(name) :], name])
            yield by_name[above[-1]].origin.problem(f"agents: a circle, {circle}", "agents")
        elif name in by_name and name not in done:
            for child in by_name[name].agents:
                yield from visit(child, [*above, name])
            done.add(name)

    for name in by_name:
        yield from visit(name, [])
