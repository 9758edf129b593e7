"""Pipelines, components, agents and tools of Haystack, over a loopback model."""

import asyncio
import gc
import os
from collections.abc import Coroutine
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from conformance import conform, failed
from hanging import given_up, hang
from haystack import Document, Pipeline, component
from haystack.components.agents import Agent, State
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.retrievers import InMemoryBM25Retriever
from haystack.core.errors import BreakpointException
from haystack.dataclasses import ChatMessage
from haystack.dataclasses.breakpoints import Breakpoint
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.tools import AgentTool, ComponentTool, Tool, tool
from haystack.utils import Secret
from ledger import count, ledger
from models import Models, serving

KEY = "sk-planted-0123456789abcdef0123456789abcdef"
_url: list[str] = []


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


def awaited(work: Coroutine[Any, Any, Any]) -> Any:
    """Run it in an event loop, where no client of an earlier one is left to be closed."""
    gc.collect()
    return asyncio.run(work)


@tool
def weather(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{days} days of sun in {city}"


@tool
def broken(city: str) -> str:
    """Fail."""
    raise KeyError(f"no {city}")


@tool
async def slow(city: str) -> str:
    """Take a while."""
    await asyncio.sleep(0)
    return f"slow {city}"


@tool
async def hanging() -> str:
    """Wait for nothing."""
    await hang()
    return ""


def keep(state: State, what: str) -> str:
    """Keep something in the agent's state."""
    state.set("kept", what)
    return f"kept {what}"


class Remote(Tool):
    """Connects once, before its first call, and closes that when it is dropped, as tools of MCP servers do."""

    def __init__(self) -> None:
        self.connected: list[str] = []
        super().__init__("remote", "Far.", {"type": "object", "properties": {}}, function=str)

    def warm_up(self) -> None:
        if not self.connected:
            self.connected.append("connected")
            self.function = self._ask

    def _ask(self) -> str:
        return self.connected[-1]

    def __del__(self) -> None:
        self.connected.append("closed")


@tool
def factorial(n: int) -> int:
    """Call itself."""
    return n * factorial.invoke(n=n - 1) if n else 1


@component
class Shout:
    @component.output_types(text=str)
    def run(self, text: str) -> dict[str, str]:
        if text == "fail":
            raise ValueError("too quiet")
        return {"text": text.upper()}


def model() -> OpenAIChatGenerator:
    return OpenAIChatGenerator(Secret.from_token(KEY), "gpt-4o", api_base_url=f"{_url[0]}/v1", max_retries=0)


def agent(*tools: Tool, **more: Any) -> Agent:
    return Agent(chat_generator=model(), tools=list(tools), **more)


def user(text: str) -> list[ChatMessage]:
    return [ChatMessage.from_user(text)]


OSLO, ROME = {"city": "Oslo", "days": 2}, {"city": "Rome"}


def agents() -> None:
    asked = '!call weather {"city": "Oslo", "days": 2}\n!call broken {"city": "Rome"}\n!call nobody {"x": 1}'
    result = agent(weather, broken).run(user(asked))
    seen([each.tool_call_result.result for each in result["messages"] if each.tool_call_result])
    count("agent", "Agent", None, arguments=asked, result=result["last_message"].text)
    count("tool", "weather", "Agent", arguments=OSLO, result="2 days of sun in Oslo")
    count("tool", "broken", "Agent", "error", arguments=ROME, error=str(KeyError("no Rome")))
    unknown = "Tool 'nobody' not found. Available tools: weather, broken"
    count("tool", "nobody", "Agent", "error", arguments={"x": 1}, error=unknown)
    called(2)
    asked = '!call broken {"city": "Rome"}'
    try:
        agent(broken, raise_on_tool_invocation_failure=True).run(user(asked))
    except Exception as error:
        seen(error)
        failed()
        count("agent", "Agent", None, "error", arguments=asked, error=str(error))
    count("tool", "broken", "Agent", "error", arguments=ROME, error=str(KeyError("no Rome")))
    called(1)
    asked = '!call keep {"what": "it"}'
    keeping = Tool("keep", "Keep.", {"type": "object", "properties": {"what": {"type": "string"}}}, keep)
    keeper = agent(keeping, state_schema={"kept": {"type": str}})
    seen(keeper.run(user(asked))["kept"])
    count("agent", "Agent", None, arguments=asked, result="told: kept it")
    count("tool", "keep", "Agent", arguments={"what": "it"}, result="kept it")
    called(2)
    seen(weather.invoke(city="Rome"))
    count("tool", "weather", None, arguments=ROME, result="1 days of sun in Rome")
    try:
        agent(weather).run(user("\n!fail 400 9"))
    except Exception as error:
        seen(type(error).__name__)
        count("agent", "Agent", None, "error", error=str(error))
    count("llm", "gpt-4o", "Agent", "error")


def called(times: int, parent: str = "Agent") -> None:
    for _ in range(times):
        count("llm", "gpt-4o", parent)


def nested() -> None:
    """An agent and a component as tools."""
    helper = AgentTool(agent=agent(weather), name="helper", description="Helps.")
    shout = ComponentTool(component=Shout(), name="shout", description="Shout.")
    inner = '!call weather {\\"city\\": \\"Oslo\\", \\"days\\": 2}'
    task = f'[{{"role": "user", "content": [{{"text": "{inner}"}}]}}]'
    asked = f'!call helper {{"messages": {task}}}\n!call shout {{"text": "hey"}}'
    result = agent(helper, shout).run(user(asked))
    seen(result["last_message"].text)
    count("agent", "Agent", None, arguments=asked, result=result["last_message"].text)
    count("tool", "helper", "Agent")
    count("agent", "Agent", "helper", result="told: 2 days of sun in Oslo")
    count("tool", "weather", "Agent", arguments=OSLO, result="2 days of sun in Oslo")
    count("tool", "shout", "Agent", arguments={"text": "hey"}, result={"text": "HEY"})
    called(4)


def rag() -> Pipeline:
    store = InMemoryDocumentStore()
    documents = [Document(content="Sun in Oslo", id="d1", embedding=[0.5] * 4), Document(content="x", id="d2")]
    store.write_documents(documents)
    prompt = user("{% for each in documents %}{{ each.content }}{% endfor %}: {{ question }}")
    pipeline = Pipeline(metadata={"name": "answers"})
    pipeline.add_component("find", InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component("build", ChatPromptBuilder(prompt, required_variables="*"))
    pipeline.add_component("llm", model())
    pipeline.connect("find.documents", "build.documents")
    pipeline.connect("build.prompt", "llm.messages")
    return pipeline


RAG = {"find": {"query": "Oslo"}, "build": {"question": "what"}}


def answered() -> None:
    count("workflow", "answers", None, arguments=RAG)
    for name in ("find", "build", "llm"):
        count("workflow", name, "answers")
    count("llm", "gpt-4o", "llm", result="echo: Sun in Oslo: what")


def pipelines() -> None:
    seen(rag().run(RAG)["llm"]["replies"][0].text)
    answered()
    seen(awaited(rag().run_async(RAG))["llm"]["replies"][0].text)
    answered()
    pipeline = Pipeline()
    pipeline.add_component("shout", Shout())
    pipeline.add_component("again", Shout())
    pipeline.connect("shout.text", "again.text")
    for text in ("hey", "fail"):
        try:
            seen(pipeline.run({"shout": {"text": text}}))
        except Exception as error:
            seen(error)
            failed()
    count("workflow", "Pipeline", None, arguments={"shout": {"text": "hey"}}, result={"again": {"text": "HEY"}})
    count("workflow", "shout", "Pipeline", arguments={"text": "hey"}, result={"text": "HEY"})
    count("workflow", "again", "Pipeline", arguments={"text": "HEY"}, result={"text": "HEY"})
    count("workflow", "Pipeline", None, "error", arguments={"shout": {"text": "fail"}}, error="too quiet")
    count("workflow", "shout", "Pipeline", "error", arguments={"text": "fail"}, error="too quiet")
    try:
        pipeline.run({"shout": {"text": "hey"}}, break_point=Breakpoint("again", 0))
    except BreakpointException as error:
        seen(error)
        failed()
    count("workflow", "Pipeline", None, "cancelled", arguments={"shout": {"text": "hey"}})
    count("workflow", "shout", "Pipeline", arguments={"text": "hey"}, result={"text": "HEY"})
    count("workflow", "again", "Pipeline", "cancelled")
    pipeline = Pipeline()
    pipeline.add_component("planner", agent(weather))
    asked = '!call weather {"city": "Oslo", "days": 2}'
    seen(pipeline.run({"planner": {"messages": user(asked)}})["planner"]["last_message"].text)
    count("workflow", "Pipeline", None)
    count("agent", "planner", "Pipeline", arguments=asked, result="told: 2 days of sun in Oslo")
    count("tool", "weather", "planner", arguments=OSLO, result="2 days of sun in Oslo")
    called(2, "planner")


async def tools() -> None:
    """Tools that the program calls itself: one with a state of its own, one that calls itself."""
    remote = Remote()
    seen([remote.invoke(), await remote.invoke_async(), remote.connected])
    for _ in range(2):
        count("tool", "remote", None, arguments={}, result="connected")
    seen(factorial.invoke(n=1))
    count("tool", "factorial", None, arguments={"n": 1}, result=1)
    count("tool", "factorial", "factorial", arguments={"n": 0}, result=1)


async def at_once() -> None:
    async def one(city: str) -> str:
        asked = f'!call slow {{"city": "{city}"}}\n!call weather {{"city": "{city}", "days": 2}}'
        result = await agent(slow, weather).run_async(user(asked))
        count("agent", "Agent", None, arguments=asked, result=result["last_message"].text)
        count("tool", "slow", "Agent", arguments={"city": city}, result=f"slow {city}")
        count("tool", "weather", "Agent", arguments={"city": city, "days": 2}, result=f"2 days of sun in {city}")
        called(2)
        return result["last_message"].text

    await tools()
    seen(await asyncio.gather(one("Oslo"), one("Rome")))
    await given_up(agent(hanging).run_async(user("!call hanging {}")))
    count("agent", "Agent", None, "cancelled")
    count("tool", "hanging", "Agent", "cancelled", arguments={})
    called(1)


def everything(models: Models) -> list[dict[str, Any]]:
    ledger.clear()
    _url[:] = [models.url]
    agents()
    nested()
    pipelines()
    awaited(at_once())
    return ledger


def brief() -> list[dict[str, Any]]:
    ledger.clear()
    agent(weather).run(user("go"))
    count("agent", "Agent", None, arguments="go")
    called(1)
    return ledger


with serving() as served:
    conform({"everything": lambda: everything(served)}, lacking=(Tool, "invoke_async"), brief=brief)
