"""An agent that coordinates others by calling the tools that they declare."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Unpack

from toolkit.agents.agent import Agent
from toolkit.agents.offered import offered_by
from toolkit.agents.options import AgentOptions
from toolkit.agents.requests import Named, by_name
from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.models.model import Model
from toolkit.tool_class import Tool

INSTRUCTION = "You coordinate other agents. Have the task done by calling their tools, then answer from what they say."
"""What a host's model is told when nothing else is given."""


class StructuredLLMHost(Agent):
    """Offers its model the participants' tools by function calling, and routes the calls back to them.

    A participant's methods marked ``@tool`` become the tools ``<participant>__<tool>``. An agent that declares none is
    asked as a whole by ``agent__<participant>``, whose one argument is a ``message``. An agent's tools are called with
    its own middleware, permissions and dependencies, inside of the host's. When a participant fails, the model reads
    why.

    Args:
        name: What it is called.
        model: Who decides whom to call: a model, or its name.
        participants: Agents, or objects with ``@tool`` methods, by their names or those of a mapping; more can join at
            any time.
        instruction: What the model is told first.
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
        """Who takes part now, by name."""
        return MappingProxyType({name: agent for name, (agent, _) in self._participants.items()})

    def join(self, participant: str, agent: object) -> None:
        """Let ``agent`` take part as ``participant``; the model's next question offers its tools."""
        if participant in self._participants:
            raise DefinitionInvalid(f"{participant!r} takes part in {self.name} already")
        tools = offered_by(participant, agent)
        self.node.register(*tools)
        self._participants[participant] = (agent, tools)

    def leave(self, participant: str) -> None:
        """Take ``participant`` and its tools away; calls under way go on."""
        if participant not in self._participants:
            known = ", ".join(map(repr, self._participants)) or "nobody"
            raise ToolUnknown(f"{participant!r} does not take part in {self.name}; there is {known}")
        _, tools = self._participants.pop(participant)
        for tool in tools:
            self.node.unregister(tool)
