"""What can be wrong between agents that are each declared correctly."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolkit.declare.config import AgentConfig
from toolkit.errors import CardProblem, did_you_mean


def problems_between(configs: Sequence[AgentConfig], servers: Iterable[str]) -> list[CardProblem]:
    """Return what keeps these agents from working together, with these MCP servers configured."""
    by_name = {each.name: each for each in configs}
    return [
        *_duplicates(configs),
        *_defaults(configs),
        *_references(configs, by_name, sorted(servers)),
        *_messages(configs, by_name),
        *_cycles(by_name),
    ]


def default_of(configs: Sequence[AgentConfig]) -> AgentConfig:
    """Return the agent that messages go to: the one that says so, or the first that is nobody's child, or the first."""
    children = {child for each in configs for child in each.agents}
    said = [each for each in configs if each.default]
    return (said or [each for each in configs if each.name not in children] or list(configs))[0]


def _duplicates(configs: Sequence[AgentConfig]) -> Iterator[CardProblem]:
    first: dict[str, AgentConfig] = {}
    for each in configs:
        known = first.setdefault(each.name, each)
        if known is not each:
            place = known.origin.problem("", "name")
            yield each.origin.problem(
                f"a second agent is named {each.name!r}; the first is in {place.source}:{place.line}", "name"
            )


def _defaults(configs: Sequence[AgentConfig]) -> Iterator[CardProblem]:
    first, *others = [each for each in configs if each.default] or [None]
    for each in others:
        assert first is not None
        assert each is not None
        yield each.origin.problem(f"default: {first.name!r} is the default already; only one can be", "default")


def _references(
    configs: Sequence[AgentConfig], by_name: Mapping[str, AgentConfig], servers: Sequence[str]
) -> Iterator[CardProblem]:
    for each in configs:
        for name in each.agents:
            if name not in by_name:
                known = ", ".join(sorted(by_name))
                yield each.origin.problem(
                    f"agents: there is no agent {name!r}{did_you_mean(name, by_name)}; declared: {known}", "agents"
                )
        for name in each.servers:
            if name not in servers:
                known = f"configured: {', '.join(servers)}" if servers else "none is configured"
                yield each.origin.problem(
                    f"servers: there is no server {name!r}{did_you_mean(name, servers)}; {known}", "servers"
                )
        for name in each.tools:
            if name not in each.servers:
                yield each.origin.problem(f"tools: {name!r} is not one of its servers; add it to servers", "tools")


def _messages(configs: Sequence[AgentConfig], by_name: Mapping[str, AgentConfig]) -> Iterator[CardProblem]:
    for each in configs:
        if each.history_source == "messages":
            for name in each.agents:
                if name in by_name and not by_name[name].messages:
                    yield each.origin.problem(
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
