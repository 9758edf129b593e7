"""Agents of LlamaIndex with tools that give objects, fail and are query engines; a handover, retrieval, streams."""

import asyncio
import os
from dataclasses import dataclass
from typing import Any

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, CodeActAgent, FunctionAgent, ReActAgent, ToolCallResult
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.tools import BaseTool, FunctionTool, QueryEngineTool, ToolMetadata, ToolOutput
from llama_index.core.workflow import Context
from llama_index.llms.openai import OpenAI
from workflows.events import StepStateChanged

IS_RECORDED = "REPLAYED" not in os.environ
MODEL = OpenAI(model="gpt-4o", api_base=os.environ["OPENAI_BASE_URL"], max_retries=0)


@dataclass
class Room:
    hotel: str
    beds: int


def find(city: str, beds: int = 1) -> list[Room]:
    """Find a room."""
    assert IS_RECORDED
    return [Room(f"Casa {city}", beds)]


async def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise KeyError(why)


async def note(context: Context, text: str) -> str:
    """Take a note."""
    assert IS_RECORDED
    await context.store.set("noted", text)
    return f"noted {text}"


second_is_done = asyncio.Event()


async def first() -> str:
    """Return after the second, whose result comes first in the prompt then, unlike in a replay."""
    assert IS_RECORDED
    await second_is_done.wait()
    return "one"


async def second() -> str:
    """Return."""
    assert IS_RECORDED
    return "two"


class Lookup(BaseTool):
    """A tool without coroutines, whose result has the error flag."""

    @property
    def metadata(self) -> ToolMetadata:
        return ToolMetadata(description="Look something up.", name="lookup")

    def __call__(self, what: Any) -> ToolOutput:
        assert IS_RECORDED
        raw = {"input": what}
        return ToolOutput(tool_name="lookup", content=f"no {what}", raw_input=raw, raw_output=None, is_error=True)


class Embedding(BaseEmbedding):
    """By the length of a text; a query of a replay has none."""

    def _get_query_embedding(self, query: str) -> list[float]:
        assert IS_RECORDED
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return [float(len(text)), 1.0]


def execute(code: str) -> str:
    """Run code."""
    assert IS_RECORDED
    return f"ran {code}"


async def results(handler: Any) -> str:
    told: list[ToolCallResult] = []
    async for event in handler.stream_events(expose_internal=True):
        if isinstance(event, ToolCallResult):
            told.append(event)
        is_step = isinstance(event, StepStateChanged) and "ToolCallResult" in str(event.output_event_name)
        if is_step and any(each.tool_name == "second" for each in told):
            second_is_done.set()
    outputs = sorted((str(each.tool_output.raw_output), each.tool_output.is_error) for each in told)
    return f"{outputs} {await handler}"


async def main() -> None:
    planner = FunctionAgent(name="planner", tools=[find, fail, note, Lookup()], llm=MODEL, system_prompt="plan")
    for asked in (
        '!call find {"city": "Oslo", "beds": 2}',
        '!call fail {"why": "no such place"}',
        '!call note {"text": "sunny"}\n!call lookup {"input": "Rome"}',
    ):
        print(await results(planner.run(asked)))
    both = FunctionAgent(name="both", tools=[first, second], llm=MODEL)
    print(await results(both.run("!call first {}\n!call second {}")))
    # At once.
    print(sorted(await asyncio.gather(*(results(planner.run(f'!call find {{"city": "{name}"}}')) for name in "ab"))))
    alpha = FunctionAgent(name="alpha", description="1", llm=MODEL, can_handoff_to=["beta"])
    beta = FunctionAgent(name="beta", description="2", llm=MODEL)
    team = AgentWorkflow(agents=[alpha, beta], root_agent="alpha")
    print(await results(team.run('!call handoff {"to_agent": "beta", "reason": "knows"}')))
    index = VectorStoreIndex.from_documents(
        [Document(text="cats purr", id_="c"), Document(text="dogs bark", id_="d")], embed_model=Embedding()
    )
    engine = index.as_query_engine(llm=MODEL, similarity_top_k=1)
    response = engine.query("\n!say meow\n")
    print(response, [each.node.get_content() for each in response.source_nodes])
    print(await engine.aquery("\n!say woof\n"))
    print("".join(index.as_query_engine(llm=MODEL, streaming=True).query("\n!say one two\n").response_gen))
    docs = QueryEngineTool.from_defaults(engine, name="docs", description="All documents.")
    reader = FunctionAgent(name="reader", tools=[docs], llm=MODEL, streaming=False)
    print(await reader.run('!call docs {"input": "\\n!say woof\\n"}'))
    react = ReActAgent(name="react", tools=[find], llm=MODEL)
    print(await react.run("!say known"))
    coder = CodeActAgent(name="coder", code_execute_fn=execute, llm=MODEL)
    print(await coder.run("!say <execute>print(1)</execute>", max_iterations=2, early_stopping_method="generate"))
    print(MODEL.predict_and_call([FunctionTool.from_defaults(find)], '!call find {"city": "Bonn"}'))
    try:
        await planner.run("\n!fail 400 9")
    except Exception as error:
        print(type(error).__name__)


asyncio.run(main())
