"""An agent that coordinates others by calling their tools, and the tools that an agent offers to hosts and servers.

One rule: in a list of tools, an agent is one tool, ``agent__<name>``. Where agents themselves are listed, each offers
the tools that it declares, as ``<name>__<tool>``; one that declares none is offered as ``agent__<name>`` there too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Unpack

from toolkit.agents.agent import Agent
from toolkit.agents.options import AgentOptions
from toolkit.agents.requests import Named, by_name
from toolkit.agents.tool import AgentTool, tool_name_of
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.functions import tools_of
from toolkit.keywords import checks_keywords
from toolkit.models.model import Model
from toolkit.tool_class import Tool

INSTRUCTION = "You coordinate other agents. Have the task done by calling their tools, then answer from what they say."
"""The default instruction of a host."""


@checks_keywords
class StructuredLLMHost(Agent):
    """Offers its model the participants' tools by function calling, and routes the calls back to them.

    A participant's methods marked ``@tool`` become the tools ``<participant>__<tool>``. An agent that declares none is
    called as a whole by ``agent__<participant>``, whose one argument is a ``message``. An agent's tools are called with
    its own middleware, permissions and dependencies, inside the host's. When a participant fails, the model reads why.

    Args:
        name: Its name.
        model: The model that decides whom to call, or its name.
        participants: Agents, or objects with ``@tool`` methods, by their names or those of a mapping; more can join at
            any time.
        instruction: The first message to the model.
        options: The same as for ``Agent``.
    """

    def __init__(
        self,
        name: str,
        model: Model | str | None = None,
        participants: Mapping[str, object] | Iterable[Named] | None = None,
        *,
        instruction: str = INSTRUCTION,
        **options: Unpack[AgentOptions],
    ) -> None:
        super().__init__(name, instruction=instruction, model=model, **options)
        self._participants: dict[str, tuple[object, list[Tool]]] = {}
        for participant, agent in by_name(participants or {}).items():
            self.join(participant, agent)

    @property
    def participants(self) -> Mapping[str, object]:
        """The current participants, by name."""
        return MappingProxyType({name: agent for name, (agent, _) in self._participants.items()})

    def join(self, participant: str, agent: object) -> None:
        """Add ``agent`` as ``participant``; the next request to the model offers its tools."""
        if participant in self._participants:
            raise DefinitionInvalid(f"{participant!r} takes part in {self.name} already")
        tools = offered_by(participant, agent)
        self.node.register(*tools)
        self._participants[participant] = (agent, tools)

    def leave(self, participant: str) -> None:
        """Remove ``participant`` and its tools; running calls continue."""
        if participant not in self._participants:
            known = ", ".join(map(repr, self._participants)) or "nobody"
            raise ToolUnknown(f"{participant!r} does not take part in {self.name}; there is {known}")
        _, tools = self._participants.pop(participant)
        for tool in tools:
            self.node.unregister(tool)


def offered_by(name: str, agent: object) -> list[Tool]:
    """Return the tools that ``agent`` offers under ``name``."""
    tools: list[Tool] = [OfferedTool(name, agent, tool) for tool in tools_of(agent)]
    return tools or [AgentTool(agent, name=tool_name_of(name))]


class OfferedTool(Tool):
    """A tool of an agent under the name that others call it by; one call of it is one call in the records."""

    def __init__(self, owner: str, agent: object, tool: Tool) -> None:
        super().__init__(replace(tool.definition, name=f"{owner}__{tool.name}"), validate=False)
        self.source = tool.source  # pyright: ignore[reportAttributeAccessIssue] - it is what the tool behind it is
        self.tool = tool
        """The tool under its own name."""
        self._agent = agent

    @property
    def server_name(self) -> str | None:
        """The server behind the tool itself."""
        return self.tool.server_name

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        """Call the tool as its own agent does, inside the middleware around this tool."""
        context = replace(context, tool_hooks=())
        if isinstance(self._agent, Agent):
            context = self._agent.within(context)
        call = replace(call, name=self.tool.name)
        return await self.tool.forward(call, context)
