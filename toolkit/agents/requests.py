"""One form of request for every tool of every agent, and for the agents themselves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, cast

from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.result import ToolResult

_FIELDS = ("target", "inputs", "context", "metadata")


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

    @classmethod
    def parse(cls, shape: object) -> Self:
        """Read a request from what JSON has for it.

        Raises:
            DefinitionInvalid: Something is missing, of the wrong type, or unknown.
        """
        if not isinstance(shape, Mapping):
            raise DefinitionInvalid(f"a request must be a JSON object, not {type(shape).__name__}")
        given = cast("Mapping[str, Any]", shape)
        if unknown := [key for key in given if key not in _FIELDS]:
            raise DefinitionInvalid(f"unknown field {unknown[0]!r} in a request; allowed: {', '.join(_FIELDS)}")
        if not isinstance(given.get("target"), str) or not given["target"]:
            raise DefinitionInvalid("a request needs a 'target', as in 'agent.tool' or 'agent'")
        for key in _FIELDS[1:]:
            if not isinstance(given.get(key, {}), Mapping):
                raise DefinitionInvalid(f"{key!r} of a request must be a JSON object")
        return cls(**{key: given[key] for key in _FIELDS if key in given})


class Handles(Protocol):
    """Carries out requests: an agent, or a set of tools with a name."""

    @property
    def name(self) -> str:
        """By which requests find it."""
        ...

    def definitions(self) -> list[ToolDefinition]:
        """Return what each of its tools is."""
        ...

    async def handle(self, request: UnifiedRequest, *, context: ToolContext | None = None) -> ToolResult:
        """Carry out one request."""
        ...


async def handle(
    request: UnifiedRequest, agents: Iterable[Handles], *, context: ToolContext | None = None
) -> ToolResult:
    """Have the agent that a request names carry it out.

    Args:
        request: The request.
        agents: Those it may be for.
        context: What the tools may use.

    Raises:
        ToolUnknown: There is no agent of that name.
        ModelFailed: The agent's model failed.
    """
    known = {each.name: each for each in agents}
    agent = next((known[name] for name in _names(request.target) if name in known), None)
    if agent is None:
        raise ToolUnknown(f"nobody is called {request.target!r}; known: {', '.join(known) or 'nobody'}")
    given = context or ToolContext()
    request_id = request.metadata.get("request_id")
    given = replace(
        given,
        state=dict(request.context) if given.state is None and request.context else given.state,
        correlation_id=given.correlation_id if request_id is None else str(request_id),
    )
    result = await agent.handle(request, context=given)
    return replace(result, metadata={**result.metadata, **request.metadata})


def _names(target: str) -> list[str]:
    """Return whom a target may be for, the longest name first, as names may have dots."""
    parts = target.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
