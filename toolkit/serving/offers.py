"""What a server offers: every tool with the name, the path and the target by which it is called."""

import logging
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolkit.agents.agent import Agent
from toolkit.agents.host import OfferedTool, offered_by
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolkitError
from toolkit.node.node import ToolNode
from toolkit.outcomes import failed_remotely, for_remote
from toolkit.result import ToolResult

MCP_PATH = "/mcp"
DOCUMENT_PATH = "/openapi.json"

_log = logging.getLogger("mcp.toolkit")


@dataclass(frozen=True, slots=True)
class Offer:
    """One tool as clients know it."""

    definition: ToolDefinition
    """Under the name by which MCP clients and the node know it."""
    owner: str
    """The agent whose tool it is, or the server."""
    tool: str
    """What its owner calls it; "" for an agent itself."""
    path: str
    """Where it is called by HTTP."""

    @property
    def target(self) -> str:
        """Whom a request names for it."""
        return f"{self.owner}.{self.tool}" if self.tool else self.owner


class Offers:
    """Everything that one server offers, in one node; what is registered while it runs is offered from then on."""

    def __init__(self, name: str, version: str, node: ToolNode, agents: Mapping[str, Any]) -> None:
        if name in agents:
            raise DefinitionInvalid(f"an agent and the server are called {name!r}")
        self.name = name
        self.version = version
        self._node = node
        self._agents = agents
        self._places: dict[str, tuple[str, str]] = {}
        for owner, agent in self._agents.items():
            for tool in offered_by(owner, agent):
                node.register(tool)
                self._places[tool.name] = (owner, tool.tool.name if isinstance(tool, OfferedTool) else "")
        try:
            self._current()
        except ToolkitError as error:
            # Tools of an MCP server that is not connected yet are looked at when they are.
            if isinstance(error, DefinitionInvalid):
                raise

    async def learn(self) -> None:
        """Ask whoever supplies tools what there is."""
        await self._node.tools()
        self._current()

    async def all(self) -> list[Offer]:
        """Return all of them, as they are now; of those who supply tools and do not answer, what they last had."""
        try:
            await self.learn()
        except ToolkitError as error:
            if isinstance(error, DefinitionInvalid):
                raise
            _log.warning("offering the tools that were last known: %s", error)
        return self._current()

    async def permitted(self, context: ToolContext) -> list[Offer]:
        """Return those that the caller may use."""
        allowed, offers = context.permissions, await self.all()
        return [each for each in offers if allowed is None or allowed.issuperset(each.definition.permissions)]

    async def call(self, offer: Offer, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call a tool."""
        agent, context = self._agents.get(offer.owner), replace(context, outlives_exit=True)
        if offer.tool and isinstance(agent, Agent):
            # As the agent itself calls it: it is the agent's call that is recorded.
            return await _safely(offer.definition.name, agent.call(offer.tool, arguments, context=context))
        return await _safely(offer.definition.name, self._invoke(offer.definition.name, arguments, context))

    async def _invoke(self, name: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        [result] = await self._node.invoke([ToolCall(name, arguments)], context=context)
        return result

    def _current(self) -> list[Offer]:
        offers = [self._offer(definition) for definition in self._node.definitions()]
        _refuse_conflicts(offers)
        return offers

    def _offer(self, definition: ToolDefinition) -> Offer:
        owner, tool = self._places.get(definition.name, (self.name, definition.name))
        steps = (tool,) if owner == self.name else (owner, tool)
        return Offer(definition, owner, tool, definition.mcp_route or "/".join(["/tools", *filter(None, steps)]))


async def _safely(name: str, work: Awaitable[ToolResult]) -> ToolResult:
    """Wait for a call; others learn no more than that something is wrong, where that is not for them."""
    try:
        return for_remote(name, await work)
    except Exception as error:  # noqa: BLE001 - the border of the server
        _log.exception("the call of %s failed", name)
        return failed_remotely(name, error)


def _refuse_conflicts(offers: Iterable[Offer]) -> None:
    paths: dict[str, Offer | None] = dict.fromkeys((MCP_PATH, DOCUMENT_PATH))
    for offer in offers:
        other = paths.setdefault(offer.path, offer)
        if other is not offer:
            taken = "the server itself" if other is None else other.target
            raise DefinitionInvalid(f"the route {offer.path} of {offer.target} is taken by {taken}; each needs its own")
