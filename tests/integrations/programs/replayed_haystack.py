"""Agents and pipelines of Haystack: tools that give objects and fail, agents and components as tools, async.

The model does what the last message of its user says, and tells what the tools gave.
"""

import asyncio
import json
import logging
import os
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document, Pipeline, component
from haystack.components.agents import Agent
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.retrievers import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.tools import AgentTool, ComponentTool, tool
from haystack.utils import Secret

IS_RECORDED = "REPLAYED" not in os.environ
# What a tool raises is logged with its own frames, which do not run in a replay.
logging.disable()


@tool
def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find a room."""
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


@tool
def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise ValueError(why)


@tool
async def slow(city: str) -> str:
    """Take a while."""
    assert IS_RECORDED
    await asyncio.sleep(0)
    return f"slow {city}"


@component
class Search:
    @component.output_types(documents=list[Document])
    def run(self, query: str) -> dict[str, Any]:
        assert IS_RECORDED
        return {"documents": [Document(content=f"on {query}", id="d1")]}


def model() -> OpenAIChatGenerator:
    base = os.environ["OPENAI_BASE_URL"]
    return OpenAIChatGenerator(Secret.from_token("k"), "gpt-4o", api_base_url=base, max_retries=0)


def agent(*tools: Any) -> Agent:
    return Agent(chat_generator=model(), tools=[find, fail, slow, *tools])


def call(name: str, **arguments: Any) -> str:
    return f"!call {name} {json.dumps(arguments)}"


def user(*lines: str) -> list[ChatMessage]:
    return [ChatMessage.from_user("\n".join(lines))]


asked = user(call("find", city="Oslo", beds=2), call("fail", why="no such place"), call("nobody", x=1))
result = agent().run(asked)
print([each.tool_call_result.result for each in result["messages"] if each.tool_call_result])
print(result["last_message"].text, result["exit_reason"])
print(asyncio.run(agent().run_async(user(call("slow", city="Bern"))))["last_message"].text)

helper = AgentTool(agent=agent(), name="helper", description="Helps.")
search = ComponentTool(component=Search(), name="search", description="Search.")
task = [{"role": "user", "content": [{"text": call("find", city="Lima")}]}]
print(agent(helper).run(user(call("helper", messages=task)))["last_message"].text)
print(agent(search).run(user(call("search", query="sun")))["last_message"].text)

store = InMemoryDocumentStore()
store.write_documents([Document(content="Sun in Oslo", id="d1")])
pipeline = Pipeline()
prompt = user("{% for each in documents %}{{ each.content }}{% endfor %}: {{ question }}")
pipeline.add_component("find", InMemoryBM25Retriever(store, top_k=1))
pipeline.add_component("build", ChatPromptBuilder(prompt, required_variables="*"))
pipeline.add_component("planner", agent())
pipeline.connect("find.documents", "build.documents")
pipeline.connect("build.prompt", "planner.messages")
data = {"find": {"query": "Oslo"}, "build": {"question": f"\n{call('find', city='Bari')}"}}
print(pipeline.run(data)["planner"]["last_message"].text)
print(asyncio.run(pipeline.run_async(data))["planner"]["last_message"].text)
try:
    agent().run(user("\n!fail 400 9"))
except Exception as error:
    print(type(error).__name__)
