"""One form of request for every tool of every agent, and for the agents themselves."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self

from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.extras import need
from toolkit.result import ToolResult


@dataclass(frozen=True, slots=True)
class UnifiedRequest:
    """A request to a tool of an agent, or to an agent."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

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
            ExtraMissing: ``pydantic`` is not installed.
        """
        need("pydantic", extra="toolkit", purpose="reading a request")
        from toolkit.schemas.reading import Misfit, Words, read

        try:
            return read(cls, shape, Words(lambda _: ("target", "inputs", "context", "metadata")))
        except Misfit as error:
            raise DefinitionInvalid(f"a request cannot be read: {error}") from None

    def within(self, context: ToolContext) -> ToolContext:
        """Return what its tools may use: ``context``, and what the request says where that says nothing."""
        state = dict(self.context) if context.state is None and self.context else context.state
        request_id = self.metadata.get("request_id")
        correlation_id = context.correlation_id if request_id is None else str(request_id)
        return replace(context, state=state, correlation_id=correlation_id)

    def answered(self, result: ToolResult) -> ToolResult:
        """Return the result with what the sender knows the request by."""
        return replace(result, metadata={**result.metadata, **self.metadata})


class Handles(Protocol):
    """Carries out requests, as an agent does."""

    @property
    def name(self) -> str:
        """By which requests find it."""
        ...

    async def handle(self, request: UnifiedRequest, *, context: ToolContext | None = None) -> ToolResult:
        """Carry out one request."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Any], *, context: ToolContext | None = None) -> ToolResult:
        """Call one of its tools."""
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
    owner, _ = resolve(request.target, known)
    return await known[owner].handle(request, context=context)


def resolve(target: str, owners: Collection[str]) -> tuple[str, str]:
    """Return whom ``target`` is for, and which tool of it, or "" for none; names may have dots, so the longest counts.

    Raises:
        ToolUnknown: It is for none of ``owners``.
    """
    parts = target.split(".")
    for end in range(len(parts), 0, -1):
        if (owner := ".".join(parts[:end])) in owners:
            return owner, ".".join(parts[end:])
    raise ToolUnknown(f"no agent or tool set named {target!r}; known: {', '.join(owners) or 'none'}")
