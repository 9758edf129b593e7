"""What an agent offers to those who do not have it as a tool: hosts and servers.

One rule: in a list of tools, an agent is one tool, ``agent__<name>``. Where agents themselves are listed, each offers
the tools that it declares, as ``<name>__<tool>``; one that declares none is offered as ``agent__<name>`` there too.
"""

from dataclasses import replace

from toolkit.agents.agent import Agent
from toolkit.agents.tool import AgentTool, tool_name_of
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.functions import tools_of
from toolkit.tool_class import Tool


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
        """As its agent knows it."""
        self._agent = agent

    @property
    def server_name(self) -> str | None:
        """Whoever is behind the tool itself."""
        return self.tool.server_name

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        """Have the tool do it as its own agent does, inside of the middleware that this tool has passed."""
        context = replace(context, tool_hooks=())
        if isinstance(self._agent, Agent):
            context = self._agent.within(context)
        call = replace(call, name=self.tool.name)
        return await self.tool.forward(call, context)
