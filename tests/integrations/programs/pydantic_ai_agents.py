"""Agents of pydantic-ai with the framework's own function models; counts its own calls."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from conformance import conform
from hanging import given_up, hang
from ledger import count, counted, counting, hand
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    RunContext,
)
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.usage import RequestUsage


def scripted(*script: Any, name: str = "scripted") -> FunctionModel:
    said = list(script)

    async def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        hand("provider")
        next_one = said.pop(0)
        if next_one is None:
            await hang()
        if isinstance(next_one, Exception):
            raise next_one
        parts = [TextPart(next_one)] if isinstance(next_one, str) else next_one
        return ModelResponse(parts=parts, usage=RequestUsage(input_tokens=11, output_tokens=7), model_name=name)

    return FunctionModel(answer, model_name=name)


def asks(*calls: tuple[str, dict[str, Any], str]) -> list[ToolCallPart]:
    return [ToolCallPart(tool, args, call_id) for tool, args, call_id in calls]


async def tools() -> None:
    both = asyncio.Barrier(2)
    tries: list[int] = []
    researcher = Agent(scripted("found"), name="researcher")
    planner = Agent(
        scripted(
            asks(("add", {"a": 1, "b": 2}, "c1"), ("add", {"a": 3, "b": 4}, "c2")),
            asks(("guess", {"number": 1}, "c3")),
            asks(("guess", {"number": 2}, "c4"), ("add", {"a": "none"}, "c5")),
            asks(("research", {"topic": "hooks"}, "c6")),
            asks(("fail", {"why": "no such place"}, "c7")),
        ),
        name="planner",
        system_prompt="Plan.",
        retries=2,
    )

    @planner.tool_plain
    async def add(a: int, b: int) -> int:
        await both.wait()
        hand(f"by hand {a}")
        count("tool", f"by hand {a}", "add")
        count("tool", "add", "planner", arguments={"a": a, "b": b}, result=a + b)
        return a + b

    @planner.tool_plain
    def guess(number: int) -> str:
        tries.append(number)
        if len(tries) == 1:
            count("tool", "guess", "planner", "error", arguments={"number": number}, error="guess again")
            raise ModelRetry("guess again")
        count("tool", "guess", "planner", arguments={"number": number}, result="right")
        return "right"

    @planner.tool_plain
    async def research(topic: str) -> str:
        answer = (await researcher.run(topic)).output
        counted("researcher", 1, result="found")
        count("agent", "researcher", "research", result="found")
        count("tool", "research", "planner", arguments={"topic": topic}, result=answer)
        return answer

    @planner.tool_plain
    def fail(why: str) -> str:
        count("tool", "fail", "planner", "error", arguments={"why": why}, error=why)
        raise RuntimeError(why)

    try:
        await planner.run("plan")
    except RuntimeError as exc:
        count("agent", "planner", None, "error", error=str(exc))
    count("tool", "add", "planner", "error", arguments={"a": "none"})
    counted("planner", 5)


async def cut() -> None:
    hangs = Agent(scripted(None), name="hangs")
    await given_up(hangs.run("never"))
    count("agent", "hangs", None, "cancelled")
    count("llm", "scripted", "hangs", "cancelled")
    count("tool", "provider", "scripted")
    waits = Agent(scripted(asks(("hang", {}, "c1"))), name="waits")

    @waits.tool_plain(name="hang")
    async def hanging() -> str:
        await hang()
        return ""

    await given_up(waits.run("hang"))
    count("agent", "waits", None, "cancelled")
    count("tool", "hang", "waits", "cancelled", arguments={})
    counted("waits", 1)


def streaming(*chunks: Any) -> FunctionModel:
    async def answer(messages: list[Any], info: AgentInfo) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        for chunk in chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk

    return FunctionModel(stream_function=answer, model_name="streaming")


async def streams() -> None:
    whole = Agent(streaming("a", "b", "c"), name="whole")
    async with whole.run_stream("go") as answer:
        said = [text async for text in answer.stream_text(delta=True, debounce_by=None)]
        hand("consumer")
    count("agent", "whole", None, result="".join(said))
    count("llm", "streaming", "whole", result="abc")
    count("tool", "consumer", "whole")
    torn = Agent(streaming("a", ValueError("torn")), name="torn")
    try:
        async with torn.run_stream("go") as answer:
            async for _ in answer.stream_text(delta=True, debounce_by=None):
                pass
    except ValueError as exc:
        count("agent", "torn", None, "error", error=str(exc))
        count("llm", "streaming", "torn", "error", error=str(exc))
    left = Agent(streaming("a", "b", "c"), name="left")
    async with left.run_stream("go") as answer:
        async for _ in answer.stream_text(delta=True, debounce_by=None):
            break
    async with model_request_stream(streaming("x", "y"), [ModelRequest([UserPromptPart("direct")])]) as events:
        async for _ in events:
            hand("reader")
            count("tool", "reader", None)
    count("llm", "streaming", None, result="xy")
    count("llm", "streaming", "left", "closed")
    count("agent", "left", None, "closed")


class Sub(FunctionModel):
    """A model of the program's own, made after the inspector was attached."""

    async def request(self, *args: Any, **kwargs: Any) -> ModelResponse:
        hand("before")
        return await super().request(*args, **kwargs)


async def models() -> None:
    agent = Agent(FallbackModel(scripted(ModelHTTPError(500, "down"), name="down"), scripted("up")), name="falls back")
    await agent.run("go", conversation_id="trip-42")
    count("agent", "falls back", None, result="up")
    count("llm", "down", "falls back", "error")
    count("tool", "provider", "down")
    counted("falls back", 1, result="up")
    await model_request(TestModel(), [ModelRequest([UserPromptPart("direct")])])
    count("llm", "test", None)

    async def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart("sub")])

    await Agent(Sub(answer, model_name="sub"), name="own").run("go")
    count("agent", "own", None, result="sub")
    count("llm", "sub", "own")
    count("tool", "before", "sub")
    async with Agent(scripted("x"), name="stops").iter("go") as run:
        async for _ in run:
            break
    count("agent", "stops", None, "closed")


async def images() -> None:
    scan = BinaryContent(bytes(5000), media_type="image/png")
    await Agent(scripted("x"), name="sees").run(["What is it?", scan, ImageUrl("https://example.com/scan")])
    count("agent", "sees", None)
    counted("sees", 1)


async def deferred() -> None:
    wanted = asks(("pay", {"amount": 3}, "c1"), ("later", {}, "c2"))
    careful = Agent(scripted(wanted, "done"), name="careful", output_type=[str, DeferredToolRequests])

    @careful.tool
    def pay(context: RunContext[None], amount: int) -> str:
        if not context.tool_call_approved:
            count("tool", "pay", "careful", "cancelled", arguments={"amount": amount})
            raise ApprovalRequired
        count("tool", "pay", "careful", arguments={"amount": amount}, result="paid")
        return "paid"

    @careful.tool_plain
    def later() -> str:
        count("tool", "later", "careful", "cancelled", arguments={})
        raise CallDeferred

    waiting = await careful.run("go")
    count("agent", "careful", None)
    answers = DeferredToolResults(approvals={"c1": True}, calls={"c2": "came"})
    result = await careful.run(message_history=waiting.all_messages(), deferred_tool_results=answers)
    count("agent", "careful", None, result=result.output)
    counted("careful", 2)


async def brief() -> None:
    await Agent(scripted("x"), name="seen").run("go")
    count("agent", "seen", None)
    counted("seen", 1)


async def everything() -> None:
    for work in (tools, cut, streams, models, images, deferred):
        await work()


conform(
    {"all": lambda: counting(everything)},
    lacking=(ToolManager, "execute_tool_call"),
    brief=lambda: counting(brief),
)
