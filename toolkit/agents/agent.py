"""A model that works on a task, with tools, until it has an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, cast

from instrument import around
from toolkit.adapters import listed
from toolkit.agents.limits import Run, running
from toolkit.agents.options import AgentOptions, checked
from toolkit.agents.requests import UnifiedRequest, handle
from toolkit.agents.thread import Thread
from toolkit.agents.tool import AgentTool
from toolkit.call import ToolCall
from toolkit.context import ToolContext, context_of
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ModelFailed, NoAnswer, ResultInvalid, ToolkitError
from toolkit.formats.chat import read_call
from toolkit.functions import tools_of
from toolkit.functions.loading import load, load_callable
from toolkit.keywords import checks_keywords
from toolkit.middleware.checks import check_tool_hook
from toolkit.models.asking import generate
from toolkit.models.model import Message, MessageToolCall, Model, ModelRequest, ModelResponse, TextSink, text_of
from toolkit.models.named import as_model
from toolkit.node import ToolNode
from toolkit.plain import member
from toolkit.result import ToolResult
from toolkit.tool_class import Tool

if TYPE_CHECKING:
    from toolkit.agents.output import Output

_ATTEMPTS = 3
"""After so many answers that do not fit the agent's output, the run has none."""


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The result of a run."""

    text: str
    """The text of the model's last message."""
    messages: list[Message] = field(repr=False)
    """The messages that the run added to the conversation, the task first."""
    usage: Mapping[str, Any]
    """The sum of its own model's usage; agents that it called have their own."""
    turns: int
    """How often the model was called."""
    problem: str | None = None
    """Why there is no answer; None if there is one."""
    output: Any = None
    """The answer as a value of the agent's ``output``, if it has one."""
    finish_reason: str | None = None
    """Why the model stopped, in its provider's words; after ``length``, the answer is incomplete."""

    @property
    def is_error(self) -> bool:
        """Whether there is no answer."""
        return self.problem is not None


@checks_keywords
class Agent:
    """A model with an instruction and tools. Runs share nothing, so several may go on at a time.

    A subclass offers its methods marked ``@tool`` as well.

    Args:
        name: Its name, in calls of it and in records.
        instruction: The first message to the model, in every run.
        model: A model, or its name, such as ``openai:gpt-5-mini``, ``gpt-5-mini`` or ``scripted:FILE``. Of an
            agent without one, only the tools can be called.
        options: See ``AgentOptions``.
    """

    emits_hooks: ClassVar[bool] = True

    def __init_subclass__(cls, **more: Any) -> None:
        """Refuse a tool with the name of an attribute that every agent has."""
        super().__init_subclass__(**more)
        for name, value in vars(cls).items():
            if isinstance(value, Tool) and hasattr(Agent, name):
                raise DefinitionInvalid(f"{cls.__name__}.{name} is a tool, and an agent's own {name!r}; rename it")

    def __init__(
        self,
        name: str,
        *,
        instruction: str = "",
        model: Model | str | None = None,
        **options: Unpack[AgentOptions],
    ) -> None:
        if not name:
            raise DefinitionInvalid("an agent needs a name")
        if not isinstance(instruction, str):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            raise DefinitionInvalid(f"instruction of {name} is of type {type(instruction).__name__}; expected text")
        options = checked(options, name, type(self))
        output = options.get("output")
        self.name = name
        self.instruction = instruction
        self.description = options.get("description", "")
        self.model = None if model is None else as_model(model, name)
        self.max_turns = options.get("max_turns", 20)
        self.limits = options.get("limits")
        self.context = None if (context := options.get("context")) is None else context_of(context)
        self._output = None if output is None else _output(output)
        self.messages = tuple(options.get("messages", ()))
        self.history = Thread(self.messages)
        """Its own conversation, which it continues only if a caller of it as a tool wants that."""
        self.node = ToolNode(
            [*tools_of(self), *listed(options.get("tools", ()), name)],
            tool_hooks=[check_tool_hook(load_callable(hook)) for hook in options.get("tool_hooks", ())],
            max_parallel=options.get("max_parallel"),
        )
        """Its tools; more can be registered at any time."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def definitions(self) -> list[ToolDefinition]:
        """Return the definitions of its tools; MCP servers among them must have been asked before, as by a run."""
        return self.node.definitions()

    async def __call__(self, task: str | Sequence[Message]) -> str:
        """Work on ``task`` and return the answer; if there is none, ``NoAnswer`` says why."""
        result = await self.run(task)
        if result.problem is not None:
            raise NoAnswer(result.problem)
        return result.text

    async def run(
        self,
        task: str | Sequence[Message],
        /,
        *,
        thread: Thread | None = None,
        context: ToolContext | None = None,
        on_text: TextSink | None = None,
    ) -> AgentResult:
        """Work on ``task`` until the model answers without calling a tool, or fails (``ModelFailed``).

        The model reads what goes wrong with a tool. If a limit is reached (``max_turns``, ``limits``), the result says
        so in ``problem``. A run that raises leaves ``thread`` as it was; one without an answer adds what its tools did,
        so that it can be continued.

        Args:
            task: What to do: text, or messages, which may have pictures.
            thread: The conversation to continue; new messages are added to it at the end.
            context: What the tools may use; it takes precedence over the agent's own context.
            on_text: Called with the model's text as it arrives, also before tool calls.
        """
        thread = thread if thread is not None else Thread(self.messages)
        if not isinstance(thread, Thread):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            raise DefinitionInvalid(f"the thread is of type {type(thread).__name__}; expected Thread()")
        async with around("agent_call", emitter="toolkit", agent=self, input=task) as call:
            conversation = thread.fork()
            conversation.extend(_messages(task))
            with running(self.name, self.limits) as run:
                during = self._during(context, conversation).identified()
                result = await _Work(self, self._output, conversation, during, run, on_text).result()
            # A task without any result is left out: the next one would be the user's second message in a row.
            if result.problem is None or len(result.messages) > 1:
                thread.merge(conversation)
            call.set(result=result.text)
            if result.problem is not None:
                call.fail(NoAnswer(result.problem))
            return result

    async def handle(self, request: UnifiedRequest, *, context: ToolContext | None = None) -> ToolResult:
        """Carry out a request: ``<name>.<tool>`` calls a tool, ``<name>`` has the agent work; see ``agents.handle``."""
        return await handle(request, [self], context=context)

    async def call(self, tool: str, arguments: Mapping[str, Any], *, context: ToolContext | None = None) -> ToolResult:
        """Call one of its tools as its model does; the result has what went wrong, with its ``exception``."""
        [result] = await self.node.invoke([ToolCall(tool, dict(arguments))], context=self._during(context, None))
        return result

    def as_tool(self) -> AgentTool:
        """Return it as the tool ``agent__<name>``, as every list of tools has it."""
        return AgentTool(self)

    def within(self, context: ToolContext) -> ToolContext:
        """Return the context for one of its tools that somebody else calls with ``context``, whose thread stays."""
        return self.node.within(self._during(context, context.thread))

    def _during(self, context: ToolContext | None, conversation: Thread | None) -> ToolContext:
        """Return the context of a run: the given one, completed by the agent's own."""
        context, own = context_of(context), context_of(self.context)
        limits = [permissions for permissions in (context.permissions, own.permissions) if permissions is not None]
        return replace(
            context,
            agent_name=self.name,
            thread=conversation,
            state=own.state if context.state is None else context.state,
            dependencies={**own.dependencies, **context.dependencies},
            credentials={**own.credentials, **context.credentials},
            permissions=limits[0].intersection(*limits) if limits else None,
            output=context.output or own.output,
            approver=context.approver or own.approver,
            tool_hooks=context.tool_hooks + own.tool_hooks,
            correlation_id=context.correlation_id or own.correlation_id,
            errors="raise" if "raise" in (context.errors, own.errors) else "tell",
        )


@dataclass(slots=True)
class _Work:
    """What an agent does in one run, turn by turn."""

    agent: Agent
    expects: "Output | None"
    """What its answer has to be."""
    conversation: Thread
    context: ToolContext
    run: Run
    on_text: TextSink | None
    turns: int = 0
    misfits: int = 0
    """How many answers did not fit the agent's output."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    message: Message = field(default_factory=lambda: Message(role="assistant"))
    """The model's last one."""
    finish_reason: str | None = None
    output: Any = None
    problem: str | None = None

    async def result(self) -> AgentResult:
        """Ask the model, and call the tools that it wants, until it has answered or may not go on."""
        while await self._goes_on():
            pass
        text, gained = text_of(self.message), self.conversation.gained
        return AgentResult(text, gained, self.usage, self.turns, self.problem, self.output, self.finish_reason)

    async def _goes_on(self) -> bool:
        """Take one turn; return whether another one is to follow."""
        if (problem := self.run.ask()) is not None:
            return self._ends(problem)
        self.turns += 1
        response = await self._asked()
        self.run.spend(response)
        self.usage = added(self.usage, response.usage or {})
        self.message, self.finish_reason = response.message, response.finish_reason
        wanted = self.message.get("tool_calls")
        return await self._called(wanted) if wanted else self._answered()

    async def _asked(self) -> ModelResponse:
        agent, model = self.agent, self.agent.model
        if model is None:
            raise DefinitionInvalid(f"the agent {agent.name!r} has no model; pass Agent({agent.name!r}, model=…)")
        text = "\n\n".join(filter(None, [agent.instruction, self.expects and self.expects.instruction]))
        instruction: list[Message] = [{"role": "system", "content": text}] if text else []
        tools = [tool.definition for tool in await agent.node.tools()]
        # The model's own settings, so that the hooks show them.
        settings: Mapping[str, Any] = member(model, "settings") or {}
        request = ModelRequest([*instruction, *self.conversation.messages], tools, dict(settings), self.on_text)
        try:
            return await generate(model, request, agent_name=agent.name)
        except ToolkitError:
            raise
        except Exception as error:
            raise ModelFailed(f"{model.name} failed: {type(error).__name__}: {error}") from error

    def _ends(self, problem: str | None = None) -> bool:
        self.problem = problem
        return False

    async def _called(self, wanted: Sequence[MessageToolCall]) -> bool:
        agent = self.agent
        if self.turns == agent.max_turns:
            # Nobody would read the results of its tools.
            names = ", ".join(call["function"]["name"] for call in wanted)
            return self._ends(f"{agent.name} gave no answer within max_turns={self.turns}; it last requested {names}")
        if (problem := self.run.call(len(wanted))) is not None:
            return self._ends(problem)
        answers = await agent.node.messages([read_call(call) for call in wanted], context=self.context)
        # Both at once: a conversation with calls that have no answer yet cannot be continued by anybody else.
        self.conversation.extend([self.message, *answers])  # pyright: ignore[reportArgumentType] - answers to chat calls are messages
        return True

    def _answered(self) -> bool:
        name, text = self.agent.name, text_of(self.message)
        if not text.strip():
            why = f" (finish_reason {self.finish_reason!r})" if self.finish_reason else ""
            return self._ends(f"the model of {name} said nothing{why}")
        self.conversation.extend([self.message])
        if self.expects is None:
            return self._ends()
        try:
            self.output = self.expects.read(text)
        except ResultInvalid as misfit:
            self.misfits += 1
            if self.misfits < _ATTEMPTS and self.turns < self.agent.max_turns:
                self.conversation.extend([{"role": "user", "content": f"{misfit}; answer again"}])
                return True
            return self._ends(f"{name} gave no answer of its type in {self.misfits} attempts: {misfit}")
        return self._ends()


def _output(kind: object) -> "Output":
    from toolkit.agents.output import Output  # imports pydantic, which is slow

    return Output(load(kind) if isinstance(kind, str) else kind)


def _messages(task: object) -> Sequence[Message]:
    if isinstance(task, str):
        return [{"role": "user", "content": task}]
    if (
        isinstance(task, Sequence)
        and task
        and all(member(message, "role") for message in cast("Sequence[object]", task))
    ):
        return cast("Sequence[Message]", task)
    kind = "no messages" if task == [] else type(cast("object", task)).__name__
    raise DefinitionInvalid(f"a task is text, or a list of messages with a role and content, not {kind}")


def added(total: Mapping[str, Any], usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sum of two usages, nested numbers too; of anything else, the later value."""
    result = dict(total)
    for key, value in usage.items():
        before = result.get(key)
        if isinstance(value, Mapping):
            earlier: Mapping[str, Any] = cast("Mapping[str, Any]", before) if isinstance(before, Mapping) else {}
            result[key] = added(earlier, cast("Mapping[str, Any]", value))
        elif isinstance(value, int | float) and isinstance(before, int | float):
            result[key] = before + value
        elif value is not None or before is None:
            result[key] = value
    return result
