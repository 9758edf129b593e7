"""Agents, graphs, chains, streams and batches of LangChain; counts its own calls."""

import asyncio
import operator
import threading
import warnings
from typing import Annotated, Any, TypedDict

import hanging
from conformance import conform
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.language_models.llms import BaseLLM
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel
from langchain_core.tools import tool
from langchain_core.tracers import context as tracers
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from ledger import count, hand, ledger

from instrument import around

USAGE = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}


class Scripted(BaseChatModel):
    model: str = "scripted-1"
    script: list[Any]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        said = self.script.pop(0)
        if isinstance(said, Exception):
            raise said
        message = said if isinstance(said, AIMessage) else AIMessage(said, usage_metadata=USAGE)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        if self.script[0] is None:
            await hanging.hang()
        return self._generate(messages)

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
        with around("tool_call", tool_name="provider", args={}, context=None):
            pass
        for text in self.script.pop(0):
            if isinstance(text, Exception):
                raise text
            yield ChatGenerationChunk(message=AIMessageChunk(text))
        yield ChatGenerationChunk(message=AIMessageChunk("", usage_metadata=USAGE))


def asks(*calls: tuple[str, dict[str, Any], str]) -> AIMessage:
    wanted = [{"name": name, "args": args, "id": call_id} for name, args, call_id in calls]
    return AIMessage("", tool_calls=wanted, usage_metadata=USAGE)


def agents() -> None:
    both = threading.Barrier(2)

    @tool
    def add(a: int, b: int) -> int:
        """Add."""
        both.wait(10)
        hand(f"by hand {a}")
        count("tool", f"by hand {a}", "add")
        count("tool", "add", "planner", arguments={"a": a, "b": b}, result=str(a + b))
        return a + b

    @tool
    def fail(why: str) -> str:
        """Fail."""
        count("tool", "fail", "planner", "error", arguments={"why": why}, error=why)
        raise RuntimeError(why)

    researcher = create_agent(Scripted(script=["found"]), [], name="researcher")

    @tool
    def research(topic: str) -> str:
        """Ask another agent."""
        answer = researcher.invoke({"messages": [("user", topic)]})["messages"][-1].content
        count("llm", "scripted-1", "researcher", tokens=[11, 7])
        count("agent", "researcher", "research")
        count("tool", "research", "planner", arguments={"topic": topic}, result=answer)
        return answer

    model = Scripted(
        script=[
            asks(("add", {"a": 1, "b": 2}, "c1"), ("add", {"a": 3, "b": 4}, "c2")),
            asks(("research", {"topic": "hooks"}, "c3")),
            asks(("fail", {"why": "no such place"}, "c4")),
        ]
    )
    planner = create_agent(model, [add, research, fail], name="planner")
    try:
        planner.invoke({"messages": [("user", "plan")]}, {"configurable": {"thread_id": "trip-42"}})
    except RuntimeError as exc:
        count("agent", "planner", None, "error", error=str(exc))
    for _ in range(3):
        count("llm", "scripted-1", "planner", tokens=[11, 7])


async def asynchronous() -> None:
    both = asyncio.Barrier(2)

    @tool
    async def wait(name: str) -> str:
        """Wait for the other."""
        await both.wait()
        hand(f"by hand {name}")
        count("tool", f"by hand {name}", "wait")
        count("tool", "wait", "waiter", arguments={"name": name}, result=name)
        return name

    @tool
    async def hang() -> str:
        """Wait for nothing."""
        await hanging.hang()
        return ""

    model = Scripted(script=[asks(("wait", {"name": "a"}, "c1"), ("wait", {"name": "b"}, "c2")), "done"])
    await create_agent(model, [wait], name="waiter").ainvoke({"messages": [("user", "wait")]})
    count("llm", "scripted-1", "waiter", tokens=[11, 7])
    count("llm", "scripted-1", "waiter", tokens=[11, 7])
    count("agent", "waiter", None)
    for work in (Scripted(script=[None]).ainvoke("never"), hang.ainvoke({})):
        await hanging.given_up(work)
    count("llm", "scripted-1", None, "cancelled")
    count("tool", "hang", None, "cancelled", arguments={})
    cut = create_agent(Scripted(script=[asks(("hang", {}, "c1"))]), [hang], name="cut")
    await hanging.given_up(cut.ainvoke({"messages": [("user", "hang")]}))
    count("agent", "cut", None, "cancelled")
    count("llm", "scripted-1", "cut", tokens=[11, 7])
    count("tool", "hang", "cut", "cancelled", arguments={})


def streams() -> None:
    model = Scripted(script=[["a", "b"], ["c", ValueError("torn")], ["d", "e"]])
    said = ""
    for chunk in model.stream("whole"):
        hand("consumer")
        said += chunk.content
    count("llm", "scripted-1", None, tokens=[11, 7], result=said)
    try:
        for chunk in model.stream("torn"):
            said += chunk.content
    except ValueError as exc:
        count("llm", "scripted-1", None, "error", error=str(exc), result="c")
    left = model.stream("left")
    next(left)
    left.close()
    count("llm", "scripted-1", None, "closed", result="d")
    for _ in range(3):
        count("tool", "provider", "scripted-1")
    for _ in range(4):
        count("tool", "consumer", None)
    chain = RunnableLambda(lambda text: text) | Scripted(script=[["x"]])
    for _ in chain.stream("in a chain"):
        hand("consumer of a chain")
    count("llm", "scripted-1", "RunnableSequence", tokens=[11, 7], result="x")
    count("tool", "provider", "scripted-1")
    count("workflow", "RunnableSequence", None)
    for _ in range(3):
        count("tool", "consumer of a chain", None)


async def async_streams() -> None:
    model = Scripted(script=[["a", "b"], ["d", "e"]])
    async for _ in model.astream("whole"):
        hand("consumer")
    left = model.astream("left")
    await anext(left)
    await left.aclose()
    count("llm", "scripted-1", None, tokens=[11, 7], result="ab")
    count("llm", "scripted-1", None, "closed", result="d")
    for _ in range(2):
        count("tool", "provider", "scripted-1")
    for _ in range(4):
        count("tool", "consumer", None)
    if hasattr(model, "_achat_model_stream_v3"):
        await read_events()


async def read_events() -> None:
    """Read a stream whose model is asked in a task of its own; versions 1.0 have none."""
    with warnings.catch_warnings(action="ignore"):
        # Only the newest versions have it.
        events = await Scripted(script=[["f", "g"]]).astream_events("events", version="v3")
    async for _ in events.text:
        hand("reader")
        count("tool", "reader", None)
    hand("after")
    count("tool", "after", None)
    count("llm", "scripted-1", None, tokens=[11, 7], result="fg")
    count("tool", "provider", "scripted-1")


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        hand("index")
        return [Document(query)]


def chains() -> None:
    class Echo(Scripted):
        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
            hand(f"provider of {messages[-1].content}")
            return super()._generate(messages)

    chain = RunnableLambda(lambda text: text, name="read") | Echo(script=["1", "2", "3"])
    chain.batch(["x", "y", "z"])
    for text in "xyz":
        count("workflow", "RunnableSequence", None, arguments=text)
        count("llm", "scripted-1", "RunnableSequence", tokens=[11, 7])
        count("tool", f"provider of {text}", "scripted-1")
    both = threading.Barrier(2)

    def branch(name: str) -> Any:
        def work(_: str) -> str:
            both.wait(10)
            hand(name)
            return name

        return RunnableLambda(work, name=name)

    RunnableParallel(left=branch("left"), right=branch("right")).invoke("go")
    count("workflow", "RunnableParallel<left,right>", None, arguments="go")
    count("tool", "left", "RunnableParallel<left,right>")
    count("tool", "right", "RunnableParallel<left,right>")
    Shelf().invoke("hooks")
    count("tool", "Shelf", None, arguments={"query": "hooks"})
    count("tool", "index", "Shelf")
    FakeListLLM(responses=["text"]).invoke("go on")
    count("llm", "FakeListLLM", None, result="text")


class State(TypedDict):
    seen: Annotated[list[str], operator.add]


def graphs() -> None:
    inner = StateGraph(State)
    inner.add_node("leaf", lambda _: {"seen": ["leaf"]})
    inner.add_edge(START, "leaf")

    def ask(_: State) -> Any:
        hand("before asking")
        return {"seen": [interrupt("Really?")]}

    graph = StateGraph(State)
    graph.add_node("first", lambda _: {"seen": ["first"]})
    graph.add_node("inner", inner.compile())
    graph.add_node("ask", ask)
    graph.add_edge(START, "first")
    graph.add_edge("first", "inner")
    graph.add_edge("inner", "ask")
    app = graph.compile(checkpointer=InMemorySaver(), name="trip")
    config: Any = {"configurable": {"thread_id": "trip-43"}}
    for _ in app.stream({"seen": []}, config):
        hand("consumer of a graph")
    answer = app.invoke(Command(resume="yes"), config)
    count("workflow", "trip", None)
    count("workflow", "first", "trip")
    count("workflow", "inner", "trip")
    count("workflow", "leaf", "inner")
    count("workflow", "ask", "trip", "cancelled")
    count("tool", "before asking", "ask")
    for _ in range(3):
        count("tool", "consumer of a graph", None)
    count("workflow", "trip", None)
    count("workflow", "ask", "trip")
    count("tool", "before asking", "ask")
    assert answer["seen"][-1] == "yes"


def functions() -> None:
    @task
    def double(number: int) -> int:
        hand(f"doubling {number}")
        return number * 2

    @entrypoint(checkpointer=InMemorySaver())
    def plan(number: int) -> str:
        doubled = [double(number), double(number + 1)]
        chain = RunnableLambda(lambda text: text, name="double")
        return f"{interrupt('Sure?')}: {chain.invoke(sum(each.result() for each in doubled))}"

    config: Any = {"configurable": {"thread_id": "trip-44"}}
    plan.invoke(1, config)
    assert plan.invoke(Command(resume="yes"), config) == "yes: 6"
    for number in (1, 2):
        # What a task has returned is kept while its entrypoint waits.
        count("workflow", "double", "plan", result=number * 2)
        count("tool", f"doubling {number}", "double")
    count("workflow", "plan", None, arguments=1)
    count("workflow", "plan", None, result="yes: 6")


def interrupted() -> None:
    @tool
    def book(city: str) -> str:
        """Book."""
        return f"{city}: {interrupt('Book it?')}"

    model = Scripted(script=[asks(("book", {"city": "Ulm"}, "c1")), "done"])
    clerk = create_agent(model, [book], name="clerk", checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "trip-45"}}
    clerk.invoke({"messages": [("user", "book")]}, config)
    clerk.invoke(Command(resume="yes"), config)
    for _ in range(2):
        count("agent", "clerk", None)
        count("llm", "scripted-1", "clerk", tokens=[11, 7])
    count("tool", "book", "clerk", "cancelled", arguments={"city": "Ulm"}, result=None)
    count("tool", "book", "clerk", arguments={"city": "Ulm"}, result="Ulm: yes")


def everything() -> list[dict[str, Any]]:
    ledger.clear()
    for work in (agents, streams, chains, graphs, functions, interrupted):
        work()
    for work_async in (asynchronous, async_streams):
        asyncio.run(work_async())
    return ledger


def brief() -> list[dict[str, Any]]:
    ledger.clear()
    Scripted(script=["a"]).invoke("hello")
    count("llm", "scripted-1", None, tokens=[11, 7])
    return ledger


def hooks_of_ours() -> list[str]:
    return [each[0].name for each in tracers._configure_hooks if "inspector" in each[0].name]


conform({"all": everything}, lacking=(BaseLLM, "agenerate"), brief=brief, left_hooks=hooks_of_ours)
