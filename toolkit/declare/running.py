"""Declared agents at work, to which messages can be sent."""

from collections.abc import Iterable, Iterator, Mapping

from toolkit.agents import Agent, AgentResult
from toolkit.context import ToolContext
from toolkit.declare.config import AgentConfig
from toolkit.errors import DefinitionInvalid, NoAnswer, did_you_mean
from toolkit.models.model import TextSink


class RunningAgent:
    """An agent that messages can be sent to.

    With ``use_history``, a message remembers the ones before it; a message whose model fails leaves no trace in the
    conversation, and one without an answer what its tools did.
    """

    def __init__(self, agent: Agent, config: AgentConfig) -> None:
        self.agent = agent
        self.config = config

    @property
    def name(self) -> str:
        """As it was declared."""
        return self.config.name

    async def send(self, message: str) -> str:
        """Send a message and return the answer; where it comes to none, ``NoAnswer`` says why."""
        result = await self.run(message)
        if result.problem is not None:
            raise NoAnswer(result.problem)
        return result.text

    __call__ = send

    async def run(
        self, message: str, *, context: ToolContext | None = None, on_text: TextSink | None = None
    ) -> AgentResult:
        """Send a message and return all that came of it.

        Args:
            message: What to do.
            context: What the tools may use, before the application's context.
            on_text: Takes the words of the answer as they come.

        Raises:
            ModelFailed: The model failed.
        """
        thread = self.agent.history if self.config.use_history else None
        return await self.agent.run(message, thread=thread, context=context, on_text=on_text)


class RunningAgents(Mapping[str, RunningAgent]):
    """What ``async with fast.run()`` gives: ``await agent("…")`` goes to the default agent.

    Another one is ``agent["NY-Project-Manager"]`` or ``agent.NY_Project_Manager``.
    """

    def __init__(self, agents: Mapping[str, RunningAgent], default: str) -> None:
        self._agents = dict(agents)
        self._attributes = {name.replace("-", "_"): agent for name, agent in self._agents.items()}
        self.default = self._agents[default]
        """The agent that messages go to."""

    async def send(self, message: str, agent_name: str | None = None) -> str:
        """Send a message to the default agent, or to the one of that name, and return the answer."""
        agent = self.default if agent_name is None else self.find(agent_name)
        return await agent.send(message)

    __call__ = send

    def find(self, name: str) -> RunningAgent:
        """Return an agent by its name."""
        if name not in self._agents:
            raise unknown_agent(name, self._agents)
        return self._agents[name]

    def __getitem__(self, name: str) -> RunningAgent:
        return self._agents[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._agents)

    def __len__(self) -> int:
        return len(self._agents)

    def __getattr__(self, name: str) -> RunningAgent:
        agent = self.__dict__.get("_attributes", {}).get(name)
        if agent is None:
            raise AttributeError(f"there is no agent {name!r}{did_you_mean(name, self._attributes)}")
        return agent


def unknown_agent(name: str, declared: Iterable[str]) -> DefinitionInvalid:
    """Return what is said of a name that no agent has."""
    known = list(declared)
    return DefinitionInvalid(f"there is no agent {name!r}{did_you_mean(name, known)}; declared: {', '.join(known)}")
