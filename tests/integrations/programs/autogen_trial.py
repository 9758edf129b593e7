"""Agents, teams, tools and models of AutoGen, over a loopback model."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from autogen_agentchat.agents import AssistantAgent, BaseChatAgent, SocietyOfMindAgent
from autogen_agentchat.base import Response, TaskResult
from autogen_agentchat.conditions import HandoffTermination
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import (
    DiGraphBuilder,
    GraphFlow,
    MagenticOneGroupChat,
    RoundRobinGroupChat,
    SelectorGroupChat,
    Swarm,
)
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import (
    AgentId,
    CancellationToken,
    DefaultTopicId,
    FunctionCall,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)
from autogen_core.models import CreateResult, RequestUsage
from autogen_core.tool_agent import ToolAgent
from autogen_core.tools import BaseStreamTool, BaseTool, FunctionTool, TextResultContent, ToolResult, Workbench
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.models.replay import ReplayChatCompletionClient
from conformance import conform, failed
from hanging import given_up, hang, until_it_hangs
from ledger import count, counting, ledger
from models import Models, serving
from pydantic import BaseModel

INFO = {"vision": False, "function_calling": True, "json_output": True, "family": "unknown", "structured_output": True}
_url: list[str] = []


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


async def weather(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{days} days of sun in {city}"


def broken(city: str) -> str:
    """Fail, in a thread."""
    raise KeyError(f"no {city}")


class Place(BaseModel):
    city: str


class Found(BaseModel):
    hotel: str


class Find(BaseTool[Place, Found]):
    """A tool of a class of its own, which calls its superclass's method."""

    def __init__(self) -> None:
        super().__init__(Place, Found, "find", "Find a room.")

    async def run(self, args: Place, cancellation_token: CancellationToken) -> Found:
        return Found(hotel=f"Casa {args.city}")

    async def run_json(self, *args: Any, **kwargs: Any) -> Any:
        return await super().run_json(*args, **kwargs)


class Steps(BaseStreamTool[Place, TextMessage, Found]):
    def __init__(self) -> None:
        super().__init__(Place, Found, "steps", "Look for a room.")

    async def run(self, args: Place, cancellation_token: CancellationToken) -> Found:
        return Found(hotel=args.city)

    async def run_stream(self, args: Place, cancellation_token: CancellationToken) -> AsyncGenerator[Any, None]:
        yield TextMessage(content=f"looking in {args.city}", source="steps")
        if args.city == "Rome":
            raise KeyError("no Rome")
        yield Found(hotel=f"Casa {args.city}")


class Shelf(Workbench):
    """Has a tool that only it knows."""

    async def list_tools(self) -> list[Any]:
        return [{"name": "shelf", "parameters": {"type": "object", "properties": {"of": {"type": "string"}}}}]

    async def call_tool(
        self, name: str, arguments: Any = None, cancellation_token: Any = None, call_id: str | None = None
    ) -> ToolResult:
        what = arguments["of"]
        return ToolResult(name=name, result=[TextResultContent(content=f"shelf of {what}")], is_error=what == "dust")

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def reset(self) -> None: ...

    async def save_state(self) -> dict[str, Any]:
        return {}

    async def load_state(self, state: Any) -> None: ...


class Shouter(BaseChatAgent):
    """An agent of the program."""

    @property
    def produced_message_types(self) -> Sequence[type[TextMessage]]:
        return (TextMessage,)

    async def on_messages(self, messages: Any, cancellation_token: CancellationToken) -> Response:
        text = messages[-1].content
        if text == "fail":
            raise ValueError("too quiet")
        return Response(chat_message=TextMessage(content=text.upper(), source=self.name))

    async def on_reset(self, cancellation_token: CancellationToken) -> None: ...


def model() -> OpenAIChatCompletionClient:
    return OpenAIChatCompletionClient(model="gpt-4o", base_url=f"{_url[0]}/v1", api_key="sk-none", max_retries=0)


def agent(name: str, *tools: Any, **more: Any) -> AssistantAgent:
    return AssistantAgent(name, model(), tools=[*tools], description=f"Is {name}.", **more)


def called(times: int, parent: str) -> None:
    for _ in range(times):
        count("llm", "gpt-4o", parent)


def last(result: TaskResult) -> Any:
    return result.messages[-1].to_text()


OSLO, ROME, SUN = {"city": "Oslo", "days": 2}, {"city": "Rome"}, "2 days of sun in Oslo"
ASKED = '!call weather {"city": "Oslo", "days": 2}'


async def agents() -> None:
    asked = f'{ASKED}\n!call broken {{"city": "Rome"}}\n!call nobody {{"x": 1}}'
    result = await agent("planner", weather, broken).run(task=asked)
    seen(last(result))
    count("agent", "planner", None, arguments=asked, result=last(result))
    count("tool", "weather", "planner", arguments=OSLO, result=SUN)
    count("tool", "broken", "planner", "error", arguments=ROME, error=str(KeyError("no Rome")))
    unknown = "tool 'nobody' not found in any workbench"
    count("tool", "nobody", "planner", "error", arguments={"x": 1}, error=unknown)
    called(1, "planner")
    async for item in agent("streaming", weather, max_tool_iterations=2, model_client_stream=True).run_stream(
        task=ASKED
    ):
        seen(type(item).__name__)
    count("agent", "streaming", None, arguments=ASKED, result=f"told: {SUN}")
    count("tool", "weather", "streaming", arguments=OSLO, result=SUN)
    called(2, "streaming")
    asked = '!call find {"city": "Oslo"}\n!call steps {"city": "Oslo"}\n!call steps {"city": "Rome"}'
    result = await agent("own", Find(), Steps(), reflect_on_tool_use=True).run(task=asked)
    seen([type(each).__name__ for each in result.messages])
    count("agent", "own", None, arguments=asked, result=last(result))
    count("tool", "find", "own", arguments={"city": "Oslo"}, result={"hotel": "Casa Oslo"})
    count("tool", "steps", "own", arguments={"city": "Oslo"}, result={"hotel": "Casa Oslo"})
    count("tool", "steps", "own", "error", arguments=ROME, error=str(KeyError("no Rome")))
    called(2, "own")
    asked = '!call shelf {"of": "books"}\n!call shelf {"of": "dust"}'
    seen(last(await AssistantAgent("reader", model(), workbench=Shelf()).run(task=asked)))
    count("agent", "reader", None, arguments=asked, result="shelf of books\nshelf of dust")
    count("tool", "shelf", "reader", arguments={"of": "books"}, result="shelf of books")
    count("tool", "shelf", "reader", "error", arguments={"of": "dust"}, error="shelf of dust")
    called(1, "reader")
    try:
        await agent("refused").run(task="\n!fail 400 9")
    except Exception as error:
        seen(type(error).__name__)
        count("agent", "refused", None, "error")
    count("llm", "gpt-4o", "refused", "error")
    for text in ("hey", "fail"):
        try:
            message = TextMessage(content=text, source="user")
            async for item in Shouter("shouter", "Shouts.").on_messages_stream([message], CancellationToken()):
                seen(item.chat_message.to_text())
                count("agent", "shouter", None, arguments="hey", result="HEY")
        except ValueError as error:
            failed()
            count("agent", "shouter", None, "error", arguments="fail", error=str(error))


async def teams() -> None:
    team = RoundRobinGroupChat([agent("first", weather), Shouter("second", "Shouts.")], max_turns=2)
    seen(last(await team.run(task=ASKED)))
    count("workflow", "RoundRobinGroupChat", None, arguments=ASKED, result=SUN.upper())
    count("agent", "first", "RoundRobinGroupChat", arguments=ASKED, result=SUN)
    count("tool", "weather", "first", arguments=OSLO, result=SUN)
    called(1, "first")
    given = [{"source": "user", "content": ASKED}, {"source": "first", "content": SUN}]
    count("agent", "second", "RoundRobinGroupChat", arguments=given, result=SUN.upper())
    try:
        await RoundRobinGroupChat([Shouter("second", "Shouts.")], max_turns=1).run(task="fail")
    except RuntimeError as error:
        count("workflow", "RoundRobinGroupChat", None, "error", arguments="fail", error=str(error))
    count("agent", "second", "RoundRobinGroupChat", "error", arguments="fail", error="too quiet")
    both = [Shouter("ann", "Shouts."), Shouter("bob", "Shouts.")]
    chooser = SelectorGroupChat(both, Scripted(["bob"], model_info=INFO), max_turns=1)
    seen(last(await chooser.run(task="hey")))
    count("workflow", "SelectorGroupChat", None, arguments="hey", result="HEY")
    count("llm", "Scripted", "SelectorGroupChat", result="bob")
    count("agent", "bob", "SelectorGroupChat", arguments="hey", result="HEY")
    await handed_over()
    builder = DiGraphBuilder()
    start, left, right = (Shouter(name, "Shouts.") for name in ("start", "left", "right"))
    builder.add_node(start).add_node(left).add_node(right).add_edge(start, left).add_edge(start, right)
    seen(last(await GraphFlow([start, left, right], builder.build()).run(task="hey")))
    count("workflow", "GraphFlow", None, arguments="hey")
    for name in ("start", "left", "right"):
        count("agent", name, "GraphFlow", result="HEY")


async def handed_over() -> None:
    asked = "!call transfer_to_bob {}"
    swarm = Swarm([agent("ann", handoffs=["bob"]), Shouter("bob", "Shouts.")], max_turns=2, termination_condition=ENDED)
    seen(last(await swarm.run(task=asked)))
    told = "Transferred to bob, adopting the role of bob immediately."
    count("workflow", "Swarm", None, arguments=asked, result=told.upper())
    count("agent", "ann", "Swarm", arguments=asked, result=told)
    called(1, "ann")
    count("tool", "transfer_to_bob", "ann", arguments={}, result=told)
    count("agent", "bob", "Swarm", result=told.upper())


ENDED = HandoffTermination("user")


async def nested() -> None:
    """Agents and teams as tools, and teams in agents and in teams."""
    inner = '!call weather {\\"city\\": \\"Oslo\\", \\"days\\": 2}'
    helper = AgentTool(agent("helper", weather), return_value_as_last_message=True)
    crew = TeamTool(RoundRobinGroupChat([Shouter("loud", "Shouts.")], max_turns=1), "crew", "A crew.")
    asked = f'!call helper {{"task": "{inner}"}}\n!call crew {{"task": "hey"}}'
    seen(last(await agent("outer", helper, crew).run(task=asked)))
    count("agent", "outer", None, arguments=asked)
    called(1, "outer")
    count("tool", "helper", "outer", arguments={"task": ASKED}, result=SUN)
    count("agent", "helper", "helper", arguments=ASKED, result=SUN)
    called(1, "helper")
    count("tool", "weather", "helper", arguments=OSLO, result=SUN)
    count("tool", "crew", "outer", arguments={"task": "hey"}, result="HEY")
    count("workflow", "RoundRobinGroupChat", "crew", arguments="hey", result="HEY")
    count("agent", "loud", "RoundRobinGroupChat", arguments="hey", result="HEY")
    inside = RoundRobinGroupChat([Shouter("deep", "Shouts.")], max_turns=1, name="inside")
    mind = SocietyOfMindAgent("mind", inside, model())
    seen(last(await RoundRobinGroupChat([mind], max_turns=1, name="around").run(task="hey")))
    count("workflow", "around", None, arguments="hey", result="echo: HEY")
    count("agent", "mind", "around", arguments="hey", result="echo: HEY")
    count("workflow", "inside", "mind", result="HEY")
    count("agent", "deep", "inside", arguments="hey", result="HEY")
    called(1, "mind")


class Scripted(ReplayChatCompletionClient):
    """A model of the program."""


class Hanging(Scripted):
    """Answers nothing, until it is told to stop."""

    async def create(self, *args: Any, cancellation_token: CancellationToken | None = None, **kwargs: Any) -> Any:
        waiting = asyncio.ensure_future(hang())
        if cancellation_token is not None:
            cancellation_token.link_future(waiting)
        await waiting


async def models() -> None:
    """Models that call nothing."""
    asking = CreateResult(
        finish_reason="function_calls",
        content=[FunctionCall(id="c1", name="weather", arguments='{"city": "Oslo", "days": 2}')],
        usage=RequestUsage(prompt_tokens=11, completion_tokens=7),
        cached=False,
    )
    for streams in (False, True):
        scripted = Scripted([asking, "all done"], model_info=INFO)
        one = AssistantAgent("scripted", scripted, tools=[weather], max_tool_iterations=2, model_client_stream=streams)
        seen(last(await one.run(task="go")))
        count("agent", "scripted", None, arguments="go", result="all done")
        count("tool", "weather", "scripted", arguments=OSLO, result=SUN)
        count("llm", "Scripted", "scripted", tokens=[11, 7])
        count("llm", "Scripted", "scripted", result="all done")
    await plan()


async def plan() -> None:
    """The orchestrator of Magentic-One asks its model for facts, a plan, who is next, and the answer."""
    ledgers = (
        '{"is_request_satisfied": {"reason": "", "answer": %s}, "is_in_loop": {"reason": "", "answer": false},'
        ' "is_progress_being_made": {"reason": "", "answer": true}, "next_speaker": {"reason": "", "answer": "loud"},'
        ' "instruction_or_question": {"reason": "", "answer": "hey"}}'
    )
    scripted = Scripted(["facts", "plan", ledgers % "false", ledgers % "true", "the answer"], model_info=INFO)
    seen(last(await MagenticOneGroupChat([Shouter("loud", "Shouts.")], scripted).run(task="go")))
    count("workflow", "MagenticOneGroupChat", None, arguments="go", result="the answer")
    count("agent", "loud", "MagenticOneGroupChat", result="HEY")
    for _ in range(5):
        count("llm", "Scripted", "MagenticOneGroupChat")


@dataclass
class Order:
    what: str


@dataclass
class Done:
    what: str


@default_subscription
class Clerk(RoutedAgent):
    """Asks a cook, and tells everybody."""

    @message_handler
    async def take(self, message: Order, ctx: Any) -> Done:
        done = await self.send_message(FunctionCall("c1", '{"city": "Oslo", "days": 2}', "weather"), AgentId("t", "1"))
        await self.publish_message(Done(done.content), DefaultTopicId())
        return Done(done.content)


@default_subscription
class Crier(RoutedAgent):
    @message_handler
    async def hear(self, message: Done, ctx: Any) -> None:
        if ctx.is_rpc:
            raise ValueError("too quiet")


async def core() -> None:
    """Agents of Core, and a team in their runtime, which began before it."""
    runtime = SingleThreadedAgentRuntime()
    await Clerk.register(runtime, "clerk", lambda: Clerk("Takes orders."))
    await Crier.register(runtime, "crier", lambda: Crier("Cries."))
    tools = [FunctionTool(weather, "Tell the weather.")]
    await ToolAgent.register(runtime, "t", lambda: ToolAgent("Tools.", tools))
    runtime.start()
    seen(await runtime.send_message(Order("x"), AgentId("clerk", "default")))
    count("agent", "clerk", None, arguments={"what": "x"}, result={"what": SUN})
    count("tool", "weather", "clerk", arguments=OSLO, result=SUN)
    count("agent", "crier", None, arguments={"what": SUN})
    try:
        await runtime.send_message(Done("x"), AgentId("crier", "default"))
    except ValueError as error:
        failed()
        count("agent", "crier", None, "error", arguments={"what": "x"}, error=str(error))
    team = RoundRobinGroupChat([agent("first", weather)], max_turns=1, runtime=runtime, name="elsewhere")
    seen(last(await team.run(task=ASKED)))
    count("workflow", "elsewhere", None, arguments=ASKED, result=SUN)
    count("agent", "first", "elsewhere", arguments=ASKED, result=SUN)
    count("tool", "weather", "first", arguments=OSLO, result=SUN)
    called(1, "first")
    await runtime.stop_when_idle()


async def at_once() -> None:
    async def one(city: str) -> str:
        asked = f'!call weather {{"city": "{city}", "days": 2}}'
        result = last(await agent(city, weather).run(task=asked))
        count("agent", city, None, arguments=asked, result=result)
        count("tool", "weather", city, arguments={"city": city, "days": 2}, result=f"2 days of sun in {city}")
        called(1, city)
        return result

    seen(await asyncio.gather(one("Oslo"), one("Rome")))
    waiting = AssistantAgent("waiting", Hanging([""], model_info=INFO))
    await given_up(waiting.run(task="go"))
    count("agent", "waiting", None, "cancelled", arguments="go")
    count("llm", "Hanging", "waiting", "cancelled")
    token = CancellationToken()
    team = RoundRobinGroupChat([AssistantAgent("stopped", Hanging([""], model_info=INFO))], max_turns=1, name="over")
    running = asyncio.ensure_future(team.run(task="go", cancellation_token=token))
    await until_it_hangs()
    token.cancel()
    try:
        await running
    except BaseException as error:
        seen(type(error).__name__)
    count("workflow", "over", None, "cancelled")
    count("agent", "stopped", "over", "cancelled")
    count("llm", "Hanging", "stopped", "cancelled")
    async with aclosing(agent("left").run_stream(task="go")) as messages:
        seen(type(await anext(messages)).__name__)
    count("agent", "left", None, "closed", arguments="go")


async def all_of_it() -> None:
    await agents()
    await teams()
    await nested()
    await models()
    await core()
    await at_once()


def everything(served: Models) -> list[dict[str, Any]]:
    _url[:] = [served.url]
    return counting(all_of_it)


async def survivor() -> None:
    await agent("survivor", weather).run(task=ASKED)
    count("agent", "survivor", None, arguments=ASKED)
    called(1, "survivor")
    count("tool", "weather", "survivor", arguments=OSLO, result=SUN)


with serving() as models_served:
    conform(
        {"everything": lambda: everything(models_served)},
        lacking=(SingleThreadedAgentRuntime, "_process_publish"),
        brief=lambda: counting(survivor),
    )
