"""One form of request for every tool of every agent, and for the agents themselves."""

import json
from collections.abc import Awaitable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from toolkit.agents.foreign import ask, result_of
from toolkit.context import ToolContext, context_of
from toolkit.errors import DefinitionInvalid, ToolUnknown, did_you_mean
from toolkit.keywords import checks_keywords
from toolkit.result import ToolResult


@checks_keywords
@dataclass(frozen=True, slots=True)
class UnifiedRequest:
    """A request to a tool of an agent, or to an agent."""

    target: str
    """``agent.tool``, or ``agent`` to have the agent work on the inputs."""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The tool's arguments, or the task."""
    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What tools find as their ``state``, where the one who handles the request has none for them."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the sender knows it by; ``request_id`` becomes the calls' correlation id, and the result has all of it."""

    def __post_init__(self) -> None:
        for name in ("inputs", "context", "metadata"):
            if not isinstance(value := getattr(self, name), Mapping):
                raise DefinitionInvalid(f"{name} of a request is {value!r}; expected a mapping")

    def within(self, context: ToolContext) -> ToolContext:
        """Return what its tools may use: ``context``, and what the request says where that says nothing."""
        state = dict(self.context) if context.state is None and self.context else context.state
        request_id = self.metadata.get("request_id")
        correlation_id = context.correlation_id if request_id is None else str(request_id)
        return replace(context, state=state, correlation_id=correlation_id)

    def answered(self, result: ToolResult) -> ToolResult:
        """Return the result with what the sender knows the request by."""
        return replace(result, metadata={**result.metadata, **self.metadata})


class Named(Protocol):
    """An agent or a workflow, by which requests find it."""

    @property
    def name(self) -> str:
        """As requests have it."""
        ...


async def handle(
    request: UnifiedRequest,
    agents: Iterable[Named] | Mapping[str, object] | Named,
    *,
    context: ToolContext | None = None,
) -> ToolResult:
    """Have the agent that a request names carry it out, with one of its tools or by itself.

    What goes wrong with a tool is in the result, with its ``exception``; the request's metadata is there too.

    Args:
        request: The request.
        agents: Those it may be for, by their names or by those of a mapping: agents, whoever's, and workflows.
        context: What the tools may use.

    Raises:
        ToolUnknown: There is no agent of that name.
        ModelFailed: The agent's model failed.
    """
    if not isinstance(request, UnifiedRequest):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
        raise DefinitionInvalid(f"a request is a UnifiedRequest(target, inputs), not {type(request).__name__}")
    known = by_name(agents)
    owner, tool = resolve(request.target, known)
    agent, within = known[owner], request.within(context_of(context))
    if not tool:
        return request.answered(result_of(await ask(agent, task_of(request.inputs), context=within)))
    call = getattr(agent, "call", None)
    if not callable(call):
        raise ToolUnknown(f"{owner!r} has no tools; expected {owner!r} alone")
    called = cast("Awaitable[ToolResult]", call(tool, request.inputs, context=within))
    return request.answered(await called)


def task_of(inputs: Mapping[str, Any]) -> str:
    """Return inputs that are for no tool as a task: the one text in them, or all of them."""
    [*values] = inputs.values()
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return json.dumps(dict(inputs), ensure_ascii=False, default=str)


def resolve(target: str, owners: Collection[str]) -> tuple[str, str]:
    """Return whom ``target`` is for, and which tool of it, "" for none; names may have dots, so the longest counts."""
    parts = target.split(".")
    for end in range(len(parts), 0, -1):
        if (owner := ".".join(parts[:end])) in owners:
            return owner, ".".join(parts[end:])
    near = did_you_mean(parts[0], owners)
    raise ToolUnknown(f"there is no agent {parts[0]!r}{near} (there are: {', '.join(map(repr, owners)) or 'none'})")


def by_name(agents: object) -> dict[str, Any]:
    """Return agents by their names: several, one alone, or a mapping by names of its own."""
    if isinstance(agents, Mapping):
        return dict(cast("Mapping[str, Any]", agents))
    several = cast("Iterable[Any]", agents) if isinstance(agents, Iterable) else [agents]
    named: dict[str, Any] = {}
    for agent in several:
        if isinstance(agent, type) or not isinstance(name := getattr(agent, "name", None), str):
            raise DefinitionInvalid(f"{agent!r} is not an agent with a name; expected agents, or names with them")
        if name in named:
            raise DefinitionInvalid(f"two agents are called {name!r}")
        named[name] = agent
    return named
