"""Agents, workflows, tools, retrievers and models of LlamaIndex over a loopback model; counts its own calls."""

import asyncio
import contextlib
import gc
import json
import logging
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from conformance import conform
from hanging import hang, until_it_hangs
from ledger import count, ledger
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import ChatMessage, CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.tools import BaseTool, FunctionTool, QueryEngineTool, ToolMetadata, ToolOutput
from llama_index.core.workflow import (
    Context,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StopEvent,
    Workflow,
    step,
)
from llama_index.core.workflow.errors import WorkflowTimeoutError
from llama_index.llms.openai_like import OpenAILike
from models import Models, serving

KEY = "sk-planted-0123456789abcdef0123456789abcdef"
# What a step raises is logged with the frames of the event loop, which differ from run to run.
logging.getLogger("asyncio").setLevel(logging.CRITICAL)


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


def model(models: Models) -> OpenAILike:
    return OpenAILike(
        model="stub",
        api_base=f"{models.url}/v1",
        api_key=KEY,
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
    )


def weather(city: str) -> str:
    """Tell the weather."""
    return f"sun in {city}"


async def broken(x: int) -> int:
    """Fail."""
    raise KeyError(f"no {x}")


async def slow(x: int) -> int:
    """Wait for nothing."""
    await hang()
    return x


class Lookup(BaseTool):
    """A tool without coroutines, whose result has the error flag."""

    @property
    def metadata(self) -> ToolMetadata:
        return ToolMetadata(description="Look something up.", name="lookup")

    def __call__(self, what: Any) -> ToolOutput:
        return ToolOutput(
            tool_name="lookup", content=f"no {what}", raw_input={"input": what}, raw_output=None, is_error=True
        )


def turn(agent: str, *tools: str) -> None:
    """Count the two model calls of an agent that asks for these tools, which are counted elsewhere, and answers."""
    for _ in range(2 if tools else 1):
        count("llm", "stub", agent)


async def agents(models: Models) -> None:
    planner = FunctionAgent(
        name="planner", description="plans", tools=[weather, broken, Lookup()], llm=model(models), system_prompt="plan"
    )

    async def plan(city: str) -> None:
        asked = f'!call weather {{"city": "{city}"}}\n!call broken {{"x": 3}}\n!call lookup {{"input": "{city}"}}'
        handler = planner.run(asked)
        events = [type(event).__name__ async for event in handler.stream_events()]
        answer = str(await handler)
        seen((sorted(events), sorted(answer.split())))
        # The tools' results are in the order in which they came.
        count("agent", "planner", None, arguments=asked)
        turn("planner", "weather")
        count("tool", "weather", "planner", arguments={"city": city}, result=f"sun in {city}")
        count("tool", "broken", "planner", "error", arguments={"x": 3}, error="'no 3'")
        count("tool", "lookup", "planner", "error", arguments={"input": city}, error=f"no {city}")

    # At once, in one loop.
    await asyncio.gather(plan("Oslo"), plan("Rome"))
    plain = FunctionAgent(name="plain", tools=[weather], llm=model(models), streaming=False)
    seen(await plain.run(user_msg="hello"))
    count("agent", "plain", None, arguments="hello", result="echo: hello")
    count("llm", "stub", "plain", result="echo: hello", tokens=[1, 2])
    try:
        await plain.run("\n!fail 400 9")
    except Exception as error:
        seen(type(error))
        count("agent", "plain", None, "error", error=str(error))
        count("llm", "stub", "plain", "error", error=str(error))


async def several(models: Models) -> None:
    alpha = FunctionAgent(name="alpha", description="1", tools=[weather], llm=model(models), can_handoff_to=["beta"])
    beta = FunctionAgent(name="beta", description="second", tools=[weather], llm=model(models))
    both = AgentWorkflow(agents=[alpha, beta], root_agent="alpha")
    over = {"to_agent": "beta", "reason": "knows"}
    asked = f"!call handoff {json.dumps(over)}"
    answer = str(await both.run(asked))
    seen(answer)
    count("workflow", "AgentWorkflow", None, arguments=asked, result=answer)
    count("agent", "alpha", "AgentWorkflow", arguments=asked, result={"handed_off_to": "beta"})
    count("llm", "stub", "alpha")
    count("tool", "handoff", "alpha", arguments=over)
    count("agent", "beta", "AgentWorkflow", result=answer)
    count("llm", "stub", "beta", result=answer)


async def approve(context: Context, what: str) -> str:
    """Ask a person."""
    said = await context.wait_for_event(HumanResponseEvent, waiter_event=InputRequiredEvent(prefix=what))
    return f"{said.response} to {what}"


async def people(models: Models) -> None:
    agent = FunctionAgent(name="careful", tools=[approve], llm=model(models))
    handler = agent.run('!call approve {"what": "pay"}')
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            handler.ctx.send_event(HumanResponseEvent(response="yes"))
    seen(await handler)
    count("agent", "careful", None, result="told: yes to pay")
    turn("careful", "approve")
    count("tool", "approve", "careful", "cancelled", arguments={"what": "pay"})
    count("tool", "approve", "careful", arguments={"what": "pay"}, result="yes to pay")


async def given_up_on(models: Models) -> None:
    agent = FunctionAgent(name="slow", tools=[slow], llm=model(models))
    handler = agent.run('!call slow {"x": 1}')
    await until_it_hangs()
    await handler.cancel_run()
    try:
        await handler
    except Exception as error:
        seen(type(error))
    count("agent", "slow", None, "cancelled")
    count("llm", "stub", "slow")
    count("tool", "slow", "slow", "cancelled", arguments={"x": 1})


class Middle(Event):
    number: int


class Flow(Workflow):
    @step
    async def first(self, event: StartEvent) -> Middle:
        return Middle(number=event.number + 1)

    @step
    def second(self, event: Middle) -> StopEvent:
        if event.number > 10:
            raise ValueError("too many")
        return StopEvent(result=event.number * 2)


class Hanging(Workflow):
    @step
    async def wait(self, _: StartEvent) -> StopEvent:
        await hang()
        return StopEvent()


class Asking(Workflow):
    @step
    async def ask(self, context: Context, _: StartEvent) -> StopEvent:
        said = await context.wait_for_event(
            HumanResponseEvent, waiter_event=InputRequiredEvent(prefix="your name?"), waiter_id="name"
        )
        return StopEvent(result=said.response)


async def workflows() -> None:
    seen(await Flow().run(number=3))
    count("workflow", "Flow", None, arguments={"number": 3}, result=8)
    count("workflow", "first", "Flow", arguments={"StartEvent": {"number": 3}}, result={"Middle": {"number": 4}})
    count("workflow", "second", "Flow", arguments={"Middle": {"number": 4}}, result=8)
    try:
        await Flow().run(number=30)
    except ValueError as error:
        count("workflow", "Flow", None, "error", arguments={"number": 30}, error=str(error))
        count("workflow", "second", "Flow", "error", error=str(error))
    count("workflow", "first", "Flow", arguments={"StartEvent": {"number": 30}})
    handler = Asking().run()
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            handler.ctx.send_event(HumanResponseEvent(response="Ada"))
    seen(await handler)
    count("workflow", "Asking", None, result="Ada")
    count("workflow", "ask", "Asking", "cancelled")
    count("workflow", "ask", "Asking", result="Ada")
    handler = Hanging(timeout=None).run()
    await until_it_hangs()
    await handler.cancel_run()
    count("workflow", "Hanging", None, "cancelled")
    count("workflow", "wait", "Hanging", "cancelled")
    try:
        # Long enough for the step to begin first, however slow the machine is.
        await Hanging(timeout=0.5).run()
    except WorkflowTimeoutError as error:
        count("workflow", "Hanging", None, "error", error=str(error))
        count("workflow", "wait", "Hanging", "cancelled")


class Embedding(BaseEmbedding):
    """By the length of a text."""

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(len(query)), 1.0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_query_embedding(text)


def index() -> VectorStoreIndex:
    texts = {"c": "cats purr", "d": "dogs bark loudly"}
    documents = [Document(text=text, id_=name, metadata={"of": name}) for name, text in texts.items()]
    return VectorStoreIndex.from_documents(documents, embed_model=Embedding())


def retrieved(query: str, parent: str) -> None:
    count("tool", "VectorIndexRetriever", parent, arguments={"query": query})


def asked(query: str, parent: str | None, answer: str | None, status: str = "ok") -> None:
    count("workflow", "RetrieverQueryEngine", parent, status, arguments=query, result=answer)
    retrieved(query, "RetrieverQueryEngine")


async def retrieval(models: Models) -> None:
    known = index()
    engine: BaseQueryEngine = known.as_query_engine(llm=model(models), similarity_top_k=1)
    answers = [str(engine.query("\n!say meow\n")), str(await engine.aquery("\n!say purr\n"))]
    seen(answers)
    for answer in answers:
        asked(f"\n!say {answer}\n", None, answer)
        count("llm", "stub", "RetrieverQueryEngine", result=answer)
    streams: BaseQueryEngine = known.as_query_engine(llm=model(models), similarity_top_k=1, streaming=True)
    seen("".join(streams.query("\n!say sync one two\n").response_gen))
    response = await streams.aquery("\n!say async one two\n")
    seen("".join([token async for token in response.async_response_gen()]))
    for each in ("sync", "async"):
        asked(f"\n!say {each} one two\n", None, f"{each} one two")
        count("llm", "stub", "RetrieverQueryEngine", result=f"{each} one two")
    response = streams.query("\n!say never read\n")
    del response
    gc.collect()
    asked("\n!say never read\n", None, None, "abandoned")
    tool = QueryEngineTool.from_defaults(engine, name="docs", description="All documents.")
    agent = FunctionAgent(name="reader", tools=[tool], llm=model(models))
    seen(await agent.run('!call docs {"input": "\\n!say woof\\n"}'))
    count("agent", "reader", None, result="told: woof")
    turn("reader", "docs")
    count("tool", "docs", "reader", arguments={"input": "\n!say woof\n"}, result="woof")
    asked("\n!say woof\n", "docs", "woof")
    count("llm", "stub", "RetrieverQueryEngine", result="woof")
    chat = known.as_chat_engine(chat_mode="context", llm=model(models))
    seen(chat.chat("!say hey"))
    count("workflow", "ContextChatEngine", None, arguments="!say hey", result="hey")
    retrieved("!say hey", "ContextChatEngine")
    count("llm", "stub", "ContextChatEngine", result="hey")


class Own(CustomLLM):
    """A model without a client."""

    fails: bool = False

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="own")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        if self.fails:
            raise OSError("no model")
        counted = {"prompt_tokens": 3, "completion_tokens": 2}
        return CompletionResponse(text="Thought: known.\nAnswer: own answer", additional_kwargs=counted)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        def pieces() -> Any:
            text = ""
            for piece in ("one ", "two"):
                text += piece
                yield CompletionResponse(text=text, delta=piece)

        return pieces()


HELLO = [ChatMessage(role="user", content="hello")]


async def pieces_of(stream: AsyncIterator[Any]) -> str:
    return "".join([item.delta async for item in stream])


async def own_models() -> None:
    own, said = Own(), "Thought: known.\nAnswer: own answer"
    seen([own.complete("hello"), own.chat(HELLO), await own.acomplete("hello"), await own.achat(HELLO)])
    for _ in range(4):
        count("llm", "own", None, result=said, tokens=[3, 2])
    seen("".join(item.delta for item in own.stream_chat(HELLO)))
    seen(await pieces_of(await own.astream_chat(HELLO)))
    for _ in range(2):
        count("llm", "own", None, result="one two")
    left = own.stream_complete("left")
    next(left)
    left.close()
    later = await own.astream_complete("left")
    await anext(later)
    await later.aclose()
    for _ in range(2):
        count("llm", "own", None, "closed", result="one ")
    with contextlib.suppress(OSError):
        try:
            Own(fails=True).complete("hello")
        finally:
            count("llm", "own", None, "error", error="no model")
    react = ReActAgent(name="react", tools=[weather], llm=own, streaming=False)
    seen(await react.run("hello"))
    count("agent", "react", None, result="own answer")
    count("llm", "own", "react", result=said)


def tools() -> None:
    tool = FunctionTool.from_defaults(weather)
    seen([tool("Oslo"), tool.call(city="Rome")])
    for city in ("Oslo", "Rome"):
        count("tool", "weather", None, arguments={"city": city}, result=f"sun in {city}")
    seen(asyncio.run(tool.acall(city="Lima")))
    count("tool", "weather", None, arguments={"city": "Lima"})


def everything(models: Models) -> list[dict[str, Any]]:
    ledger.clear()
    for work in (agents, several, people, given_up_on, retrieval):
        asyncio.run(work(models))
    asyncio.run(workflows())
    asyncio.run(own_models())
    tools()
    return ledger


def brief(models: Models) -> list[dict[str, Any]]:
    ledger.clear()

    async def run() -> None:
        await FunctionAgent(name="seen", tools=[weather], llm=model(models), streaming=False).run("hello")

    asyncio.run(run())
    count("agent", "seen", None)
    count("llm", "stub", "seen")
    return ledger


with serving() as served:
    parts: dict[str, Callable[[], Any]] = {"all": partial(everything, served)}
    conform(parts, lacking=(BaseQueryEngine, "aquery"), brief=lambda: brief(served))
