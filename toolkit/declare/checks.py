"""What can be wrong between agents that are each declared correctly."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolkit.declare.config import AgentConfig
from toolkit.errors import CardProblem, did_you_mean


def problems_between(configs: Sequence[AgentConfig], servers: Iterable[str]) -> list[CardProblem]:
    """Return what keeps these agents from working together, with these MCP servers configured."""
    by_name = {config.name: config for config in configs}
    return [
        *_duplicates(configs),
        *_defaults(configs),
        *_references(configs, by_name, sorted(servers)),
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
    defaults = [config for config in configs if config.default]
    for config in defaults[1:]:
        yield config.origin.problem(f"default: {defaults[0].name!r} is the default already; only one can be", "default")


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
