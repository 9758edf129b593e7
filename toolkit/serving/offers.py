"""What a server offers: every tool with the name, the path and the target by which it is called."""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from toolkit.agents.requests import Handles, UnifiedRequest, handle
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolkitError, ToolUnknown
from toolkit.mcp.tools import tool_name
from toolkit.node.node import ToolNode, outlives_exit
from toolkit.result import ToolResult

MCP_PATH = "/mcp"
REQUESTS_PATH = "/requests"
DOCUMENT_PATH = "/openapi.json"

_log = logging.getLogger("mcp.toolkit")
_PARAMETER = re.compile(r"\{([^{}/]+)\}")


class ToolSet:
    """Tools that belong to no agent, under one name.

    Args:
        name: By which requests find them.
        node: Where they are.
    """

    def __init__(self, name: str, node: ToolNode) -> None:
        self.name = name
        self.node = node

    def definitions(self) -> list[ToolDefinition]:
        """Return what each tool is."""
        return self.node.definitions()

    async def handle(self, request: UnifiedRequest, *, context: ToolContext | None = None) -> ToolResult:
        """Call the tool that a request names.

        Raises:
            ToolUnknown: It names none.
        """
        name = request.target.removeprefix(f"{self.name}.")
        if name == request.target:
            raise ToolUnknown(f"{request.target!r} is no tool; expected '{self.name}.<tool>'")
        [result] = await self.node.invoke([ToolCall(name, dict(request.inputs))], context=context)
        return result


@dataclass(frozen=True, slots=True)
class Offer:
    """One tool as clients know it."""

    definition: ToolDefinition
    """Under the name that MCP clients call it by."""
    path: str
    """Where it is called by HTTP, perhaps with ``{arguments}`` in it."""
    target: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The arguments that are in the path."""
        return tuple(_PARAMETER.findall(self.path))

    def match(self, path: str) -> dict[str, str] | None:
        """Return the arguments in a percent-encoded path if it is this offer's, else None."""
        own, given = self.path.split("/"), [unquote(each) for each in path.split("/")]
        if len(own) != len(given):
            return None
        found = [re.fullmatch(_pattern(part), each, re.DOTALL) for part, each in zip(own, given, strict=True)]
        values = [value for each in found if each is not None for value in each.groups()]
        return None if None in found else dict(zip(self.parameters, values, strict=True))


class Offers:
    """Everything that one server offers. Tools that are registered while it runs are offered from then on.

    Args:
        own: The tools that belong to no agent.
        agents: Those whose tools are offered too, below their names.

    Raises:
        DefinitionInvalid: Two of them have one name or one path.
    """

    def __init__(self, own: ToolSet, agents: Sequence[Handles]) -> None:
        self._own = own
        self._owners: tuple[Handles, ...] = (own, *agents)
        names = [each.name for each in self._owners]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise DefinitionInvalid(f"two agents, or an agent and the server, are called {twice!r}")
        self._last: tuple[tuple[ToolDefinition, ...], list[Offer]] = ((), [])
        try:
            self._current()
        except DefinitionInvalid:
            raise
        except ToolkitError:
            # Tools of an MCP server that is not connected yet; they are looked at when they are.
            self._last = ((), [])

    async def learn(self) -> None:
        """Ask whoever supplies tools what there is.

        Raises:
            DefinitionInvalid: Two of them have one name or one path.
            ServerFailed: An MCP server among the tools does not answer.
        """
        for each in self._owners:
            node = getattr(each, "node", None)
            if isinstance(node, ToolNode):
                await node.tools()
        self._current()

    async def all(self) -> list[Offer]:
        """Return all of them, as they are now; of those who supply tools and do not answer, what they last had.

        Raises:
            DefinitionInvalid: Two of them have one name or one path.
        """
        try:
            await self.learn()
        except DefinitionInvalid:
            raise
        except ToolkitError as error:
            _log.warning("offering the tools that were last known: %s", error)
        return self._current()

    async def permitted(self, context: ToolContext) -> list[Offer]:
        """Return those that the caller may use."""
        allowed = context.permissions
        offers = await self.all()
        if allowed is None:
            return offers
        return [each for each in offers if allowed.issuperset(each.definition.permissions)]

    async def call(self, offer: Offer, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call what is offered."""
        return await self.request(UnifiedRequest(offer.target, arguments), context)

    async def request(self, request: UnifiedRequest, context: ToolContext) -> ToolResult:
        """Have a request carried out.

        Raises:
            ToolUnknown: It is for nobody here.
            ModelFailed: An agent's model failed.
        """
        before = outlives_exit.set(True)
        try:
            return await handle(request, self._owners, context=context)
        finally:
            outlives_exit.reset(before)

    def _current(self) -> list[Offer]:
        told = [(owner, definition) for owner in self._owners for definition in owner.definitions()]
        known, offers = self._last
        if len(known) == len(told) and all(a is b for a, (_, b) in zip(known, told, strict=True)):
            return offers
        offers = [self._offer(owner, definition) for owner, definition in told]
        _refuse_conflicts(offers)
        self._last = (tuple(definition for _, definition in told), offers)
        return offers

    def _offer(self, owner: Handles, definition: ToolDefinition) -> Offer:
        target = f"{owner.name}.{definition.name}"
        if owner is self._own:
            return Offer(definition, definition.mcp_route or f"/tools/{definition.name}", target)
        path = definition.mcp_route or f"/tools/{owner.name}/{definition.name}"
        named = replace(definition, name=tool_name(owner.name, definition.name, namespaced=True))
        return Offer(named, path, target)


def _refuse_conflicts(offers: Iterable[Offer]) -> None:
    own = {MCP_PATH: "the server itself", REQUESTS_PATH: "the server itself", DOCUMENT_PATH: "the server itself"}
    paths, names = dict(own), dict[str, str]()
    for each in offers:
        shape = _PARAMETER.sub("{}", each.path)
        if (other := paths.setdefault(shape, each.target)) is not each.target:
            raise DefinitionInvalid(f"the route {each.path} of {each.target} is taken by {other}; each needs its own")
        if (other := names.setdefault(each.definition.name, each.target)) is not each.target:
            raise DefinitionInvalid(f"{each.target} and {other} are both called {each.definition.name!r}")


def _pattern(path: str) -> str:
    parts = _PARAMETER.split(path)
    return "".join(re.escape(part) if index % 2 == 0 else "(.+)" for index, part in enumerate(parts))
