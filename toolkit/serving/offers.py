"""What a server offers: every tool with the name, the path and the target by which it is called."""

import logging
import re
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import Any
from urllib.parse import unquote

from toolkit.agents.offered import OfferedTool, offered_by
from toolkit.agents.requests import Handles, UnifiedRequest, resolve
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolkitError, ToolUnknown
from toolkit.node.node import ToolNode
from toolkit.outcomes import failed_remotely, for_remote
from toolkit.result import ToolResult

MCP_PATH = "/mcp"
REQUESTS_PATH = "/requests"
DOCUMENT_PATH = "/openapi.json"

_log = logging.getLogger("mcp.toolkit")
_PARAMETER = re.compile(r"\{([^{}/]+)\}")


@dataclass(frozen=True, slots=True)
class Offer:
    """One tool as clients know it."""

    definition: ToolDefinition
    """Under the name by which MCP clients and the node know it."""
    path: str
    """Where it is called by HTTP, perhaps with ``{arguments}`` in it."""
    target: str
    """Whom a request names for it."""

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
    """Everything that one server offers, in one node; what is registered while it runs is offered from then on.

    Args:
        name: The server's, by which requests find the tools that belong to no agent.
        version: The server's.
        node: The tools that belong to no agent; what the agents offer joins them.
        agents: Agents that offer what ``offered_by`` says.

    Raises:
        DefinitionInvalid: Two of them have one name or one path.
    """

    def __init__(self, name: str, version: str, node: ToolNode, agents: Sequence[Handles]) -> None:
        names = [name, *(each.name for each in agents)]
        if twice := next((each for each in names if names.count(each) > 1), None):
            raise DefinitionInvalid(f"two agents, or an agent and the server, are called {twice!r}")
        self.name = name
        self.version = version
        self._node = node
        self._agents = {each.name: each for each in agents}
        self._places: dict[str, tuple[str, str]] = {}
        for owner, agent in self._agents.items():
            for each in offered_by(owner, agent):
                node.register(each)
                self._places[each.name] = (owner, each.tool.name if isinstance(each, OfferedTool) else "")
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
        await self._node.tools()
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

    async def call(self, name: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call the tool of this name; one that is not there is an error that lists those that are."""
        return await _safely(name, self._call(name, arguments, replace(context, outlives_exit=True)))

    async def _call(self, name: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        owner, tool = self._places.get(name, ("", ""))
        if tool:
            # As the agent itself calls it: it is the agent's call that is recorded.
            return await self._agents[owner].call(tool, arguments, context=context)
        [result] = await self._node.invoke([ToolCall(name, arguments)], context=context)
        return result

    async def request(self, request: UnifiedRequest, context: ToolContext) -> ToolResult:
        """Have a request carried out: of an agent, the tools that it offers here, and the agent itself.

        Raises:
            ToolUnknown: It is for nobody here.
        """
        owner, tool = resolve(request.target, (self.name, *self._agents))
        if not tool and owner in self._agents:
            work = self._agents[owner].handle(request, context=replace(context, outlives_exit=True))
            return await _safely(request.target, work)
        if not tool:
            raise ToolUnknown(f"{owner!r} is no agent; expected '{owner}.<tool>'")
        offered = {place: name for name, place in self._places.items()}
        # What an agent does not offer is not there for a client either.
        name = tool if owner == self.name else offered.get((owner, tool), f"{owner}__{tool}")
        return request.answered(await self.call(name, dict(request.inputs), request.within(context)))

    def _current(self) -> list[Offer]:
        definitions = self._node.definitions()
        known, offers = self._last
        if len(known) == len(definitions) and all(map(is_, known, definitions)):
            return offers
        offers = [self._offer(each) for each in definitions]
        _refuse_conflicts(offers)
        self._last = (tuple(definitions), offers)
        return offers

    def _offer(self, definition: ToolDefinition) -> Offer:
        owner, tool = self._places.get(definition.name, ("", definition.name))
        path = definition.mcp_route or "/".join(["/tools", *filter(None, (owner, tool))])
        target = ".".join(filter(None, (owner or self.name, tool)))
        return Offer(definition, path, target)


async def _safely(name: str, work: Awaitable[ToolResult]) -> ToolResult:
    """Wait for a call or a request; others learn no more than that something is wrong, where that is not for them."""
    try:
        return for_remote(name, await work)
    except ToolUnknown:
        raise
    except Exception as error:  # noqa: BLE001 - the border of the server
        _log.exception("the call of %s failed", name)
        return failed_remotely(name, error)


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
