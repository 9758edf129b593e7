"""Agents, graphs, swarms, tools and models of Strands, over a model of the program and a loopback model."""

import asyncio
import gc
import json
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conformance import conform, failed
from hanging import given_up, hang
from ledger import count, ledger
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from models import Models, serving
from pydantic import BaseModel
from strands import Agent, ToolContext, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent
from strands.models import Model
from strands.models.openai import OpenAIModel
from strands.multiagent import GraphBuilder, Swarm
from strands.session.file_session_manager import FileSessionManager
from strands.tools.decorator import DecoratedFunctionTool
from strands.tools.executors._executor import ToolExecutor
from strands.tools.mcp import MCPClient
from strands.tools.tools import PythonAgentTool
from strands.types.tools import AgentTool

KEY = "sk-planted-0123456789abcdef0123456789abcdef"
DESK = Path(__file__).with_name("replayed_desk.py")


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


class Scripted(Model):
    """Answers one after the other: texts, calls of tools, or failures."""

    def __init__(self, parent: str | None, *answers: Any) -> None:
        self.parent, self.answers = parent, iter(answers)

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {"model_id": "scripted-1"}

    def structured_output(self, *_: Any, **__: Any) -> Any: ...

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        answer = next(self.answers)
        if isinstance(answer, Exception):
            count("llm", "scripted-1", self.parent, "error", error=str(answer))
            raise answer
        yield {"messageStart": {"role": "assistant"}}
        for at, part in enumerate(answer if isinstance(answer, tuple) else [answer]):
            is_text = isinstance(part, str)
            start = {} if is_text else {"toolUse": {"name": part[0], "toolUseId": f"call_{at}"}}
            yield {"contentBlockStart": {"start": start, "contentBlockIndex": at}}
            for word in part.split(" ") if is_text else [json.dumps(part[1])]:
                delta = {"text": f"{word} "} if is_text else {"toolUse": {"input": word}}
                yield {"contentBlockDelta": {"delta": delta, "contentBlockIndex": at}}
            yield {"contentBlockStop": {"contentBlockIndex": at}}
        reason = "tool_use" if isinstance(answer, tuple) else "end_turn"
        yield {"messageStop": {"stopReason": reason}}
        usage = {"inputTokens": 12, "outputTokens": 3, "totalTokens": 15}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}
        more = {"result": f"{answer} "} if isinstance(answer, str) else {}
        count("llm", "scripted-1", self.parent, tokens=[12, 3], **more)


class Passing(Scripted):
    """Calls its superclass's, which is one call."""

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async for event in super().stream(*args, **kwargs):
            yield event


class Listed:
    """What is only to be iterated over, as Strands says of a model's events."""

    def __init__(self, events: Any) -> None:
        self.events = events

    def __aiter__(self) -> Any:
        return self.events


class Other(Scripted):
    """Hands on to another model by position, and wraps its events."""

    def stream(self, messages: Any, tools: Any = None, prompt: Any = None, choice: Any = None, **more: Any) -> Any:
        return Listed(Scripted("scripted-1", *self.answers).stream(messages, tools, prompt, choice, **more))


@tool
def weather(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{days} days of sun in {city}"


@tool
async def broken(city: str) -> str:
    """Fail."""
    raise KeyError(f"no {city}")


@tool(context=True)
def where(tool_context: ToolContext, city: str) -> dict[str, Any]:
    """Tell who asks, in a result of its own form."""
    return {"status": "success", "content": [{"text": f"{tool_context.agent.name} in "}, {"text": city}]}


@tool
async def words(city: str) -> AsyncIterator[str]:
    """Tell it word by word."""
    yield "one"
    yield f"one {city}"


@tool
async def hanging() -> str:
    """Wait for nothing."""
    await hang()
    return ""


@tool(context=True)
def ask(tool_context: ToolContext, what: str) -> str:
    """Ask a person."""
    return f"heard {tool_context.interrupt('ask', reason=what)}"


def by_request(request: Any, **_: Any) -> Any:
    found = {"text": f"by {request['input']['city']}"}
    return {"toolUseId": request["toolUseId"], "status": "error", "content": [found]}


MODULE_TOOL = PythonAgentTool(
    "by_request",
    {
        "name": "by_request",
        "description": "A function of a module.",
        "inputSchema": {"json": {"type": "object", "properties": {"city": {"type": "string"}}}},
    },
    by_request,
)


class Counting(DecoratedFunctionTool):
    """Counts in its own state, and calls its superclass's, which is one call."""

    calls = 0

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        self.calls += 1
        async for event in super().stream(*args, **kwargs):
            yield event


@tool(context=True)
def factorial(tool_context: ToolContext, n: int) -> str:
    """Have the agent call it itself."""
    if not n:
        return "1"
    less = tool_context.agent.tool.factorial(n=n - 1, record_direct_tool_call=False)
    return less["content"][0]["text"]


class Own(AgentTool):
    """A tool without a function."""

    tool_name, tool_type = "own", "own"
    tool_spec: Any = {"name": "own", "description": "Its own.", "inputSchema": {"json": {"type": "object"}}}

    async def stream(self, tool_use: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        yield {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"json": {"own": 1}}]}


class City(BaseModel):
    name: str


def agent(name: str, *answers: Any, model: type[Scripted] = Scripted, **more: Any) -> Agent:
    return Agent(model(name, *answers), name=name, callback_handler=None, **more)


def kinds(events: list[Any]) -> list[str]:
    return sorted({next(iter(each), "") for each in events})


ASKED = (
    ("weather", {"city": "Oslo", "days": 2}),
    ("broken", {"city": "Rome"}),
    ("where", {"city": "Lima"}),
    ("words", {"city": "Bern"}),
    ("by_request", {"city": "Bonn"}),
    ("own", {}),
    ("nobody", {"x": 1}),
    ("weather", {"days": "many"}),
)


def agents() -> None:
    every = [weather, broken, where, words, MODULE_TOOL, Own()]
    one = agent("one", ASKED, "done", tools=every, description="Asks.", system_prompt="Be brief.")
    seen(one("go"))
    # What the model is told of a failure has nothing of the inspector.
    seen(sorted(str(each["toolResult"]["content"]) for each in one.messages[2]["content"]))
    asked_all("one")
    seen(agent("passing", "fine", model=Passing)("go"))
    count("agent", "passing", None, arguments="go", result="fine ")
    lost = agent("lost", ValueError("no model"))
    try:
        lost("try")
    except ValueError as error:
        seen(error)
        failed()
    count("agent", "lost", None, "error", arguments="try", error="no model")


def asked_all(parent: str) -> None:
    count("agent", parent, None, arguments="go", result="done ")
    oslo = {"city": "Oslo", "days": 2}
    count("tool", "weather", parent, arguments=oslo, result="2 days of sun in Oslo")
    count("tool", "broken", parent, "error", arguments={"city": "Rome"}, error=str(KeyError("no Rome")))
    count("tool", "where", parent, arguments={"city": "Lima"}, result="one in Lima")
    count("tool", "words", parent, arguments={"city": "Bern"}, result="one Bern")
    count("tool", "by_request", parent, "error", arguments={"city": "Bonn"}, error="by Bonn")
    count("tool", "own", parent, arguments={}, result=[{"json": {"own": 1}}])
    count("tool", "nobody", parent, "error", arguments={"x": 1}, error="Unknown tool: nobody")
    count("tool", "weather", parent, "error", arguments={"days": "many"})


def hooks() -> None:
    """Hooks of the program: one cancels a call, one has a tool called again."""
    tries: list[int] = []

    @tool
    def flaky() -> str:
        """Fail once."""
        tries.append(1)
        if len(tries) == 1:
            raise OSError("once")
        return "twice"

    def before(event: BeforeToolCallEvent) -> None:
        if event.tool_use["name"] == "weather":
            event.cancel_tool = "not now"

    def after(event: AfterToolCallEvent) -> None:
        event.retry = event.exception is not None

    held = agent("held", (("weather", {"city": "Oslo"}), ("flaky", {})), "done", tools=[weather, flaky])
    held.add_hook(before)
    held.add_hook(after)
    seen(held("go"))
    count("agent", "held", None, result="done ")
    count("tool", "weather", "held", "denied", arguments={"city": "Oslo"}, error="not now")
    count("tool", "flaky", "held", "error", arguments={}, error="once")
    count("tool", "flaky", "held", arguments={}, result="twice")


def odd() -> None:
    """Tools and models of the program's own classes, and arguments of any name for its hooks."""
    counting = Counting("weather", weather.tool_spec, weather._tool_func, weather._metadata)
    asked = (("weather", {"city": "Oslo"}), ("factorial", {"n": 1}), ("nobody", {"city": "Rome"}))
    answering = agent("odd", asked, "done", tools=[counting, factorial])

    def before(event: BeforeToolCallEvent) -> None:
        if event.tool_use["name"] == "nobody":
            event.selected_tool = weather

    answering.add_hook(before)
    seen(answering("go", agent="x", owner="y"))
    seen(counting.calls)
    count("agent", "odd", None, result="done ")
    count("tool", "weather", "odd", arguments={"city": "Oslo"}, result="1 days of sun in Oslo")
    count("tool", "factorial", "odd", arguments={"n": 1}, result="1")
    count("tool", "factorial", "factorial", arguments={"n": 0}, result="1")
    count("tool", "nobody", "odd", arguments={"city": "Rome"}, result="1 days of sun in Rome")
    seen(agent("other", "fine", model=Other)("go"))
    count("agent", "other", None, result="fine ")
    count("llm", "scripted-1", "other", result="fine ")


def people() -> None:
    """An agent that waits for a person, and goes on."""
    waiting = agent("waiting", (("ask", {"what": "name"}),), "done", tools=[ask])
    first = waiting("go")
    seen(first.stop_reason)
    count("agent", "waiting", None, "cancelled", arguments="go")
    count("tool", "ask", "waiting", "cancelled", arguments={"what": "name"})
    answers = [{"interruptResponse": {"interruptId": each.id, "response": "Ada"}} for each in first.interrupts]
    seen(waiting(answers))
    count("agent", "waiting", None, result="done ")
    count("tool", "ask", "waiting", arguments={"what": "name"}, result="heard Ada")


def nested(directory: str) -> None:
    """Agents as tools, a tool called by the program, and a session that the program gave."""
    helper = agent("helper", (("weather", {"city": "Oslo"}),), "sunny", tools=[weather])
    kept = FileSessionManager("session-7", storage_dir=directory)
    outer = agent("outer", (("helper", {"input": "ask"}),), "done", tools=[helper], session_manager=kept)
    seen(outer("plan"))
    count("agent", "outer", None, arguments="plan", result="done ")
    count("tool", "helper", "outer", arguments={"input": "ask"})
    count("agent", "helper", "helper", arguments="ask", result="sunny ")
    count("tool", "weather", "helper", arguments={"city": "Oslo"}, result="1 days of sun in Oslo")
    seen(helper.tool.weather(city="Rome")["content"])
    count("tool", "weather", None, arguments={"city": "Rome"}, result="1 days of sun in Rome")
    city = agent("typed", (("City", {"name": "Oslo"}),), structured_output_model=City)
    seen(city("which").structured_output)
    count("agent", "typed", None, result={"name": "Oslo"})
    count("tool", "City", "typed", arguments={"name": "Oslo"})


def together() -> None:
    def node(name: str, *answers: Any, **more: Any) -> Agent:
        return agent(name, *answers, **more)

    builder = GraphBuilder()
    for name in ("left", "right", "last"):
        builder.add_node(node(name, name), name)
    builder.add_edge("left", "last")
    builder.add_edge("right", "last")
    builder.set_graph_id("paths").set_execution_timeout(60)
    seen(builder.build()("task").status)
    count("workflow", "paths", None, arguments="task")
    for name in ("left", "right", "last"):
        count("agent", name, "paths", result=f"{name} ")
    builder = GraphBuilder()
    builder.add_node(node("bad", ValueError("no model")), "bad")
    builder.set_execution_timeout(60)
    try:
        seen(builder.build()("task"))
    except ValueError as error:
        seen(error)
        failed()
    count("workflow", "default_graph", None, "error", arguments="task", error="no model")
    count("agent", "bad", "default_graph", "error", error="no model")
    over = ("handoff_to_agent", {"agent_name": "second", "message": "yours"})
    swarm = Swarm([node("first", (over,), "handed"), node("second", "done")], id="bees")
    seen(swarm("task").status)
    count("workflow", "bees", None, arguments="task")
    count("agent", "first", "bees", result="handed ")
    count("tool", "handoff_to_agent", "first", arguments=over[1])
    count("agent", "second", "bees", result="done ")


async def streams() -> None:
    whole = agent("whole", (("words", {"city": "Rome"}),), "done", tools=[words])
    seen(kinds([event async for event in whole.stream_async("go")]))
    count("agent", "whole", None, arguments="go", result="done ")
    count("tool", "words", "whole", arguments={"city": "Rome"}, result="one Rome")
    early = agent("early", "never more than this")
    async with aclosing(early.stream_async("close")) as events:
        async for event in events:
            if "data" in event:
                break
    # Strands drops the generators inside, in cycles.
    gc.collect()
    await asyncio.sleep(0)
    count("agent", "early", None, "closed", arguments="close")
    count("llm", "scripted-1", "early", "abandoned", result="never ")
    left = agent("left", (("hanging", {}),), tools=[hanging])
    await given_up(left.invoke_async("hang"))
    count("agent", "left", None, "cancelled", arguments="hang")
    count("tool", "hanging", "left", "cancelled", arguments={})
    both = (agent(name, (("weather", {"city": name}),), name, tools=[weather]) for name in ("a", "b"))
    seen([str(each) for each in await asyncio.gather(*(each.invoke_async(each.name) for each in both))])
    for name in ("a", "b"):
        count("agent", name, None, arguments=name, result=f"{name} ")
        count("tool", "weather", name, arguments={"city": name}, result=f"1 days of sun in {name}")


def clients(models: Models) -> None:
    """Models whose clients are recorded themselves, and tools of a server."""

    def over(name: str, tools: Any) -> Agent:
        args = {"base_url": f"{models.url}/v1", "api_key": KEY, "max_retries": 0}
        model = OpenAIModel(client_args=args, model_id="gpt-4o")
        return Agent(model, name=name, tools=tools, callback_handler=None)

    asked = '!call weather {"city": "Oslo"}'
    seen(over("sdk", [weather])(asked))
    count("agent", "sdk", None, arguments=asked, result="told: 1 days of sun in Oslo")
    count("tool", "weather", "sdk", arguments={"city": "Oslo"}, result="1 days of sun in Oslo")
    count("llm", "gpt-4o", "sdk", result="")
    count("llm", "gpt-4o", "sdk", result="told: 1 days of sun in Oslo")
    try:
        over("refused", [])("\n!fail 400 9")
    except Exception as error:
        seen(type(error).__name__)
        count("agent", "refused", None, "error")
    count("llm", "gpt-4o", "refused", "error")
    server = StdioServerParameters(command=sys.executable, args=[str(DESK), "ledger.txt", "desk"])
    with MCPClient(lambda: stdio_client(server)) as desk:
        seen(over("remote", desk.list_tools_sync())(asked))
    for method, parent in (("server/discover", None), ("tools/list", None)):
        count("rpc", method, parent)
    count("agent", "remote", None, arguments=asked)
    count("tool", "weather", "remote", arguments={"city": "Oslo"})
    for _ in range(2):
        count("llm", "gpt-4o", "remote")


def everything(models: Models) -> list[dict[str, Any]]:
    ledger.clear()
    agents()
    hooks()
    odd()
    people()
    with TemporaryDirectory() as directory:
        nested(directory)
    together()
    asyncio.run(streams())
    clients(models)
    return ledger


def brief() -> list[dict[str, Any]]:
    ledger.clear()
    agent("survivor", "done")("go")
    count("agent", "survivor", None, result="done ")
    return ledger


with serving() as served:
    conform({"everything": lambda: everything(served)}, lacking=(ToolExecutor, "_stream"), brief=brief)
